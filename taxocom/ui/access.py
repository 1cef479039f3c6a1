"""Who may talk to the app: pages that it served itself, under names that it goes by.

Any web page may point a name of its own at this machine and then read what answers under that name, or open a websocket
from elsewhere. So a request must name a host that we go by, and a browser that says where the request comes from must
say: from here.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit import config

from taxocom.errors import InputError
from taxocom.store import Project
from taxocom.ui.tidying import tidied

HOSTS = "TAXOCOM_HOSTS"
LOOPBACK = ("localhost", "127.0.0.1", "::1")

_POLICY = "; ".join(
    (
        "default-src 'self'",
        # Streamlit's page starts with a script inside it, and components are modules made in the page.
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "frame-src 'self' blob: data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-frame-options": "SAMEORIGIN",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


def added_hosts() -> tuple[str, ...]:
    """Return the names besides those of loopback that an admin gave the app, in small letters."""
    return tuple(name.strip().lower().rstrip(".") for name in os.environ.get(HOSTS, "").split(",") if name.strip())


def host_allowed(host: str | None, added: Iterable[str]) -> bool:
    """Tell whether a Host header names us: a name of loopback, or one that was added (`*.` stands for any part)."""
    name = _name_of(f"//{host}") if host else None
    return name is not None and (name in LOOPBACK or _among(name, added))


def origin_allowed(origin: str | None, host: str | None) -> bool:
    """Tell whether a request comes from a page of ours; a program that is no browser does not say where from.

    Another port of this machine is another app, so the port counts too: a proxy must pass the host on as it came.
    """
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == (host or "").lower()
    except ValueError:
        return False


def _among(name: str, added: Iterable[str]) -> bool:
    return any(name == known or (known.startswith("*.") and name.endswith(known[1:])) for known in added)


def _name_of(address: str) -> str | None:
    try:
        parts = urlsplit(address)
        _ = parts.port  # reading it checks it
        odd = parts.username is not None or parts.path or parts.query or parts.fragment
        name = parts.hostname
    except ValueError:
        return None
    return None if odd or not name else name.lower().rstrip(".")


class Guard:
    """Refuse requests that name a foreign host or come from a foreign page; add the headers that a browser heeds."""

    def __init__(self, app: Application) -> None:
        self._app = app
        self._added = added_hosts()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        said = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = said.get(b"host"), said.get(b"origin")
        several = sum(name.lower() == b"host" for name, _ in scope["headers"]) > 1
        if several or not host_allowed(host, self._added):
            await _refuse(scope, send, 421, f"This app does not go by that name. Its admin can add it to {HOSTS}.")
        elif not _reads_only(scope) and not origin_allowed(origin, host):
            await _refuse(scope, send, 403, "This app answers its own pages only.")
        else:
            await self._app(scope, receive, _with_headers(send))


def _reads_only(scope: Message) -> bool:
    # What a foreign page fetches so it cannot see, since we send it no permission to.
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD")


def _with_headers(send: Send) -> Send:
    added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    names = {name for name, _ in added}

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [(name, value) for name, value in message.get("headers", ()) if name.lower() not in names]
            message = {**message, "headers": [*kept, *added]}
        await send(message)

    return sending


async def _refuse(scope: Message, send: Send, status: int, words: str) -> None:
    if scope["type"] == "websocket":
        # Closing before accepting is answered with 403.
        await send({"type": "websocket.close", "code": 1008, "reason": words})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await _with_headers(send)({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": words.encode()})


@asynccontextmanager
async def serving(_: object) -> AsyncIterator[None]:
    """Open the app in the browser of who started it, as Streamlit does for a plain script; tidy up while it runs."""
    if not config.get_option("server.headless"):
        from streamlit import cli_util
        from streamlit.web.server import server_util

        address = server_util.get_display_address(config.get_option("server.address") or "localhost")
        cli_util.open_browser(server_util.get_url(address))
    async with tidied():
        yield


def is_personal() -> bool:
    """Tell whether the app serves the one person at this machine: bound to loopback, no other name, no proxy between.

    Only then may a page read paths of this machine, since they are the person's own.
    """
    address = str(config.get_option("server.address") or "")
    if added_hosts() or not _is_loopback(address):
        return False
    headers = st.context.headers
    forwarded = any(name in headers for name in ("X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"))
    return not forwarded and host_allowed(headers.get("Host", "localhost"), ())


def refuse_foreign_path(project: Project, path: str) -> None:
    """Raise if a path that a project noted may not be read here: a restored project may name any file."""
    if not is_personal() and Path(path).resolve().parent != (project.path / "artifacts").resolve():
        raise InputError("The texts were read from a path of another machine, or of the server. Upload them again.")


def _is_loopback(address: str) -> bool:
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
