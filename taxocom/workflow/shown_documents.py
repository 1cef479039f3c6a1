"""Documents as they are shown to be judged: title, one telling sentence, and the topic that each is in now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.errors import InputError
from taxocom.numerics.arrays import Ints1d
from taxocom.store import Project
from taxocom.store.projects.document_places import document_places, repeats
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.text.terms.passages import passages

_READ = 3_000
_OPENING = 240


@dataclass(frozen=True)
class ShownDocument:
    """A document with a sentence of it; `highlights` are the places of the marked terms, `n_marked` how many terms."""

    document_id: str
    title: str
    topic_id: str
    topic: str
    sentence: str
    highlights: tuple[tuple[int, int], ...] = ()
    n_marked: int = 0


def show_documents(project: Project, rows: Sequence[int], terms: Sequence[str]) -> list[ShownDocument]:
    """Return documents with the sentence of each that holds most of the terms, or with their first lines."""
    corpus, places = project.corpus(), document_places(project)
    found = []
    for row in rows:
        text = corpus.texts[row][:_READ]
        quoted = passages([text], 0, terms, 1, language=corpus.language)
        node_id = places.node_of(row)
        found.append(
            ShownDocument(
                document_id=corpus.document_ids[row],
                title=corpus.titles[row] if len(corpus.titles) else "",
                topic_id=node_id,
                topic="" if node_id == ROOT_ID else places.tree[node_id].label,
                sentence=quoted[0].text if quoted else text[:_OPENING],
                highlights=tuple((mark.start, mark.stop) for mark in quoted[0].highlights) if quoted else (),
                n_marked=len({mark.term for mark in quoted[0].highlights}) if quoted else 0,
            )
        )
    return found


def document_rows(project: Project, document_ids: Sequence[str]) -> Ints1d:
    """Return the rows of documents by their ids; one that is not there is an InputError. A repetition has a row too."""
    if not document_ids:
        return np.empty(0, dtype=np.int32)
    row_of = {each: row for row, each in enumerate(project.corpus().document_ids)}
    stands_for = repeats(project)
    found = []
    for each in document_ids:
        row = row_of.get(stands_for.get(each, each))
        if row is None:
            raise InputError(f"There is no document {each!r} in this project. `taxocom documents` lists ids.")
        found.append(row)
    return np.array(list(dict.fromkeys(found)), dtype=np.int32)
