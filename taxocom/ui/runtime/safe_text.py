"""Text from outside, made safe for places that read Markdown."""

from __future__ import annotations

import re
import string

from taxocom.text.terms.vocabulary import display

WORD_JOINER = "\u2060"
_IN_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)
_PUNCTUATION = re.compile(f"([{re.escape(string.punctuation)}])")


def md(text: object) -> str:
    """Return text so that Markdown shows it letter by letter.

    Names and corpus text can hold an image link, and an image link calls a foreign host as soon as it is shown.
    Escaping every ASCII punctuation mark also disarms directives, emoji codes and formulas. Bare addresses are made
    links after the escapes are gone, so an invisible word joiner breaks them.
    """
    return _PUNCTUATION.sub(r"\\\1", break_addresses(" ".join(str(text).split())))


def break_addresses(text: str) -> str:
    """Return text in which no bare address is left that Markdown would make a link of."""
    return _IN_ADDRESS.sub(WORD_JOINER, text)


def shown(term: str) -> str:
    """Return a term as people read it, safe in Markdown."""
    return md(display(term))


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `count(2, "topic")` is "2 topics"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """Return a share as a whole percentage; a share that is small but not zero does not look like none."""
    return "<1 %" if 0 < share < 0.005 else f"{share:.0%}".replace("%", " %")
