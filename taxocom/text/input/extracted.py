"""What is got out of one document file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Extracted:
    """The text of a document, and what its file says of it; `part` names it among several in one file."""

    text: str
    title: str = ""
    date: str = ""
    part: str = ""
