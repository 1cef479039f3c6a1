"""Who is deciding: asked once, kept in a cookie of the browser, changeable at any time."""

from __future__ import annotations

from urllib.parse import quote, unquote

import streamlit as st

from taxocom.ui.plain import md

COOKIE = "taxocom_curator"
_KEY = "curator"
_MAX_LENGTH = 60

_keep = st.components.v2.component(
    "taxocom_curator",
    js="""
    export default function ({ data }) {
      document.cookie = `${data.cookie}=${data.value}; path=/; max-age=31536000; SameSite=Strict`;
    }
    """,
)


def name() -> str:
    """Return the name that goes with each decision, empty until it was given."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = unquote(st.context.cookies.get(COOKIE, ""))[:_MAX_LENGTH]
    return str(st.session_state[_KEY])


def button() -> None:
    """Show the name in the bar; a click changes it."""
    current = name()
    with st.popover(md(current) or "Your name", help="Goes with each decision you make"), st.form("curator-form"):
        given = st.text_input("Your name", current, max_chars=_MAX_LENGTH, placeholder="for example Ada")
        st.caption("It is written beside each of your decisions, so that others know whom to ask.")
        if st.form_submit_button("Save"):
            st.session_state[_KEY] = " ".join(given.split())
            st.rerun()
    if current:
        _keep(key="curator-cookie", data={"cookie": COOKIE, "value": quote(current)})
