"""Who is deciding: asked once, kept in a cookie of the browser, changeable at any time."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from urllib.parse import quote

import streamlit as st

from taxocom.ui.runtime import session, sign_in
from taxocom.ui.runtime.safe_text import md
from taxocom.ui.shared.forms import Button, Field, Part, Submitted
from taxocom.ui.shared.forms import form as show_form

_BROWSER_COOKIE = "taxocom_browser"
_BROWSER = "curator-browser"
_ASKING = "curator-asking"

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
    return session.person()


def owner() -> str:
    """Return who owns what this person makes: themselves where people sign in, else nobody, and it is open."""
    return name() if sign_in.is_on() else ""


def browser() -> str:
    """Return a mark of this browser, under which a draft is kept while its owner has no name."""
    if _BROWSER not in session.state():
        session.state()[_BROWSER] = st.context.cookies.get(_BROWSER_COOKIE) or secrets.token_hex(8)
    return f"browser {session.state()[_BROWSER]}"


def button() -> None:
    """Show the name in the bar; a click changes it."""
    current = name()
    if sign_in.is_on():
        _signed_in(current)
        return
    with st.popover(md(current) or "Your name", help="Saved with each of your decisions"):
        form("curator-form", "Your name is saved with each of your decisions, so that others know who made them.")
    mark = browser().removeprefix("browser ")
    _keep(
        key="curator-cookie",
        data={_BROWSER_COOKIE: mark} | ({session.CURATOR_COOKIE: quote(current)} if current else {}),
    )


def _signed_in(current: str) -> None:
    with st.popover(md(current), help="You have signed in; your decisions carry this name"):
        st.button("Sign out", key="sign-out", on_click=sign_in.sign_out)
    sign_in.go_back()


def form(key: str, text: str, button: str = "Save", then: Callable[[], None] | None = None) -> None:
    """Ask for the name; `then` is done with it as soon as it is given."""

    def give(sent: Submitted) -> None:
        session.state()[session.CURATOR] = " ".join(sent.text("name").split())
        session.state().pop(_ASKING, None)
        if then is not None:
            then()
        session.turn()

    asked = Field(
        "name", "Your name", name(), longest=session.LONGEST_NAME, placeholder="for example Ada", required=True
    )
    show_form(key, Part("who", [asked], [Button("save", button, primary=True)], says=text), on_submit=give)


def ask() -> None:
    """Let the next run ask for the name in a dialog.

    Another person's decision starts the page again and with that closes any dialog, so that it is open is noted.
    """
    session.state()[_ASKING] = True


def ask_if_asked(then: Callable[[], None]) -> None:
    """Show the dialog if somebody without a name wanted to decide; `then` is what they wanted."""
    if session.state().get(_ASKING):
        _ask(then)


def _forget_question() -> None:
    session.state().pop(_ASKING, None)


@st.dialog("Who is deciding?", on_dismiss=_forget_question)
def _ask(then: Callable[[], None]) -> None:
    said = "Your name is saved with each of your decisions, so that others know who made them."
    form("curator-ask", said, "Go on", then)
