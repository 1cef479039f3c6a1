"""Sessions whose time is over are let go, with what they uploaded, though nobody opens or closes a window any more."""

from __future__ import annotations

import gc
import time
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit import runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from taxocom.ui import tidying


class Session:
    """Stands for what Streamlit keeps of a closed window: an id, and an upload in a cycle."""

    def __init__(self, name: str) -> None:
        self.id = name
        self.upload = bytearray(1000)
        self.itself = self


def test_a_session_whose_time_is_over_is_let_go_by_tidying_up(monkeypatch: pytest.MonkeyPatch):
    storage = MemorySessionStorage(ttl_seconds=1)
    manager = WebsocketSessionManager(storage, *[None] * 3)  # type: ignore[arg-type]  # only its list is asked for
    instance = SimpleNamespace(_session_mgr=manager)
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: instance)
    left = Session("left")
    seen = weakref.ref(left)
    kept: Any = SimpleNamespace(session=left)
    storage.save(kept)
    assert tidying.n_sessions() == 1
    del left, kept
    time.sleep(1.1)
    gc.disable()
    try:
        assert seen() is not None, "nobody has let go of it yet"
        assert tidying.n_sessions() == 0
        tidying.give_back()
        assert seen() is None
    finally:
        gc.enable()
