"""What a component tells: handed on before the page runs, and its errors kept for the page to show."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import Any

import streamlit as st

from taxocom.errors import TaxocomError
from taxocom.ui import session
from taxocom.ui.plain import md

log = logging.getLogger("taxocom.ui")


def handled(key: str, event: str, handle: Callable[[Any], None]) -> Callable[[], None]:
    """Return the callback for an event of the component with this key; `handle` gets each value once, in order.

    A component sends what happened as a list of [serial number, value], because two events close together would else
    be one. Callbacks run outside a page's error boundary, so an error waits as a notice at the top of the page.
    """
    name = _name(key, event)

    def callback() -> None:
        told = st.session_state[key].get(event) or ()
        with session.uninterrupted() as state:
            for serial, value in told:
                if serial > state.get(name, 0):
                    state[name] = serial
                    _carry_out(handle, value)

    return callback


def answered(key: str, event: str) -> int:
    """Return the serial number of the last event that was handled, to be sent along with the data.

    A component shows what was done before the page has answered. If the answer is what it had before, Streamlit would
    not hand it on, and what the component shows would stay; with this number every answer differs from the last.
    """
    return int(session.state().get(_name(key, event), 0))


def _name(key: str, event: str) -> str:
    return f"last {event} of {key}"


def _carry_out(handle: Callable[[Any], None], value: object) -> None:
    try:
        handle(value)
    except TaxocomError as error:
        session.keep_notice(md(error))
    except Exception:  # as in the page's boundary: words for the person, the traceback for the log
        reference = secrets.token_hex(4)
        log.exception("reference %s", reference)
        session.keep_notice(f"Something went wrong that we did not foresee; the log has it as **{reference}**.")
