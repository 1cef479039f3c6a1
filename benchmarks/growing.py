"""A batch that joins a project: what it costs beside reading all texts, and whether documents go to the same topics.

The tree is complete. Nine tenths of the texts are read first, the last tenth is appended; beside it stands a project
that was made of everything at once.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.tagging import read_labelled
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import Project, create_project
from taxocom.store.projects.batches import NewTexts, append_batch
from taxocom.store.projects.document_places import document_places
from taxocom.text.input.documents import Document

SAMPLES = (("20news", 0), ("arxiv", 1500))


def run(corpora: Path | None = None) -> str:
    """Measure on real corpora and return the table."""
    if corpora is None:
        return "No corpora were given: `make bench CORPORA=folder NAMES=growing`."
    rows = [_measure(corpora / name, most) for name, most in SAMPLES]
    header = (
        "corpus", "read first", "appended", "seconds of a processor for all", "for the batch", "share",
        "new documents at the topic they have in a project made of all at once", "at the right topic: here / there",
        "moved of those that were there",
    )  # fmt: skip
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines)


def _measure(folder: Path, most: int) -> tuple[str, ...]:
    labelled = read_labelled(folder, most)
    corpus = labelled.corpus
    documents = [Document(*each) for each in zip(corpus.document_ids, corpus.texts, strict=True)]
    n_first = len(documents) * 9 // 10
    with tempfile.TemporaryDirectory(prefix="taxocom-growing-") as home:
        os.environ["TAXOCOM_HOME"] = home
        with create_project("whole", seed=labelled.tree) as whole, create_project("parts", seed=labelled.tree) as parts:
            for_all = _timed(lambda: read_first(whole, documents))
            read_first(parts, documents[:n_first])
            before = places_of(parts)
            batch = NewTexts(documents[n_first:], True)
            for_batch = _timed(lambda: append_batch(parts, batch, progress=SILENT))
            after, at_once = places_of(parts), places_of(whole)
    new = [each.document_id for each in documents[n_first:]]
    agree = np.mean([after[each] == at_once[each] for each in new])
    gold = dict(zip(corpus.document_ids, labelled.gold, strict=True))
    right = [
        np.mean([labelled.tree.path_of(topics[each]) == gold[each] for each in new]) for topics in (after, at_once)
    ]
    moved = sum(after[each] != topic for each, topic in before.items())
    share = f"{for_batch / for_all:.2f}"
    numbers = (f"{n_first:,}", f"{len(new):,}", f"{for_all:.0f}", f"{for_batch:.0f}", share)
    return (folder.name, *numbers, f"{agree:.3f}", f"{right[0]:.3f} / {right[1]:.3f}", f"{moved:,}")


def _timed(do: Callable[[], object]) -> float:
    spent = time.process_time()
    do()
    return time.process_time() - spent


def read_first(project: Project, documents: Sequence[Document]) -> None:
    """Index documents as the first texts of a project."""
    file = project.path.parent / "texts.jsonl"
    dated = [{"date": each.date} if each.date else {} for each in documents]
    rows = [{"id": each.document_id, "text": each.text, **date} for each, date in zip(documents, dated, strict=True)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    index(project, {"source": str(file)}, SILENT)


def places_of(project: Project) -> dict[str, str]:
    """Return the topic of every document, by its id."""
    places = document_places(project)
    return {each: places.node_of(row) for row, each in enumerate(project.corpus().document_ids)}
