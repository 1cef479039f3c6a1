"""Who has signed in, where the app asks for that: Streamlit's own OpenID Connect, set up in one block of secrets.

The block `[auth]` is Streamlit's, `[taxocom]` is ours; `deploy/README.md` shows both. Without `[auth]` nobody signs in,
and the app is for the one person at this machine.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, cast, get_args

import streamlit as st
from streamlit.runtime.secrets import secrets_singleton

from taxocom.errors import RoleError, SettingsError
from taxocom.taxonomy.roles import Role, reaches

_HOURS = 12.0
"""How long a sign-in lasts if the secrets do not say: a working day; Streamlit's own cookie would last a month."""

# A sign-in leads back to the home page, wherever a person wanted to go. The tab remembers that, and nobody else does.
_way = st.components.v2.component(
    "taxocom_way_back",
    js="""
    export default function ({ data }) {
      const key = "taxocom wanted";
      if (!data.signed_in) { sessionStorage.setItem(key, location.href); return; }
      const wanted = sessionStorage.getItem(key);
      sessionStorage.removeItem(key);
      // Only from the home page, where a sign-in ends: who has gone on meanwhile stays where they are.
      const isHome = wanted && location.pathname === new URL(".", wanted).pathname;
      if (isHome && wanted !== location.href) location.replace(wanted);
    }
    """,
)


def is_on() -> bool:
    """Tell whether the app asks people to sign in."""
    return bool(_section("auth"))


def person() -> str:
    """Return who has signed in, by the claim that names people; empty before and once the sign-in has ended."""
    if not st.user.get("is_logged_in") or _has_ended():
        return ""
    name = str(_section("taxocom").get("person", "email"))
    if name == "email" and st.user.get("email_verified") is False:
        return ""
    return " ".join(str(st.user.get(name) or "").split())


def claimed_role() -> Role | None:
    """Return the highest role that the claims of the person give them, None if none does."""
    settings = _section("taxocom")
    claimed = st.user.get(str(settings.get("role_claim", "")))
    values = claimed if isinstance(claimed, (list, tuple)) else [claimed]
    given = dict(settings.get("roles", {}))
    found = [_role(str(given[str(value)])) for value in values if str(value) in given]
    best: Role | None = None
    for role in found:
        best = role if best is None or reaches(role, best) else best
    return best


def refuse_nobody() -> None:
    """Raise a RoleError if people have to sign in and this one has not, or not any more; nothing is written then."""
    if is_on() and not person():
        raise RoleError("Your sign-in has ended. Nothing was changed. Sign in again: reload the page.")


def show() -> None:
    """Show what is seen before anybody has signed in, or when a sign-in has ended."""
    _way(key="way-back", data={"signed_in": False})
    with st.container(key="sign-in", gap="small"):
        st.title("TaxoCom Studio", anchor=False)
        if st.user.get("is_logged_in"):
            said = "Your sign-in has ended. Sign in again." if _has_ended() else _without_name()
            st.write(said)
        else:
            st.write("Sign in to work on the taxonomies of your team.")
        st.button("Sign in", key="sign-in-button", type="primary", on_click=st.login)


def go_back() -> None:
    """Lead somebody who has just signed in to where they wanted to go."""
    _way(key="way-back", data={"signed_in": True})


def sign_out() -> None:
    """End the person's sign-in."""
    st.logout()


def _without_name() -> str:
    claim = str(_section("taxocom").get("person", "email"))
    return f"Your sign-in gives no {claim}, or one that is not verified. Ask whoever runs this server."


def _has_ended() -> bool:
    hours = float(_section("taxocom").get("hours", _HOURS))
    begun = st.user.get("iat")
    # A provider must say when it issued a token; without that a sign-in counts as ended.
    return not isinstance(begun, (int, float)) or time.time() > begun + hours * 3600


def _role(text: str) -> Role:
    if text not in get_args(Role):
        raise SettingsError(f"[taxocom.roles] in the secrets: {text!r} is no role. Use {', '.join(get_args(Role))}.")
    return cast(Role, text)


def _section(name: str) -> Mapping[str, Any]:
    if not secrets_singleton.load_if_toml_exists():
        return {}
    return cast("Mapping[str, Any]", secrets_singleton.get(name) or {})
