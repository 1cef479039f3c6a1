"""The research format: `docs.txt` already segmented, `terms.txt`, and perhaps `term_integrity.txt` beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from taxocom.errors import InputError
from taxocom.text.input.documents import Document, LoadingReport
from taxocom.text.input.lines import read_lines
from taxocom.text.input.opening import file_source

DOCS, TERMS, INTEGRITY, DOC_LABELS = "docs.txt", "terms.txt", "term_integrity.txt", "doc_labels.txt"


@dataclass(frozen=True)
class GivenTerms:
    """The terms that came with a segmented corpus, and their integrity where it was given.

    A document of such a corpus is its terms, parted by spaces, the words of a phrase joined by an underscore.
    """

    terms: frozenset[str]
    integrity: Mapping[str, float]

    def sorted(self) -> list[tuple[str, float | None]]:
        """Return the terms with their integrity, in order, for a fingerprint."""
        return [(term, self.integrity.get(term)) for term in sorted(self.terms)]


def find(folder: Path, name: str) -> Path | None:
    """Return a file of the format, compressed or not, or None."""
    return next((path for end in ("", ".gz", ".xz") if (path := folder / (name + end)).is_file()), None)


def is_research_folder(folder: Path) -> bool:
    """Tell whether a folder holds a corpus in the research format."""
    return find(folder, DOCS) is not None and find(folder, TERMS) is not None


def read_given_terms(folder: Path) -> GivenTerms:
    """Read the terms and their integrity."""
    terms_path = find(folder, TERMS)
    if terms_path is None:
        raise InputError(f"{folder / TERMS} is missing. It lists the terms of {DOCS}, one per line.")
    lines = read_lines(file_source(terms_path), "utf-8", LoadingReport())
    terms = frozenset(line.text.strip().lower() for line in lines if line.text.strip())
    return GivenTerms(terms, dict(_integrity(folder)))


def _integrity(folder: Path) -> Iterator[tuple[str, float]]:
    path = find(folder, INTEGRITY)
    if path is None:
        return
    for line in read_lines(file_source(path), "utf-8", LoadingReport()):
        if not line.text.strip():
            continue
        term, _, value = line.text.strip().rpartition("\t")
        try:
            score = float(value)
        except ValueError:
            score = math.nan
        if not term or not 0.0 <= score <= 1.0:
            raise InputError(
                f"{path}, line {line.number}: {line.text!r}. A line must be a term, a tab and a number between 0 and 1."
            )
        yield term.lower(), score


def read_research(folder: Path, encoding: str, report: LoadingReport) -> Iterator[Document]:
    """Yield the documents of `docs.txt`, with the labels of `doc_labels.txt` if there is one."""
    docs_path = find(folder, DOCS)
    if docs_path is None:
        raise InputError(f"{folder / DOCS} is missing. It holds the documents, one per line.")
    labels_path = find(folder, DOC_LABELS)
    labels = iter(()) if labels_path is None else read_lines(file_source(labels_path), "utf-8", LoadingReport())
    for line in read_lines(file_source(docs_path), encoding, report):
        label = next(labels, None)
        path = () if label is None else tuple(label.text.split())
        yield Document(str(line.number), line.text, labels=path)
