"""One document as it was read, and the checks that every document passes before it is indexed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

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


def checked(documents: Iterable[Document], report: LoadingReport) -> Iterator[Document]:
    """Yield the documents that have text of their own, each under an id of its own, and count the others.

    Two documents are the same when they differ in case and white space only. A repeated or missing id gets a suffix.
    """
    kept_as: dict[int, str] = {}
    ids: set[str] = set()
    for document in documents:
        report.n_read += 1
        words = document.text.lower().split()
        if not words:
            report.n_empty += 1
            continue
        digest = int.from_bytes(hashlib.blake2b("\n".join(words).encode("utf-8", "replace"), digest_size=8).digest())
        if digest in kept_as:
            report.n_duplicate += 1
            if document.document_id and document.document_id not in ids:
                report.repeats[document.document_id] = kept_as[digest]
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
