"""A batch that joins a project: what it costs beside reading all texts, and whether documents go to the same topics.

The tree is complete. Nine tenths of the texts are read first, the last tenth is appended; beside it stands a project
that was made of everything at once. How far two such projects would agree that differ in nothing but the random start
of the main directions is what can be hoped for at most. In a third project something was decided before the batch.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.tagging import read_labelled
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import Project, create_project
from taxocom.store.projects.batches import NewTexts, append_batch
from taxocom.store.projects.document_places import document_places, project_witnesses
from taxocom.tagging.tagger import tag
from taxocom.tagging.witnesses import main_directions
from taxocom.taxonomy.decisions import AddNote
from taxocom.text.input.documents import Document

SAMPLES = (("20news", 0), ("arxiv", 600))


def run(corpora: Path | None = None) -> str:
    """Measure on real corpora and return the table."""
    if corpora is None:
        return "No corpora were given: `make bench CORPORA=folder NAMES=growing`."
    rows = [_measure(corpora / name, most) for name, most in SAMPLES]
    header = (
        "corpus", "read first", "appended", "seconds of a processor for all", "for the batch", "share",
        "at the topic they have at once: all / the new", "two at once, another random start",
        "at the right topic: in batches / at once", "something decided: moved of those that were there",
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
            for_batch = _timed(lambda: _append(parts, documents[n_first:]))
            after, at_once, elsewhere = places_of(parts), places_of(whole), _from_another_start(whole)
        with create_project("decided", seed=labelled.tree) as decided:
            read_first(decided, documents[:n_first])
            decided.record(AddNote(next(iter(labelled.tree.walk())).node_id, "looked at"), author="benchmark")
            before = places_of(decided)
            _append(decided, documents[n_first:])
            moved = sum(topic != before[each] for each, topic in places_of(decided).items() if each in before)
    new = [each.document_id for each in documents[n_first:]]
    gold = dict(zip(corpus.document_ids, labelled.gold, strict=True))
    agree = [np.mean([after[each] == at_once[each] for each in some]) for some in (at_once, new)]
    at_most = np.mean([elsewhere[each] == at_once[each] for each in at_once])
    right = [np.mean([labelled.tree.path_of(of[each]) == gold[each] for each in of]) for of in (after, at_once)]
    share = f"{for_batch / for_all:.2f}"
    numbers = (f"{n_first:,}", f"{len(new):,}", f"{for_all:.1f}", f"{for_batch:.1f}", share)
    shares = (f"{agree[0]:.3f} / {agree[1]:.3f}", f"{at_most:.3f}", f"{right[0]:.3f} / {right[1]:.3f}")
    return (folder.name, *numbers, *shares, f"{moved:,}")


def _append(project: Project, documents: Sequence[Document]) -> None:
    append_batch(project, NewTexts(documents, True), progress=SILENT)


def _from_another_start(project: Project) -> dict[str, str]:
    """Return where documents would be had the search for main directions begun at another random place."""
    witnesses, corpus = project_witnesses(project), project.corpus()
    other = replace(witnesses, directions=main_directions(witnesses.damped, random_state=1))
    tags = tag(other, corpus.vocabulary, project.seed())
    return {each: tags.classes[best].node_id for each, best in zip(corpus.document_ids, tags.best(), strict=True)}


def _timed(do: Callable[[], object]) -> float:
    before = os.times()
    do()
    after = os.times()
    # The processes that helped, too: all of them have ended by then.
    return sum(after[:4]) - sum(before[:4])


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
