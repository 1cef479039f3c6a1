"""A process that finds the tokens in texts for another, again and again until its standard input ends.

It is a process of its own kind and not one of `multiprocessing`, which would run the script of whoever asks once more.
"""

from __future__ import annotations

import marshal
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from taxocom.text.language.tokens import raw_tokens


@dataclass(frozen=True)
class FoundTokens:
    """The different tokens of some texts in the order they were met, which stands where (as bytes of an int32 array),
    and where each text ends.
    """

    tokens: list[str]
    places: bytes
    ends: list[int]


def find_tokens(texts: Sequence[str], *, segmented: bool) -> FoundTokens:
    """Find the tokens of some texts."""
    numbers: dict[str, int] = {}
    places, ends = array("i"), []
    for text in texts:
        places.extend([numbers.setdefault(token, len(numbers)) for token in raw_tokens(text, segmented=segmented)])
        ends.append(len(places))
    return FoundTokens(list(numbers), places.tobytes(), ends)


def ask(texts: Sequence[str], segmented: bool, to: IO[bytes], answers: IO[bytes]) -> FoundTokens:
    """Ask a helper at the other end of two pipes; one that is gone is an OSError, an EOFError or a ValueError."""
    marshal.dump((list(texts), segmented), to)
    to.flush()
    return FoundTokens(*marshal.load(answers))  # from a process that we started ourselves


def main() -> None:
    """Answer until nobody asks any more, which is so as soon as the process that asks is gone."""
    asked, answers = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            texts, segmented = marshal.load(asked)  # from the process that started this one
        except EOFError:
            return
        found = find_tokens(texts, segmented=segmented)
        marshal.dump((found.tokens, found.places, found.ends), answers)
        answers.flush()


if __name__ == "__main__":
    main()
