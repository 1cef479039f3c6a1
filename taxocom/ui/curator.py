"""Who is deciding: asked once, kept in a cookie of the browser, changeable at any time."""

from __future__ import annotations

import secrets
from urllib.parse import quote, unquote

import streamlit as st

from taxocom.ui import session
from taxocom.ui.plain import md

COOKIE = "taxocom_curator"
_BROWSER_COOKIE = "taxocom_browser"
_KEY = "curator"
_BROWSER = "curator-browser"
_GIVEN = "curator-just-given"
_ASKING = "curator-asking"
_MAX_LENGTH = 60

_keep = st.components.v2.component(
    "taxocom_curator",
    js="""
    export default function ({ data }) {
      for (const [name, value] of Object.entries(data))
        document.cookie = `${name}=${value}; path=/; max-age=31536000; SameSite=Strict`;
    }
    """,
)


def name() -> str:
    """Return the name that goes with each decision, empty until it was given."""
    if _KEY not in session.state():
        session.state()[_KEY] = unquote(st.context.cookies.get(COOKIE, ""))[:_MAX_LENGTH]
    return str(session.state()[_KEY])


def browser() -> str:
    """Return a mark of this browser, under which a draft is kept while its owner has no name."""
    if _BROWSER not in session.state():
        session.state()[_BROWSER] = st.context.cookies.get(_BROWSER_COOKIE) or secrets.token_hex(8)
    return f"browser {session.state()[_BROWSER]}"


def button() -> None:
    """Show the name in the bar; a click changes it."""
    current = name()
    with st.popover(md(current) or "Your name", help="Goes with each decision you make"):
        form("curator-form", "It is written beside each of your decisions, so that others know whom to ask.")
    mark = browser().removeprefix("browser ")
    _keep(key="curator-cookie", data={_BROWSER_COOKIE: mark} | ({COOKIE: quote(current)} if current else {}))


def form(key: str, text: str, button: str = "Save") -> bool:
    """Ask for the name; return whether it was just given, in a dialog (anywhere else the page starts anew)."""
    with st.form(key, border=False):
        st.caption(text)
        given = st.text_input(
            "Your name", name(), max_chars=_MAX_LENGTH, placeholder="for example Ada", key=f"{key}-name"
        )
        saved = st.form_submit_button(button, type="primary") and bool(given.strip())
    if saved:
        session.state()[_KEY] = " ".join(given.split())
        if button == "Save":
            st.rerun()
    return saved


def may_go_on(asked: bool) -> bool:
    """Tell whether a decision that was asked for may be recorded; one without a name waits for the name.

    Another person's decision starts the page anew and with that closes any dialog, so that it is open is noted.
    """
    if asked and name():
        return True
    if asked:
        session.state()[_ASKING] = True
    if session.state().get(_ASKING):
        _ask()
    return bool(session.state().pop(_GIVEN, False))


def _forget_question() -> None:
    session.state().pop(_ASKING, None)


@st.dialog("Who is deciding?", on_dismiss=_forget_question)
def _ask() -> None:
    if form("curator-ask", "Your name is kept with each of your decisions, so that others know whom to ask.", "Go on"):
        _forget_question()
        session.state()[_GIVEN] = True
        st.rerun()
