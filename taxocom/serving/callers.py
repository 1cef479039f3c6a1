"""Who is asking: a program shows a token to prove that somebody let it in."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from taxocom.serving.refusals import RefusalError

_PROOF_LENGTH = 64


@dataclass(frozen=True)
class Caller:
    """A program that was let in, by the name that its requests are counted under."""

    name: str
    person: str = ""
    """Who decides through it, by a token of their own; empty for the token of the server, which decides nothing."""


FindCaller = Callable[[Mapping[str, str]], Caller]
"""Tells from the headers of a request who asks, or raises a RefusalError."""


def token_of(person: str, token: str) -> str:
    """Return the token of a person: it says who they are, and proves it by the server's token, which stays secret.

    What they may do is the project's to say. A new token of the server ends all of them.
    """
    shown = urlsafe_b64encode(person.encode()).decode().rstrip("=")
    return f"{shown}.{hmac.digest(token.encode(), f'person {person}'.encode(), 'sha256').hex()}"


def by_token(token: str) -> FindCaller:
    """Let in callers that show this token, or a person's token signed with it, as `Authorization: Bearer …`."""

    def find(headers: Mapping[str, str]) -> Caller:
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        shown = shown.strip()
        person = _person_of(shown)
        expected = token_of(person, token) if person else token
        # Compared in the same time whatever is shown, so that it cannot be guessed letter by letter.
        if scheme.lower() != "bearer" or not hmac.compare_digest(shown.encode(), expected.encode()):
            raise RefusalError(
                401,
                "Show the token of this server: Authorization: Bearer TOKEN. `taxocom serve --api` says where it lies.",
                {"www-authenticate": "Bearer"},
            )
        return Caller(f"person {person}", person) if person else Caller("token")

    return find


def _person_of(shown: str) -> str:
    """Return whom a token claims to be of, whether or not it proves it; empty for the server's own."""
    name, dot, proof = shown.partition(".")
    if not dot or len(proof) != _PROOF_LENGTH:
        return ""
    try:
        return urlsafe_b64decode(name + "=" * (-len(name) % 4)).decode()
    except ValueError:
        return ""
