"""Which project and topic the address names. State lives in the address and the store, not in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import streamlit as st

from taxocom.errors import StoreError
from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.store import Project, home, open_project
from taxocom.store.homes.uploads import Uploads
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.corpus import Corpus
from taxocom.ui.runtime import sign_in
from taxocom.ui.runtime.safe_text import md
from taxocom.workflow.open_proposals import load_expansion

PROJECT, NODE = "project", "node"
CURATOR, CURATOR_COOKIE, LONGEST_NAME = "curator", "taxocom_curator", 60
_STATE = "taxocom"
_LOCK = "lock"
_NOTICE = "notice"
_GOING = "going"
_held: ContextVar[dict[str, Any] | None] = ContextVar("held", default=None)
_fields: ContextVar[Mapping[str, Any] | None] = ContextVar("fields", default=None)


def state() -> dict[str, Any]:
    """Return what this window remembers besides the address: a plain dictionary that lives as long as the window."""
    held = _held.get()
    return held if held is not None else st.session_state.setdefault(_STATE, {})


@contextmanager
def uninterrupted() -> Iterator[dict[str, Any]]:
    """Hold the window's state, alone, while something is carried out.

    Every touch of Streamlit's session state, of its address and of the page may end a run in favour of a newer one,
    half-way through whatever is being done. A copy of the session state does not, so that is how the block begins; and
    inside it `state`, `fields`, `choose_node` and `go_to` touch nothing of Streamlit's.
    """
    fields = st.session_state.to_dict()
    mine: dict[str, Any] = fields[_STATE] if _STATE in fields else state()
    with mine.setdefault(_LOCK, threading.RLock()):
        tokens = _held.set(mine), _fields.set(fields)
        try:
            yield mine
        finally:
            _held.reset(tokens[0])
            _fields.reset(tokens[1])


def fields() -> Mapping[str, Any]:
    """Return what the fields of the page hold, by key, as a person sent it with what is carried out now."""
    return _fields.get() or st.session_state.to_dict()


@st.cache_resource(max_entries=32, show_spinner=False)
def _opened(name: str, home: str) -> Project:  # noqa: ARG001  # `home` is part of the key
    return open_project(name, by_path=False)


@st.cache_resource(max_entries=24, show_spinner=False)
def _expansion(path: str, proposal_id: int, _project: Project) -> NodeExpansion:  # noqa: ARG001  # `path` is the key
    return load_expansion(_project, proposal_id)


@st.cache_resource(scope="session", show_spinner=False, on_release=Uploads.close)
def _uploads(home: str) -> Uploads:  # noqa: ARG001  # `home` is part of the key
    return Uploads()


def uploads() -> Uploads:
    """Return the files that this session keeps: they go with it, and are not held in memory."""
    return _uploads(str(home()))


def person() -> str:
    """Return who sits at this window: who has signed in, or the name that was typed; empty for nobody yet."""
    if sign_in.is_on():
        return sign_in.person()
    if CURATOR not in state():
        state()[CURATOR] = unquote(st.context.cookies.get(CURATOR_COOKIE, ""))[:LONGEST_NAME]
    return str(state()[CURATOR])


def project() -> Project | None:
    """Return the project in the address, None without one.

    A name that is no project is a StoreError, and a project that the person may not see a RoleError.
    """
    name = st.query_params.get(PROJECT)
    if not name:
        return None
    found = opened(name)
    if sign_in.is_on() and (role := sign_in.claimed_role()):
        found.welcome(person(), role)
    found.require("read", person())
    return found


def opened(name: str) -> Project:
    """Return an open project by its name or its directory's name; it stays open for every page."""
    found = _opened(name, str(home()))
    if not found.path.is_dir():
        forget(name)
        raise StoreError(f"The project {name!r} was not found. It may have been deleted or moved.")
    return found


def forget(name: str) -> None:
    """Let go of a project that was deleted."""
    _opened.clear(name, str(home()))


def require_project() -> Project:
    """Return the project in the address, or say how to get one and end the page."""
    found = project()
    if found is None:
        st.header("No project is open")
        st.write("Choose one on the Projects page, or start with the sample there.")
        st.page_link("app.py", label="Go to Projects", icon=":material/arrow_back:")
        st.stop()
    return found


