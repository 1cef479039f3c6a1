"""The token by which programs prove to the HTTP interface that they were let in."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from taxocom.errors import SettingsError, StoreError
from taxocom.store.disk.whole_files import clear_errors, write_whole
from taxocom.store.homes.listing import home, make_home

SETTING = "TAXOCOM_TOKEN"
FILE_NAME = "api-token"
_SHORTEST = 20
_BYTES = 32


def token_place() -> Path:
    """Return the file that the token of this home lies in."""
    return home() / FILE_NAME


def api_token(*, fresh: bool = False) -> str:
    """Return the token of this home, for its owner alone to read; it is made when first asked for, or `fresh`.

    TAXOCOM_TOKEN gives another one, as where secrets come from elsewhere.
    """
    given = os.environ.get(SETTING, "").strip()
    if given:
        return _checked(given, SETTING)
    place = make_home() / FILE_NAME
    with clear_errors("use", place):
        if fresh or not place.exists():
            write_whole(place, f"{secrets.token_urlsafe(_BYTES)}\n".encode(), only_mine=True)
        try:
            found = place.read_text("ascii").strip()
        except UnicodeDecodeError as error:
            raise StoreError(f"{place} holds no token. Delete it; a new one is made.") from error
    return _checked(found, str(place))


def _checked(token: str, source: str) -> str:
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsError(
            f"The token in {source} has to be {_SHORTEST} or more plain characters without spaces; it has {len(token)}."
        )
    return token
