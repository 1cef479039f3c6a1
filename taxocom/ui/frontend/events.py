"""What a component tells: handed on before the page runs, each entry once, and answered."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import carry_out, turn_the_page

Handler = Callable[[Any], None]
_SESSION = "session"


def shown(component: ComponentRenderer, data: Mapping[str, Any], *, key: str, event: str, handle: Handler) -> None:
    """Show a component; `handle` gets each value that it tells under the name of an event, once and in order.

    The component sends a list of [serial number, value, session] until it is answered. Streamlit calls us when the list
    has changed; a run that was ended before it came to that leaves the list unheard, so every run looks again. After a
    restart of the server the browser sends its last list to a new session, which must not take it for news.
    """

    def hear() -> None:
        _hear(key, event, handle)
        turn_the_page()

    on_change: dict[str, Any] = {f"on_{event}_change": hear}
    component(key=key, data={**data, **_answer(key, event)}, **on_change)
    if _unheard(key, event, session.state(), st.session_state.get(key)):
        _hear(key, event, handle)
        st.rerun()


def _hear(key: str, event: str, handle: Handler) -> None:
    with session.uninterrupted() as state:
        refused: set[int] = state.setdefault(_refused(key), set())
        for serial, value in _unheard(key, event, state, session.fields().get(key)):
            state[_last(key, event)] = serial
            refused.add(serial)
            carry_out(partial(_done, handle, value, refused, serial))


def _done(handle: Handler, value: object, refused: set[int], serial: int) -> None:
    handle(value)
    refused.discard(serial)


def _unheard(key: str, event: str, state: Mapping[str, Any], sent: Any) -> list[tuple[int, Any]]:
    last, mine = state.get(_last(key, event), 0), state.get(_SESSION)
    told = (sent or {}).get(event) or ()
    return [(serial, value) for serial, value, to in told if to == mine and serial > last]


def _answer(key: str, event: str) -> dict[str, Any]:
    """Return the serial number of the last entry that was heard, and those that could not be done, to go with the data.

    A component shows what was done before the page has answered. If the answer is what it had before, Streamlit would
    not hand it on, and what the component shows would stay; with this number every answer differs from the last.
    """
    state = session.state()
    return {
        "answered": int(state.get(_last(key, event), 0)),
        "refused": sorted(state.get(_refused(key), ())),
        "session": state.setdefault(_SESSION, secrets.token_hex(8)),
    }


def _last(key: str, event: str) -> str:
    return f"last {event} of {key}"


def _refused(key: str) -> str:
    return f"refused of {key}"