def node_id(tree: Taxonomy) -> str:
    """Return the topic in the address; one that is no longer in the tree gives way to the root."""
    wanted = st.query_params.get(NODE, ROOT_ID)
    return wanted if wanted in tree else ROOT_ID


def choose_node(wanted: str) -> None:
    """Let the page show another topic; for handlers, after which the page runs anyway."""
    go_to(**{NODE: wanted})


def go_to(script: str = "", **params: str) -> None:
    """Let the next run start at another address: these parameters of the same page, or another page with only these."""
    state()[_GOING] = (script, params)


def turn() -> None:
    """Let the whole page run after what is being done, not only the part that it was clicked in."""
    state().setdefault(_GOING, ("", {}))


def has_news() -> bool:
    """Tell whether the whole page has to run: somebody asked for it, or there is a notice that nobody has seen."""
    kept: Notice | None = state().get(_NOTICE)
    return _GOING in state() or (kept is not None and kept.page is None)


def arrive() -> None:
    """Go where `go_to` said; the first thing of every run."""
    script, params = state().pop(_GOING, ("", {}))
    if script:
        st.switch_page(script, query_params=params)
    for name, value in params.items():
        st.query_params[name] = value


def expansion(of: Project, proposal_id: int) -> NodeExpansion:
    """Return a stored proposal; it never changes but for the map that comes later, so it is read once or twice."""
    found = _expansion(str(of.path), proposal_id, of)
    if not found.map_to_come or not of.has_map(found.map_to_come):
        return found
    _expansion.clear(str(of.path), proposal_id, of)
    return _expansion(str(of.path), proposal_id, of)


@st.cache_resource(max_entries=4, show_spinner=False)
def _titles(fingerprint: str, _corpus: Corpus) -> Mapping[str, str]:  # noqa: ARG001  # `fingerprint` is the key
    pairs = zip(_corpus.document_ids, _corpus.titles, strict=False)
    return {document_id: title for document_id, title in pairs if title}


def titles(of: Project) -> Mapping[str, str]:
    """Return the titles of the project's documents by their id, of those that have one."""
    corpus = of.corpus()
    return _titles(corpus.fingerprint, corpus)


def params(of: Project | None, **more: str) -> Mapping[str, str]:
    """Return the address parameters that lead to a project, and to what else is named."""
    return ({PROJECT: of.path.name} if of else {}) | more


def link_params(script: str) -> Mapping[str, str]:
    """Return what a link in the bar carries along: the project, everywhere but home."""
    name = st.query_params.get(PROJECT)
    return {PROJECT: name} if name and script != "app.py" else {}


def empty_state(title: str, text: str) -> None:
    """Show what is missing and what to do about it; a button or link of the caller follows."""
    with st.container(key=f"empty-{abs(hash(title))}", border=True):
        st.subheader(md(title))
        st.write(text)


def flash(text: str) -> None:
    """Say something once, on the next page shown."""
    state()["flash"] = text


def show_flash() -> None:
    """Show what `flash` kept."""
    text = state().pop("flash", None)
    if text:
        st.toast(md(text))


@dataclass
class Notice:
    """Something to be read at the top of the page: Markdown, and what to do again if it failed.

    It stays until it is dismissed, or until another page is opened than the one it was first shown on.
    """

    text: str
    again: Callable[[], None] | None = None
    page: str | None = None


def keep_notice(text: str, lines: Sequence[str] = (), again: Callable[[], None] | None = None) -> None:
    """Show a notice at the top of the page, with a button to do something again if that is given."""
    state()[_NOTICE] = Notice("\n".join([text, "", *(f"- {line}" for line in lines)]), again)


def notice(page: str) -> Notice | None:
    """Return the notice to show on a page; a page that refreshes itself must not take it away unread."""
    kept: Notice | None = state().get(_NOTICE)
    if kept is not None and kept.page not in (None, page):
        drop_notice()
        return None
    if kept is not None:
        kept.page = page
    return kept


def drop_notice() -> None:
    """Take the notice away."""
    state().pop(_NOTICE, None)
