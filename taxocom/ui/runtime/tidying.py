"""Memory is given back when people leave.

Streamlit keeps a session for two minutes after its window was closed, uploads included, and forgets it when another
window is closed after that; if nobody is left, never. What is forgotten is freed when Python looks for cycles, which it
does when something is made; and the last session is still named by the loop that served it. So as long as the server
runs, somebody looks after it every half minute, ends sessions whose time is over, and empties them.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pyarrow as pa
from streamlit import runtime

log = logging.getLogger("taxocom.ui")
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
    while True:
        await asyncio.sleep(_SECONDS)
        try:
            if end_sessions():
                await asyncio.to_thread(give_back)
        except Exception:  # tidying is never worth a server
            log.exception("tidying up")


def end_sessions() -> int:
    """End the sessions that were closed long enough ago, with their uploads; return how many there are no more."""
    if not runtime.exists():
        return 0
    # There is no public way to ask for it; a test holds that this one works.
    sessions: Any = runtime.get_instance()._session_mgr
    ended = sessions._session_storage._cache.expire()
    for _, kept in ended:
        kept.session.shutdown()
        kept.session.session_state.clear()
    return len(ended)


def give_back() -> None:
    """Free what nobody can reach any more, and hand free memory back to the system."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
