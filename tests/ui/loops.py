"""Run what is asynchronous in a thread of its own: where a browser was driven before, this thread's loop is taken."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end and return what came of it."""
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, work).result()
