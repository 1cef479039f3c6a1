"""Text from a corpus or a person inside Markdown: shown as it is, never as a link, a picture or markup."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|!~&])")


def plain(text: str) -> str:
    """Return text on one line that Markdown shows as it is."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
