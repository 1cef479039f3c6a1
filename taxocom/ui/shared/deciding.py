"""Recording decisions from a page: with the curator's name, against what the curator was looking at."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from taxocom.store import Project
from taxocom.taxonomy.decisions import Decision
from taxocom.ui.runtime import session
from taxocom.ui.shared import curator

_SEEN = "seen-sequence"


def seen(project: Project) -> int:
    """Return the last decision that this window had on show; a click is meant for that state, not for a newer one."""
    shown: dict[str, int] = session.state().setdefault(_SEEN, {})
    return shown.setdefault(project.path.name, project.sequence)


def mark_seen(project: Project, sequence: int) -> None:
    """Note what the page has just shown; call it once everything is drawn."""
    session.state().setdefault(_SEEN, {})[project.path.name] = sequence


def decide(project: Project, decisions: Sequence[Decision], *, why: str = "", said: str = "") -> None:
    """Record decisions, all or none, and say something once they are kept; for handlers.

    What others decided in between is a StaleWriterError, after which the same click is meant for the newer state.
    """
    try:
        logged = project.record_all(decisions, author=curator.name(), why=why, expected=seen(project))
    finally:
        mark_seen(project, project.sequence)
    waits = any(entry.decision.waits for entry in logged)
    if said or waits:
        session.flash(f"{said or 'Saved'}. Somebody else has to approve it" if waits else said)


def may_decide(part: str = "") -> bool:
    """Return whether the curator has a name; ask for it in place if not.

    Where several parts of one page may ask, each names itself: Streamlit refuses the same key twice.
    """
    if curator.name():
        return True
    key = f"who-{part}" if part else "who"
    with st.container(border=True, key=key):
        curator.form(f"{key}-form", "What is your name? It is saved with each of your decisions.")
    return False
