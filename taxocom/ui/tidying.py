"""Memory is given back when people leave.

Streamlit keeps a session for two minutes after its window was closed, uploads included, and forgets it when another
window is closed after that; if nobody is left, never. What is forgotten is freed when Python looks for cycles, which it
does when something is made. So as long as the server runs, somebody looks after it every half minute.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pyarrow as pa
from streamlit import runtime

_SECONDS = 30.0


@asynccontextmanager
async def tidied() -> AsyncIterator[None]:
    """Look after what left sessions hold, in the background."""
    task = asyncio.create_task(_tidy_up())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _tidy_up() -> None:
    before = 0
    while True:
        await asyncio.sleep(_SECONDS)
        now = n_sessions()
        if now < before:
            await asyncio.to_thread(give_back)
        before = now


def n_sessions() -> int:
    """Count the sessions that are open or may be opened again, and let those go whose time is over."""
    if not runtime.exists():
        return 0
    # There is no public way to ask for it; a test holds that this one works.
    sessions: Any = runtime.get_instance()._session_mgr
    sessions._session_storage._cache.expire()
    return len(sessions.list_sessions())


def give_back() -> None:
    """Free what nobody can reach any more, and hand free memory back to the system."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
