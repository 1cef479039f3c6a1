"""Sessions whose time is over are let go, with what they uploaded, though nobody opens or closes a window any more."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit import runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from taxocom.ui.runtime import tidying


class Session:
    """Stands for what Streamlit keeps of a closed window."""

    def __init__(self, name: str) -> None:
        self.id = name
        self.session_state = {"upload": bytearray(1000)}
        self.is_shut_down = False

    def shutdown(self) -> None:
        self.is_shut_down = True


def test_a_session_whose_time_is_over_is_ended_and_emptied(monkeypatch: pytest.MonkeyPatch):
    storage = MemorySessionStorage(ttl_seconds=1)
    manager = WebsocketSessionManager(storage, *[None] * 3)  # type: ignore[arg-type]  # only its storage is asked
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(_session_mgr=manager))
    left = Session("left")
    kept: Any = SimpleNamespace(session=left)
    storage.save(kept)
    assert tidying.end_sessions() == 0
    assert not left.is_shut_down
    time.sleep(1.1)
    assert tidying.end_sessions() == 1
    assert (left.is_shut_down, left.session_state) == (True, {})
    assert manager.list_sessions() == []
    tidying.give_back()
