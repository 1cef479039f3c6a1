"""One document as it was read, and the checks that every document passes before it is indexed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

_COMPARED = 6
MOST_NAMED = 100
"""Of files that were left out so many are named; the others are counted."""


@dataclass(frozen=True)
class Document:
    """A document: its id (unique in a corpus), raw text, and what else the source said of it.

    `labels` is a path of topic names, broad to narrow, empty without labels; `date` is as the source wrote it.
    """

    document_id: str
    text: str
    title: str = ""
    labels: tuple[str, ...] = ()
    date: str = ""


@dataclass
class LoadingReport:
    """What reading came across; the counts grow while documents are read and are whole once all have been.

    `n_replaced_characters` counts the marks of lost characters in the text, whether lost by us (bytes that the encoding
    could not read) or by whoever wrote the file. `fraction` is about how much of the source has been read. `repeats`
    maps the id of every document left out as a repetition to the one that stands for it. `unreadable` has the reasons
    of the first of the `n_unreadable` files that were left out on request, by their names; `n_other_files` are those
    of kinds that hold no documents.
    """

    n_read: int = 0
    n_kept: int = 0
    n_empty: int = 0
    n_duplicate: int = 0
    n_replaced_characters: int = 0
    n_renamed_ids: int = 0
    n_unreadable: int = 0
    n_other_files: int = 0
    fraction: float = 0.0
    repeats: dict[str, str] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)


class EarlierTexts:
    """Documents that passed the checks before. A new text is compared with those alone that begin with its words."""

    def __init__(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        self.ids = ids
        self._texts = texts
        self._rows: dict[str, list[int]] = {}
        self._digests: dict[str, dict[int, str]] = {}
        for row, text in enumerate(texts):
            self._rows.setdefault(_start(text.split(None, _COMPARED)), []).append(row)

    def same_as(self, words: Sequence[str], digest: int) -> str | None:
        """Return the id of the document with the same text, None if there is none."""
        start = _start(words)
        if start not in self._digests:
            rows = self._rows.get(start, ())
            self._digests[start] = {_digest(_words(self._texts[row])): self.ids[row] for row in rows}
        return self._digests[start].get(digest)


def _start(words: Sequence[str]) -> str:
    return " ".join(words[:_COMPARED]).lower()


def _words(text: str) -> list[str]:
    return text.lower().split()


def _digest(words: Sequence[str]) -> int:
    return int.from_bytes(hashlib.blake2b("\n".join(words).encode("utf-8", "replace"), digest_size=8).digest())


def checked(
    documents: Iterable[Document], report: LoadingReport, earlier: EarlierTexts | None = None
) -> Iterator[Document]:
    """Yield the documents that have text of their own, each under an id of its own, and count the others.

    Two documents are the same when they differ in case and white space only. A repeated or missing id gets a suffix.
    """
    kept_as: dict[int, str] = {}
    ids = set(earlier.ids) if earlier else set()
    for document in documents:
        report.n_read += 1
        words = _words(document.text)
        if not words:
            report.n_empty += 1
            continue
        digest = _digest(words)
        before = kept_as.get(digest) or (earlier.same_as(words, digest) if earlier else None)
        if before is not None:
            report.n_duplicate += 1
            if document.document_id and document.document_id not in ids:
                report.repeats[document.document_id] = before
            continue
        document_id = _unique_id(document.document_id, ids, report)
        kept_as[digest] = document_id
        ids.add(document_id)
        report.n_kept += 1
        yield document if document_id == document.document_id else replace(document, document_id=document_id)


def _unique_id(wanted: str, taken: set[str], report: LoadingReport) -> str:
    if wanted and wanted not in taken:
        return wanted
    report.n_renamed_ids += 1
    number = 2 if wanted else report.n_read
    stem = wanted or "document"
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"


@dataclass(frozen=True)
class Extracted:
    """The text of a document, and what its file says of it; `part` names it among several in one file."""

    text: str
    title: str = ""
    date: str = ""
    part: str = ""
