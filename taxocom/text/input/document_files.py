"""Files that are documents: PDF, Word, HTML, mails and mailboxes, told from texts and tables by their names.

`extract` reads them where it is called. Whoever reads files of strangers one after the other hands in another
`Extractor`, which does the same in a process of its own (`reading.files`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from taxocom.errors import InputError
from taxocom.text.input.documents import Extracted
from taxocom.text.input.html_text import read_html
from taxocom.text.input.mail_text import read_mail
from taxocom.text.input.pdf_text import read_pdf
from taxocom.text.input.word_text import read_docx


class Kind(StrEnum):
    """What a document file is."""

    PDF = "pdf"
    DOCX = "docx"
    HTML = "html"
    MAIL = "mail"
    MAILBOX = "mailbox"


_SUFFIXES = {
    ".pdf": Kind.PDF,
    ".docx": Kind.DOCX,
    ".html": Kind.HTML,
    ".htm": Kind.HTML,
    ".xhtml": Kind.HTML,
    ".eml": Kind.MAIL,
    ".mbox": Kind.MAILBOX,
}
SUFFIXES = tuple(_SUFFIXES)
PACKED = (".gz", ".xz", ".bz2")
LARGEST = 256 * 2**20
"""Bytes of one document file: a book of scanned pages has a hundred megabytes, and all of it is held in memory."""


@dataclass(frozen=True)
class Piece:
    """A document file as bytes, ready to be extracted; `name` is how messages call it."""

    name: str
    kind: Kind
    content: bytes
    encoding: str | None = None


@dataclass(frozen=True)
class Unreadable:
    """Why there is nothing to read in a piece."""

    reason: str


Result = Extracted | Unreadable
Extractor = Callable[[Sequence[Piece]], Sequence[Result]]
"""Returns what is in each piece, in order."""


def kind_of(name: str) -> Kind | None:
    """Return what a file is by its name, packed or not; None for what is no document file."""
    stem = name.lower()
    for ending in PACKED:
        stem = stem.removesuffix(ending)
    return next((kind for suffix, kind in _SUFFIXES.items() if stem.endswith(suffix)), None)


def extract(pieces: Sequence[Piece]) -> list[Result]:
    """Read pieces here and now."""
    return [_extracted(piece) for piece in pieces]


def _extracted(piece: Piece) -> Result:
    try:
        match piece.kind:
            case Kind.PDF:
                return read_pdf(piece.content, piece.name)
            case Kind.DOCX:
                return read_docx(piece.content, piece.name)
            case Kind.HTML:
                return read_html(piece.content, piece.name, piece.encoding)
            case Kind.MAIL | Kind.MAILBOX:
                return read_mail(piece.content, piece.name)
    except InputError as error:
        return Unreadable(str(error))
