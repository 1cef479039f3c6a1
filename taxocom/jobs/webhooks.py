"""Webhooks: what is decided is posted to addresses that an admin named. Signed, tried again, in nobody's way.

Nothing is posted while somebody decides. Whoever looks later (a thread of the app, or `taxocom deliver`) reads the log
from where each address was left, so what failed comes again, in order, and at least once.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol
from urllib.parse import urlsplit

from taxocom.errors import InputError, TaxocomError
from taxocom.store import Project, home, open_project
from taxocom.store.disk.clock import Clock, stamp, utc_now
from taxocom.store.disk.whole_files import clear_errors
from taxocom.taxonomy.decisions import HistoryEntry

LOOK_SECONDS = 5.0
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=5), timedelta(hours=1)
"""How long an address that failed is left alone: at first, doubled each time, and at most."""
_MOST_AT_ONCE = 100
_TIMEOUT = 10.0
_MARK = "webhooks"
"""A file of this name beside the database says that a project has webhooks, so that the others need not be opened."""
_KEY = "webhook "


@dataclass(frozen=True)
class Webhook:
    """An address with its secret; `delivered` is the last step that it has taken, `said` why it failed last."""

    url: str
    secret: str
    delivered: int
    failures: int = 0
    next_try: str = ""
    said: str = ""


class Post(Protocol):
    """Sends a body somewhere; what is not taken is an OSError."""

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send it."""


def webhooks(project: Project) -> list[Webhook]:
    """Return the addresses that a project's decisions are posted to."""
    noted = project.about()
    return [Webhook(**value) for key, value in sorted(noted.items()) if key.startswith(_KEY)]


def add_webhook(project: Project, url: str, *, by: str) -> Webhook:
    """Let everything that is decided from now on be posted to an address; its secret is made here."""
    project.require("webhooks", by)
    _refuse_address(url)
    made = Webhook(url, secrets.token_hex(32), project.sequence)
    mark = project.path / _MARK
    with clear_errors("write", mark):
        mark.touch(mode=0o600)
    _note(project, made)
    return made


def remove_webhook(project: Project, url: str, *, by: str) -> None:
    """Post nothing to an address any more."""
    project.require("webhooks", by)
    if url not in [hook.url for hook in webhooks(project)]:
        raise InputError(f"{url} is no webhook of {project.name!r}. `taxocom webhooks` lists them.")
    project.set_about(**{_KEY + url: None})


def deliver(project: Project, *, clock: Clock = utc_now, post: Post | None = None) -> int:
    """Post what is due to each address; return how many posts were taken. No failure of theirs is raised."""
    taken = 0
    for hook in webhooks(project):
        now = clock()
        while hook.delivered < project.sequence and (not hook.next_try or now >= datetime.fromisoformat(hook.next_try)):
            entries = project.history(hook.delivered)[:_MOST_AT_ONCE]
            try:
                (post or _post)(hook.url, *_signed(project, hook, entries, stamp(now)))
            except (OSError, ValueError) as error:
                wait = min(FIRST_WAIT * 2 ** min(hook.failures, 20), LONGEST_WAIT)
                said = str(error)[:200]
                hook = replace(hook, failures=hook.failures + 1, next_try=stamp(now + wait), said=said)
            else:
                taken += 1
                hook = replace(hook, delivered=entries[-1].logged.sequence, failures=0, next_try="", said="")
            if hook.url in [each.url for each in webhooks(project)]:
                _note(project, hook)
    return taken


def keep_delivering() -> threading.Event:
    """Post what is due in the home for as long as this process lives, or until the event is set."""
    stopped = threading.Event()

    def look() -> None:
        opened: dict[str, Project] = {}
        while not stopped.wait(LOOK_SECONDS):
            for mark in sorted((home() / "projects").glob(f"*/{_MARK}")):
                name = mark.parent.name
                # One bad project must not cost the others their webhooks.
                try:
                    deliver(opened.get(name) or opened.setdefault(name, open_project(name, by_path=False)))
                except TaxocomError:
                    opened.pop(name, None)

    threading.Thread(target=look, daemon=True, name="webhooks").start()
    return stopped


def signature(secret: str, at: str, body: bytes) -> str:
    """Return what a receiver must find in the header: the HMAC of the moment and the body by the shared secret."""
    return "sha256=" + hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()


def _signed(project: Project, hook: Webhook, entries: list[HistoryEntry], at: str) -> tuple[bytes, dict[str, str]]:
    told: dict[str, Any] = {
        "project": project.name,
        "project_id": project.project_id,
        "decisions": [{**entry.logged.to_dict(), "summary": entry.summary} for entry in entries],
    }
    body = json.dumps(told, ensure_ascii=False).encode()
    first, last = entries[0].logged.sequence, entries[-1].logged.sequence
    return body, {
        "Content-Type": "application/json",
        "X-Taxocom-Delivery": f"{project.project_id}-{first}-{last}",
        "X-Taxocom-Timestamp": at,
        "X-Taxocom-Signature": signature(hook.secret, at, body),
    }


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow no redirect: only the address that an admin named gets the message."""


def _post(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    request = urllib.request.Request(url, body, dict(headers), method="POST")
    opener = urllib.request.build_opener(_NoRedirect)
    with opener.open(request, timeout=_TIMEOUT) as answer:
        if answer.status >= 300:
            raise OSError(f"it answered {answer.status}")


def _refuse_address(url: str) -> None:
    parts = urlsplit(url)
    is_here = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not parts.hostname or parts.username or not (parts.scheme == "https" or (parts.scheme == "http" and is_here)):
        raise InputError(f"{url!r}: give an address that begins with https:// (http:// on this machine alone).")


def _note(project: Project, hook: Webhook) -> None:
    project.set_about(**{_KEY + hook.url: asdict(hook)})
