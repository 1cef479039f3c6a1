"""Recording decisions from a page: with the curator's name, against what the curator was looking at."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from taxocom.store import Project, StaleWriterError
from taxocom.taxonomy.decisions import Decision
from taxocom.ui import curator, session
from taxocom.ui.plain import md

_SEEN = "seen-sequence"


def seen(project: Project) -> int:
    """Return the last decision that this window had on show; a click is meant for that state, not for a newer one."""
    shown: dict[str, int] = session.state().setdefault(_SEEN, {})
    return shown.setdefault(project.path.name, project.sequence)


def mark_seen(project: Project, sequence: int) -> None:
    """Note what the page has just shown; call it once everything is drawn."""
    session.state().setdefault(_SEEN, {})[project.path.name] = sequence


def decide(project: Project, decisions: Sequence[Decision], *, why: str = "") -> bool:
    """Record decisions, all or none; tell what others did in between instead of deciding over it."""
    with session.uninterrupted():
        try:
            project.record_all(decisions, author=curator.name(), why=why, expected=seen(project))
        except StaleWriterError as error:
            lines = [f"{md(c.logged.author) or 'somebody'}: {md(c.summary)}" for c in error.changes]
            said = "**Somebody else decided first.** Nothing of yours was written. Since you looked:"
            session.keep_notice(said, lines)
            return False
        finally:
            mark_seen(project, project.sequence)
    return True


def may_decide() -> bool:
    """Return whether the curator has a name; ask for it in place if not."""
    if curator.name():
        return True
    with st.container(border=True, key="who"):
        curator.form("who-form", "Before you decide: what is your name? It goes with each of your decisions.")
    return False
