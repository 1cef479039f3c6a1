"""Who asks: a program proves by a token that somebody let it in."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from taxocom.serving.refusals import RefusalError


@dataclass(frozen=True)
class Caller:
    """A program that was let in, by the name that its requests are counted under."""

    name: str


FindCaller = Callable[[Mapping[str, str]], Caller]
"""Tells from the headers of a request who asks, or raises a RefusalError."""


def by_token(token: str) -> FindCaller:
    """Let in whoever shows this token, as `Authorization: Bearer …`."""

    def find(headers: Mapping[str, str]) -> Caller:
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        # Compared in the same time whatever is shown, so that it cannot be guessed letter by letter.
        if scheme.lower() != "bearer" or not hmac.compare_digest(shown.strip().encode(), token.encode()):
            raise RefusalError(
                401,
                "Show the token of this server: Authorization: Bearer TOKEN. `taxocom serve --api` says where it lies.",
                {"www-authenticate": "Bearer"},
            )
        return Caller("token")

    return find
