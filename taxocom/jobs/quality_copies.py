"""The copy of a project's labelled documents that an evaluation works on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from taxocom.errors import JobError
from taxocom.evaluation.coherence import hold_out
from taxocom.evaluation.preparation import HELD_OUT, Prepared
from taxocom.evaluation.samples import take_documents
from taxocom.evaluation.scenario_report import Measured
from taxocom.evaluation.scenarios import cap_classes, path_key, topic_paths
from taxocom.numerics.arrays import Offsets
from taxocom.progress import Progress
from taxocom.settings import TextSettings
from taxocom.store import Project
from taxocom.store.projects.corpus_reading import corpus_reading
from taxocom.taxonomy.preflight import names_and_keywords
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.corpus import open_corpus
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document
from taxocom.text.input.research import GivenTerms, is_research_folder, read_given_terms


def sample_rows(project: Project, gold: Taxonomy, per_class: int) -> Offsets:
    """Return the rows of the documents that take part: those labelled with a gold topic, up to a number of each."""
    labels = list(project.corpus().labels)
    wanted = set(topic_paths(gold))
    rows = [row for row, label in enumerate(labels) if path_key(label) in wanted]
    if not rows:
        met = ", ".join(dict.fromkeys("/".join(label) for label in labels if label)) or "none at all"
        raise JobError(
            f"No document is labelled with a topic of the hierarchy. Labels met: {met[:200]}. Topics of the "
            f"hierarchy: {', '.join('/'.join(path) for path in sorted(wanted))[:200]}. Choose another hierarchy."
        )
    chosen = cap_classes([labels[row] for row in rows], per_class)
    return np.asarray(rows, dtype=np.int64)[chosen]


def prepare_copy(project: Project, seed: Taxonomy, rows: Offsets, place: Path, progress: Progress) -> Prepared:
    """Index the documents into an empty directory and keep a tenth from the engine, to judge terms by."""
    build_corpus(
        _documents(project, rows),
        place,
        settings=_text_settings(project),
        seed_phrases=names_and_keywords(seed),
        given_terms=_given_terms(project),
        progress=progress,
    )
    whole = open_corpus(place)
    aside = hold_out(whole.n_documents, share=HELD_OUT)
    corpus = take_documents(whole, np.setdiff1d(np.arange(whole.n_documents), aside))
    measured = Measured(list(corpus.labels), corpus.vocabulary, corpus.counts, whole.counts[aside])
    return Prepared(corpus, measured)


def _documents(project: Project, rows: Offsets) -> Iterator[Document]:
    corpus = project.corpus()
    for row in map(int, rows):
        yield Document(corpus.document_ids[row], corpus.texts[row], title=corpus.titles[row], labels=corpus.labels[row])


def _given_terms(project: Project) -> GivenTerms | None:
    """Return the terms of a corpus that came segmented, as long as its folder is there; None for any other."""
    artifact = project.used_for("corpus")
    source = Path(str(artifact.details.get("source") or "")) if artifact else Path()
    return read_given_terms(source) if source.is_absolute() and is_research_folder(source) else None


def _text_settings(project: Project) -> TextSettings:
    """Return how the texts were read last, in the language that was settled then.

    Phrases kept by hand are left to be found, they may be a topic's name.
    """
    reading = corpus_reading(project)
    settings = reading.text_settings() if reading else TextSettings()
    return replace(settings, kept_phrases=(), language=project.corpus().language)
