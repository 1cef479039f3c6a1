"""What people who reach the app may read of this machine, and that nobody else reaches it (`serving/guard.py`)."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from streamlit import config

from taxocom.errors import InputError
from taxocom.serving.guard import OPEN, YES, added_hosts, host_allowed, is_loopback, is_open
from taxocom.store import Project
from taxocom.text.input.opening import is_pattern, matching_files
from taxocom.ui.runtime import sign_in
from taxocom.ui.runtime.following_links import follow_links
from taxocom.ui.runtime.tidying import tidied

PATHS = "TAXOCOM_PATHS"


def refuse_other_machines() -> None:
    """End the program if others could reach it and nobody said that they may."""
    address = str(config.get_option("server.address") or "every address of this machine")
    if not is_open() and not sign_in.is_on() and not is_loopback(address):
        raise SystemExit(
            f"TaxoCom Studio was not started: it would answer on {address}, and it has no sign-in. Whoever reaches it "
            "there could read, change and delete every project. Let people sign in (deploy/README.md, one block of "
            "secrets), or leave server.address at 127.0.0.1. Or, if only people you trust can reach that address, set "
            f"{OPEN}={YES}."
        )


@asynccontextmanager
async def serving(_: object) -> AsyncIterator[None]:
    """Open the app in the browser of who started it, as Streamlit does for a plain script; keep it in order."""
    if not config.get_option("server.headless"):
        from streamlit import cli_util
        from streamlit.web.server import server_util

        address = server_util.get_display_address(config.get_option("server.address") or "localhost")
        cli_util.open_browser(server_util.get_url(address))
    follow_links()
    async with tidied():
        yield


def is_personal() -> bool:
    """Tell whether the app serves the one person at this machine: no other machine, no other name, no proxy between.

    Only then may a page read any path of this machine, since all of them are the person's own.
    """
    if is_open() or added_hosts() or sign_in.is_on():
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


def _members(path: Path) -> Iterable[Path]:
    """Return what a path leads to by a link or by another name."""
    if is_pattern(path):
        return matching_files(path).values()
    return [member for member in path.rglob("*") if member.is_symlink()] if path.is_dir() else ()


def _inside_named_folders(text: str) -> Path:
    """Return a path with links followed; whether one outside exists is not told."""
    folders = named_folders()
    try:
        path = Path(text).resolve()
        within = any(path.is_relative_to(folder) for folder in folders) and not any(
            not any(member.resolve().is_relative_to(folder) for folder in folders) for member in _members(path)
        )
    except (OSError, RuntimeError, ValueError):
        within = False
    if not within:
        named = ", ".join(str(folder) for folder in folders)
        raise InputError(f"{text}: only files inside {named} can be read here. Name one of those, or upload the file.")
    return path
