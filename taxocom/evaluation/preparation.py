"""From a labelled corpus file to what a scenario is measured on: a sample, indexed without a look at the gold names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from taxocom.errors import InputError
from taxocom.evaluation.samples import take_documents
from taxocom.evaluation.scenario_report import Measured
from taxocom.evaluation.scenarios import CLASS_CAP, TopicPath, cap_classes, path_key, topic_paths
from taxocom.numerics.arrays import Offsets
from taxocom.progress import SILENT, Progress, Span
from taxocom.settings import TextSettings
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.corpus import Corpus, open_corpus
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document
from taxocom.text.input.loading import CorpusSource

HELD_OUT = 0.1
_STEP = 2000


@dataclass(frozen=True)
class Sample:
    """Which documents of a file take part, by their position among those that are read."""

    source: CorpusSource
    rows: Offsets
    n_documents: int


@dataclass(frozen=True)
class Prepared:
    """A corpus for a system to work on, and what its result is measured with."""

    corpus: Corpus
    measured: Measured


def draw_sample(
    source: CorpusSource,
    gold: Taxonomy,
    *,
    per_class: int = CLASS_CAP,
    random_state: int = 0,
    progress: Progress = SILENT,
) -> Sample:
    """Choose at most `per_class` documents of each topic; what is labelled with no topic of gold stays out."""
    known = set(topic_paths(gold))
    rows: list[int] = []
    labels: list[TopicPath] = []
    n_documents = 0
    strange: dict[str, int] = {}
    for row, document in enumerate(source.documents()):
        if row % _STEP == 0:
            progress.report(f"Reading labels ({row:,} documents so far)", 0.0)
        n_documents += 1
        if path_key(document.labels) in known:
            rows.append(row)
            labels.append(document.labels)
        else:
            label = "/".join(document.labels) or "no label"
            strange[label] = strange.get(label, 0) + 1
    if not rows:
        met = ", ".join(sorted(strange, key=lambda label: -strange[label])[:5])
        wanted = ", ".join("/".join(path) for path in list(topic_paths(gold))[:5])
        raise InputError(
            f"{source.path}: no document is labelled with a topic of the gold hierarchy. Labels met: {met}. "
            f"Topics of gold: {wanted}. Name the column of labels, or correct the hierarchy."
        )
    chosen = cap_classes(labels, per_class, random_state=random_state)
    return Sample(source, np.asarray(rows, dtype=np.int64)[chosen], n_documents)


def prepare(
    sample: Sample,
    seed: Taxonomy,
    place: Path,
    *,
    held_out: float = HELD_OUT,
    settings: TextSettings | None = None,
    random_state: int = 0,
    progress: Progress = SILENT,
) -> Prepared:
    """Index the sample into an empty directory, with the names of the seed as phrases and none of those removed.

    A share `held_out` of the documents is kept from the systems: whether terms belong together is judged on it.
    """
    index_sample(sample, seed, place, settings=settings, progress=progress)
    return set_aside(open_corpus(place), held_out=held_out, random_state=random_state)


def index_sample(
    sample: Sample,
    seed: Taxonomy,
    place: Path,
    *,
    settings: TextSettings | None = None,
    progress: Progress = SILENT,
) -> None:
    """Index the sample into an empty directory, with the names of the seed as phrases and none of those removed."""
    names = [phrase for node in seed.walk() for phrase in (node.label, *node.keywords)]
    build_corpus(documents_of(sample), place, settings=settings, seed_phrases=names, progress=Span(progress, 0.0, 1.0))


def set_aside(whole: Corpus, *, held_out: float = HELD_OUT, random_state: int = 0) -> Prepared:
    """Keep a share of the documents from the systems; 0 keeps none, and intrusion is not measured then."""
    order = np.random.default_rng(random_state).permutation(whole.n_documents)
    n_out = round(held_out * whole.n_documents)
    corpus = take_documents(whole, np.sort(order[n_out:])) if n_out else whole
    labels: Sequence[TopicPath] = list(corpus.labels)
    aside = whole.counts[np.sort(order[:n_out])] if n_out else None
    return Prepared(corpus, Measured(labels, corpus.vocabulary, corpus.counts, aside))


def documents_of(sample: Sample) -> Iterator[Document]:
    """Read the documents that take part."""
    wanted = iter(sample.rows)
    next_row = next(wanted, None)
    for row, document in enumerate(sample.source.documents()):
        if next_row is None:
            return
        if row == next_row:
            yield document
            next_row = next(wanted, None)
