"""Who may talk to the app: pages that it served itself, under names that it goes by.

Any web page may point a name of its own at this machine and then read what answers under that name, or open a websocket
from elsewhere. So a request must name a host that we go by, and a browser that says where the request comes from must
say: from here. There is no sign-in, so connections from other machines are refused until the admin has said otherwise.
"""

from __future__ import annotations

import ipaddress
import logging
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
from taxocom.ui.runtime.tidying import tidied

HOSTS = "TAXOCOM_HOSTS"
OPEN = "TAXOCOM_OPEN"
PATHS = "TAXOCOM_PATHS"
YES = "i-know"
LOOPBACK = ("localhost", "127.0.0.1", "::1")

log = logging.getLogger("taxocom.ui")

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


def is_open() -> bool:
    """Tell whether the admin let other machines reach the app, in as many words."""
    return os.environ.get(OPEN, "").strip() == YES


def refuse_other_machines() -> None:
    """End the program if others could reach it and nobody said that they may."""
    address = str(config.get_option("server.address") or "every address of this machine")
    if not is_open() and not _is_loopback(address):
        raise SystemExit(
            f"TaxoCom Studio was not started: it would answer on {address}, and it has no sign-in. Whoever reaches it "
            "there could read, change and delete every project. Leave server.address at 127.0.0.1 and put a proxy with "
            "sign-in before it (deploy/README.md). Or, if only people you trust can reach that address, set "
            f"{OPEN}={YES}."
        )


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
        self._is_open = is_open()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        said = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = said.get(b"host"), said.get(b"origin")
        several = sum(name.lower() == b"host" for name, _ in scope["headers"]) > 1
        if not self._is_open and not _is_loopback(_own_address(scope)):
            # Whatever the settings say, this is where the connection came in.
            await _refuse(scope, send, 403, f"This app answers its own machine only. Its admin can say {OPEN}={YES}.")
        elif several or not host_allowed(host, self._added):
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
    log.info("%s request refused with %d", scope["type"], status)
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
    """Tell whether the app serves the one person at this machine: no other machine, no other name, no proxy between.

    Only then may a page read any path of this machine, since all of them are the person's own.
    """
    if is_open() or added_hosts():
        return False
    headers = st.context.headers
    forwarded = any(name in headers for name in ("X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"))
    return not forwarded and host_allowed(headers.get("Host", "localhost"), ())


def named_folders() -> tuple[Path, ...]:
    """Return the folders that an admin lets everybody read who reaches the app, with links followed."""
    return tuple(Path(name).resolve() for name in os.environ.get(PATHS, "").split(os.pathsep) if name.strip())


def offers_paths() -> bool:
    """Tell whether a path on this machine may be given at all."""
    return is_personal() or bool(named_folders())


def typed_path(text: str) -> Path:
    """Return a path that a person typed, if it may be read here."""
    if not is_personal():
        return _inside_named_folders(text.strip())
    try:
        return Path(text.strip()).expanduser()
    except RuntimeError as error:
        raise InputError(f"{text.strip()}: {error}. Write the whole path.") from error


def refuse_foreign_path(project: Project, path: str) -> None:
    """Raise if a path that a project noted may not be read here: a restored project may name any file."""
    if is_personal() or Path(path).resolve().parent == (project.path / "artifacts").resolve():
        return
    try:
        _inside_named_folders(path)
    except InputError as error:
        raise InputError(
            "The texts were read from a path of another machine, or of the server. Upload them again."
        ) from error


def _inside_named_folders(text: str) -> Path:
    """Return a path with links followed; whether one outside exists is not told."""
    folders = named_folders()
    try:
        path = Path(text).resolve()
        within = any(path.is_relative_to(folder) for folder in folders) and not any(
            member.is_symlink() and not any(member.resolve().is_relative_to(folder) for folder in folders)
            for member in (path.rglob("*") if path.is_dir() else ())
        )
    except (OSError, RuntimeError, ValueError):
        within = False
    if not within:
        named = ", ".join(str(folder) for folder in folders)
        raise InputError(f"{text}: only files inside {named} can be read here. Name one of those, or upload the file.")
    return path


def _own_address(scope: Message) -> str:
    """Return the address of this machine that a connection came in by."""
    address = scope.get("server")
    return str(address[0]) if address else ""


def _is_loopback(address: str) -> bool:
    if address == "localhost":
        return True
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return ((found.ipv4_mapped if found.version == 6 else None) or found).is_loopback
