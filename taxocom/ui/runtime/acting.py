"""The one door of everything that writes: carried out before the page runs, whole, and told in words if it fails.

A page's script may be ended at any of its lines by the next click, so nothing is written from its body: a button or a
component hands over what was done, and Streamlit calls that before it runs the script.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from taxocom.store import StaleWriterError
from taxocom.ui.runtime import session, sign_in
from taxocom.ui.runtime.safe_text import md
from taxocom.ui.runtime.telling import words_for

Act = Callable[[], object]
_ERRAND = "errand"


def acting(do: Act, meanwhile: str = "") -> Callable[[], None]:
    """Return the callback of a button that does something; what takes long is done while the page says `meanwhile`."""

    def callback() -> None:
        with session.uninterrupted():
            if meanwhile:
                session.state()[_ERRAND] = (do, meanwhile)
                session.turn()
            else:
                carry_out(do)
        turn_the_page()

    return callback


def run_errand() -> None:
    """Do what takes long, at the top of the page; a run that is ended before that leaves it to the next."""
    if _ERRAND not in session.state():
        return
    do, meanwhile = session.state()[_ERRAND]
    with st.spinner(meanwhile), session.uninterrupted() as state:
        if state.pop(_ERRAND, None):
            carry_out(do)
    turn_the_page()


def carry_out(do: Act) -> bool:
    """Do something; a failure is shown at the top of the page, with a button to try again. Return whether it worked.

    Call it inside `session.uninterrupted()`.
    """
    attempt = _Attempt(do)
    try:
        sign_in.refuse_nobody()
        attempt.once()
    except StaleWriterError as error:
        lines = [f"{md(change.logged.author) or 'somebody'}: {md(change.summary)}" for change in error.changes]
        said = "**Somebody else decided first.** Your changes were not saved. Decided since you looked:"
        session.keep_notice(said, lines, again=attempt.again)
    except Exception as error:  # whatever it is, a click must not end in silence
        session.keep_notice(f"**This failed.** {words_for(error)}", again=attempt.again)
    else:
        return True
    return False


@dataclass
class _Attempt:
    """Something to be done once, however often it is tried: two clicks on *Try again* must not do it twice."""

    do: Act
    is_done: bool = False

    def once(self) -> None:
        if not self.is_done:
            self.do()
            self.is_done = True

    def again(self) -> None:
        """Do what failed; if it works now, there is nothing left to be told."""
        self.once()
        session.drop_notice()


def turn_the_page() -> None:
    """Run the whole page if it has news: what is clicked in a part of it would else run that part alone."""
    if session.has_news():
        st.rerun()


def show_notice(page: str) -> None:
    """Show what went wrong, or what was noticed. The place is always there, so that nothing below it moves."""
    with st.container(key="notice-place"):
        found = session.notice(page)
        if found is None:
            return
        with st.container(key="notice", horizontal=True, vertical_alignment="center", gap="small"):
            st.warning(found.text)
            if found.again is not None:
                st.button("Try again", key="try-again", on_click=acting(found.again))
            st.button("Dismiss", key="dismiss-notice", on_click=acting(session.drop_notice))
