"""What every page starts with: page config, one navigation bar, one error boundary.

A deep link to a fresh server runs a page's script without `app.py`, so each page calls `page(...)` itself and looks the
same by deep link, by navigation and after a refresh.
"""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from taxocom.errors import CancelledError, RoleError, StoreError
from taxocom.jobs.scheduled import keep_backing_up
from taxocom.jobs.standby import keep_ready_once_compiled
from taxocom.jobs.warming import warm_in_background
from taxocom.jobs.webhooks import keep_delivering
from taxocom.reading.client import make_ready
from taxocom.ui.runtime import session, sign_in
from taxocom.ui.runtime.acting import run_errand, show_notice
from taxocom.ui.runtime.safe_text import md
from taxocom.ui.runtime.telling import words_for
from taxocom.ui.shared import curator

ROOT = Path(__file__).resolve().parents[3]
FRONTEND = Path(__file__).parents[1] / "frontend"
ICON = ROOT / "assets" / "icon.png"
_PREPARE_AFTER = 1.5

Shown = TypeVar("Shown", bound=Callable[..., Any])


@dataclass(frozen=True)
class Screen:
    """A page of the app: its name in the bar, its script, and whether it makes sense without a project."""

    label: str
    script: str
    needs_project: bool = True


SCREENS = (
    Screen("Projects", "app.py", needs_project=False),
    Screen("Corpus & seed", "pages/corpus.py"),
    Screen("Expand", "pages/expand.py"),
    Screen("Review", "pages/review.py"),
    Screen("Documents", "pages/documents.py"),
    Screen("Timeline", "pages/timeline.py"),
    Screen("Team", "pages/team.py"),
    Screen("Quality", "pages/quality.py"),
    Screen("Export", "pages/export.py"),
)


@st.cache_resource(show_spinner=False)
def _prepare() -> threading.Timer:
    """See to it, once a server, that the first upload finds a reader, the first expansion compiled code, and the first
    re-split loaded modules.

    A moment later, so that the page that somebody waits for comes first.
    """

    def load() -> None:
        make_ready()
        keep_backing_up()
        keep_delivering()
        warm_in_background()
        importlib.import_module("taxocom.expansion.pipeline")
        keep_ready_once_compiled()

    timer = threading.Timer(_PREPARE_AFTER, load)
    timer.daemon = True
    timer.start()
    return timer


@contextmanager
def page(title: str, *, sidebar: bool = False) -> Iterator[None]:
    """Configure the page, show the bar, and keep every error readable.

    `sidebar` opens the side panel on wide screens; without content it does not show at all.
    """
    st.set_page_config(
        page_title=f"{title} · TaxoCom Studio",
        page_icon=str(ICON),
        layout="wide",
        initial_sidebar_state="auto" if sidebar else "collapsed",
        menu_items={"About": "TaxoCom Studio completes a partial topic taxonomy from a corpus."},
    )
    st.html(FRONTEND / "app.css")
    if sign_in.is_on() and not sign_in.person():
        with boundary():
            sign_in.show()
        st.stop()
    session.arrive()
    is_ready = False
    with boundary():
        _bar(title)
        is_ready = True
    if not is_ready:
        st.stop()
    with boundary():
        yield
    _prepare()


@contextmanager
def boundary() -> Iterator[None]:
    """Show an error as a person can act on it; a traceback goes to the log under a reference."""
    try:
        yield
    except CancelledError:
        st.info("Cancelled; nothing was changed.")
    except Exception as error:  # the last line of defence: words for the person, the traceback for the log
        st.error(words_for(error))


def guarded(show: Shown) -> Shown:
    """Give a fragment its own error boundary: when a fragment runs again, the page's is not around it."""

    @functools.wraps(show)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with boundary():
            return show(*args, **kwargs)

    return wrapped  # type: ignore[return-value]  # the wrapper takes and returns what `show` does


def _bar(title: str) -> None:
    """Show the way to every page. An address that names no project still gets the bar, so that there is a way out."""
    try:
        project, problem = session.project(), None
    except (StoreError, RoleError) as error:
        project, problem = None, error
    with st.container(key="topbar", horizontal=True, vertical_alignment="center", gap="small"):
        st.image(str(ICON), width=28, alt="TaxoCom Studio")
        with st.container(key="topnav", horizontal=True, vertical_alignment="center", gap=None):
            for screen in SCREENS:
                if (ROOT / screen.script).exists() and (project or not screen.needs_project):
                    st.page_link(screen.script, label=screen.label, query_params=session.link_params(screen.script))
        with st.container(key="topright", horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
            if project and title != "Projects":
                role = "" if project.team().is_open else project.team().role_of(curator.name())
                st.caption(md(f"{project.name} · {role}" if role else project.name), width="content")
            curator.button()
    session.show_flash()
    run_errand()
    show_notice(title)
    if problem:
        raise problem
