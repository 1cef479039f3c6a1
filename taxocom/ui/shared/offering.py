"""What a page offers to whom: a button that a person may not use is grey and says why, before anybody clicks it."""

from __future__ import annotations

from typing import TypedDict

from taxocom.store import Project
from taxocom.ui.shared import curator


class Offered(TypedDict):
    """Whether a button can be pressed, and what it says to a pointer that rests on it; for `st.button`."""

    disabled: bool
    help: str | None


def refusal(project: Project, *actions: str) -> str:
    """Return why the person at this window may not do one of these things (`taxonomy/roles.py`), empty if they may."""
    return project.team().refusal(curator.name(), *actions)


def offered(project: Project, *actions: str, disabled: bool = False, told: str | None = None) -> Offered:
    """Return how a button stands that does these things; `disabled` and `told` say what else there is to it."""
    why = refusal(project, *actions)
    return {"disabled": disabled or bool(why), "help": why or told}
