"""Training of term, context, document and topic vectors on the unit sphere (Eq. josdopt)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from taxocom.errors import SettingsError
from taxocom.numerics import sgd_kernels
from taxocom.numerics.arrays import Bools1d, Doubles, Floats2d, Ints1d, Offsets
from taxocom.numerics.sampling import AliasTable, keep_thresholds
from taxocom.numerics.sphere import unit_rows
from taxocom.numerics.vmf import estimate_vmf
from taxocom.progress import SILENT, Progress

_LANES = 16
_CHUNKS_AN_EPOCH = 20


@dataclass(frozen=True)
class EmbeddingState:
    """Unit float32 vectors: `terms` and `contexts` of shape (n_terms, dim), `documents` of shape (n_documents, dim)."""

    terms: Floats2d
    contexts: Floats2d
    documents: Floats2d

    def __post_init__(self) -> None:
        dims = {table.shape[1] for table in (self.terms, self.contexts, self.documents)}
        if len(dims) != 1 or self.terms.shape != self.contexts.shape:
            raise ValueError(
                f"terms {self.terms.shape}, contexts {self.contexts.shape} and documents {self.documents.shape} "
                "do not belong together"
            )

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return int(self.terms.shape[1])


@dataclass(frozen=True)
class TopicSupervision:
    """Known topics: the keywords of topic k are `ids[offsets[k]:offsets[k + 1]]`, its vector `vectors[k]`."""

    offsets: Offsets
    ids: Ints1d
    vectors: Floats2d

    @property
    def n_topics(self) -> int:
        """The number of known topics."""
        return len(self.offsets) - 1


@dataclass(frozen=True)
class TrainingSettings:
    """How vectors are trained.

    `negatives_from` "contexts" is Eq. josdopt to the letter: a term against a true and a false context. "terms" is the
    same loss with the two tables exchanged, a context against a true and a false term, as the spherical embedding of
    Meng et al. has it. `scaled_steps` multiplies each row's step by how wrong its cosine is. `push_margin` None takes
    the mean cosine of the topics at the start of each epoch.
    """

    epochs: int = 10
    window: int = 5
    negatives: int = 2
    margin: float = 0.15
    step: float = 0.04
    last_step: float = 0.0001
    sample: float = 1e-3
    negatives_from: Literal["terms", "contexts"] = "terms"
    scaled_steps: bool = True
    document_weight: float = 1.0
    topic_weight: float = 1.0
    topic_margin: float = 0.9
    topic_period: int = 128
    push_weight: float = 1.0
    push_margin: float | None = None

    def __post_init__(self) -> None:
        for name in ("epochs", "window", "negatives", "topic_period"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        for name in ("step", "margin"):
            if not 0.0 < getattr(self, name) <= 1.0:
                raise SettingsError(f"{name} is {getattr(self, name)}; it must lie above 0 and at most at 1.")


@dataclass(frozen=True)
class TrainingResult:
    """What training gives back: vectors, and what became of the topics.

    `topic_vectors` (n_topics, dim); `concentrations[k]` is None where topic k has fewer than two keywords.
    `words_trained` counts running words over all epochs, sub-sampled ones included; `losses` is the mean loss a word in
    each epoch.
    """

    state: EmbeddingState
    topic_vectors: Floats2d
    concentrations: tuple[float | None, ...]
    words_trained: int
    losses: Doubles = field(repr=False)


def initial_state(n_terms: int, n_documents: int, dim: int, random_state: int) -> EmbeddingState:
    """Return directions drawn uniformly from the sphere."""
    rng = np.random.default_rng(random_state)
    terms, contexts, documents = (
        unit_rows(rng.standard_normal((n, dim), dtype=np.float32)) for n in (n_terms, n_terms, n_documents)
    )
    return EmbeddingState(terms, contexts, documents)


def topic_supervision(keywords: list[Ints1d], terms: Floats2d) -> TopicSupervision:
    """Start every topic at the mean direction of its keywords, whose ids are given a topic at a time."""
    offsets = np.concatenate([[0], np.cumsum([len(ids) for ids in keywords])]).astype(np.int64)
    ids = np.concatenate([*keywords, np.empty(0, np.int32)]).astype(np.int32)
    means = np.zeros((len(keywords), terms.shape[1]), dtype=np.float32)
    for topic, members in enumerate(keywords):
        if len(members) > 0:
            means[topic] = terms[members].mean(axis=0)
    return TopicSupervision(offsets, ids, unit_rows(means))


def train(
    tokens: Ints1d,
    offsets: Offsets,
    state: EmbeddingState,
    *,
    counts: npt.NDArray[np.integer],
    settings: TrainingSettings,
    random_state: int,
    topics: TopicSupervision | None = None,
    active_terms: Bools1d | None = None,
    threads: int = 1,
    reproducible: bool = True,
    progress: Progress = SILENT,
) -> TrainingResult:
    """Train copies of `state` on documents in CSR form and return them; the arrays given are not changed.

    `counts` (n_terms,) set the negatives' distribution and the sub-sampling. Terms outside `active_terms` (a mask) are
    passed over in the text and never drawn: they keep their vectors.
    """
    del threads, reproducible
    active_counts = np.asarray(counts, dtype=np.int64)
    if active_terms is not None:
        active_counts = np.where(active_terms, active_counts, 0)
    table = AliasTable(active_counts)
    running = sgd_kernels.Running(
        np.ascontiguousarray(tokens, dtype=np.int32),
        np.ascontiguousarray(offsets, dtype=np.int64),
        keep_thresholds(active_counts, settings.sample),
        table.thresholds,
        table.aliases,
    )
    terms, contexts, documents = (_padded(rows) for rows in (state.terms, state.contexts, state.documents))
    empty = TopicSupervision(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty((0, state.dim), np.float32))
    known = topics or empty
    topic_rows = _padded(known.vectors)
    hubs, spokes = (contexts, terms) if settings.negatives_from == "terms" else (terms, contexts)
    tables = sgd_kernels.Tables(hubs, spokes, terms, documents, topic_rows)
    weights = np.full(known.n_topics, settings.topic_weight, dtype=np.float32)
    keywords = sgd_kernels.Keywords(known.offsets, known.ids, weights)
    losses = np.zeros(settings.epochs)
    n_documents = len(offsets) - 1
    n_words = int(offsets[-1] - offsets[0])
    cuts = np.searchsorted(offsets, offsets[0] + np.linspace(0, n_words, _CHUNKS_AN_EPOCH + 1).astype(np.int64))
    cuts[-1] = n_documents
    steps = np.linspace(settings.step, settings.last_step, settings.epochs * _CHUNKS_AN_EPOCH + 1).astype(np.float32)
    for epoch in range(settings.epochs):
        rules = _rules(settings, topic_rows)
        seed = np.uint64((random_state * 1_000_003 + epoch) % 2**64)
        for chunk in range(_CHUNKS_AN_EPOCH):
            at = epoch * _CHUNKS_AN_EPOCH + chunk
            progress.report("Training vectors", at / (settings.epochs * _CHUNKS_AN_EPOCH))
            losses[epoch] += sgd_kernels.train_documents(
                running, tables, keywords, rules, cuts[chunk], cuts[chunk + 1], steps[at : at + 2], seed
            )
        for rows in (terms, contexts):
            rows[:] = unit_rows(rows)
    progress.report("Training vectors", 1.0)
    trained = EmbeddingState(*(unit_rows(rows[:, : state.dim]) for rows in (terms, contexts, documents)))
    concentrations = tuple(
        estimate_vmf(trained.terms[known.ids[first:last]]).concentration
        for first, last in zip(known.offsets[:-1], known.offsets[1:], strict=True)
    )
    topic_vectors = unit_rows(topic_rows[:, : state.dim])
    return TrainingResult(trained, topic_vectors, concentrations, n_words * settings.epochs, losses / max(n_words, 1))


def _padded(rows: Floats2d) -> Floats2d:
    """Return a copy with rows padded by zeros to whole vector registers; zeros change no product and stay zero."""
    width = -(-rows.shape[1] // _LANES) * _LANES
    padded = np.zeros((rows.shape[0], width), dtype=np.float32)
    padded[:, : rows.shape[1]] = rows
    return padded


def _rules(settings: TrainingSettings, topic_rows: Floats2d) -> sgd_kernels.Rules:
    push_margin = settings.push_margin
    if push_margin is None:
        pairs = np.triu_indices(len(topic_rows), 1)
        push_margin = float((topic_rows @ topic_rows.T)[pairs].mean()) if len(pairs[0]) else 1.0
    return sgd_kernels.Rules(
        settings.window,
        settings.negatives,
        np.float32(settings.margin),
        settings.scaled_steps,
        np.float32(settings.document_weight),
        settings.topic_period,
        np.float32(settings.topic_margin),
        np.float32(push_margin),
        np.float32(settings.push_weight),
    )
