"""What takes seconds on a large project: thought about in the background, and shown as soon as it is known.

A page never waits for it longer than a moment. Meanwhile it shows what was known before, if anything was.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st

from taxocom.store import Project
from taxocom.ui.shared.bootstrap import guarded

PATIENCE = 0.25
"""How many seconds a page waits before it goes on without the answer."""
_LOOK_AGAIN = 1.0

Known = TypeVar("Known")


@dataclass(frozen=True)
class Thought(Generic[Known]):
    """An answer, or the one to an earlier question (`is_old`)."""

    value: Known
    is_old: bool = False


@dataclass
class _Asked:
    """One question: what it is asked of now, the answer to come, and the last answer that came."""

    state: tuple[object, ...]
    future: Future[Any]
    last: Thought[Any] | None = None


@st.cache_resource(show_spinner=False)
def _mind() -> ThreadPoolExecutor:
    # One at a time: what is thought about takes all the cores that there are.
    return ThreadPoolExecutor(1, "thinking")


@st.cache_resource(show_spinner=False, max_entries=64)
def _question(path: str, name: Hashable) -> list[_Asked]:  # noqa: ARG001  # both are the key
    return []


def think(project: Project, name: Hashable, make: Callable[[], Known]) -> Thought[Known] | None:
    """Return the answer to a question about a project, an older one while it is thought about, or None.

    The question is asked again when somebody decides, and when the tree, the texts or the proposals change.
    """
    known = _question(str(project.path), name)
    texts = project.used_for("corpus")
    newest = max((record.proposal_id for record in project.proposals()), default=0)
    now = (project.sequence, project.taxonomy(), texts and texts.name, newest)
    if not known or known[0].state != now:
        last = known[0].last if known else None
        known[:] = [_Asked(now, _mind().submit(make), last)]
    asked = known[0]
    try:
        asked.last = Thought(asked.future.result(timeout=PATIENCE))
    except NotYetError:
        return None if asked.last is None else Thought(asked.last.value, is_old=True)
    except Exception:
        # An error is told, and the question is asked again when the page runs next.
        known.clear()
        raise
    return asked.last


def show_when_known(
    project: Project, name: Hashable, make: Callable[[], Known], show: Callable[[Known], object], meanwhile: str
) -> None:
    """Show an answer; until it is known say `meanwhile`, and run the page again as soon as it is."""
    thought = think(project, name, make)
    if thought is not None and not thought.is_old:
        show(thought.value)
        return
    with st.container(key=f"thinking-{zlib.crc32(str(name).encode())}"):
        st.caption(meanwhile)
        wait_for(project, name, make)


@st.fragment(run_every=_LOOK_AGAIN)
@guarded
def wait_for(project: Project, name: Hashable, make: Callable[[], object]) -> None:
    """Run the page again once an answer is known."""
    thought = think(project, name, make)
    if thought is not None and not thought.is_old:
        st.rerun()
