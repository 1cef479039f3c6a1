"""Training of term, context, document and topic vectors on the unit sphere (Eq. josdopt).

The objective is the paper's: term and context pairs and, after the spherical text embedding it builds on, document and
term pairs under one margin; keywords pulled to their topics; topics pushed apart. `sgd_kernels` has the steps.

*Reproducible*, the default: the text of an epoch is cut into rounds, a round into as many chunks as there are shards.
Each shard trains its chunk on private copies of the term, context and topic vectors; `merging` then brings the copies
together in a fixed order. The number of shards depends on settings and text, never on threads, so neither do the bytes.
A document vector belongs to one chunk and needs no copy. Memory: (shards + 1) times the two term tables, 0.2 GiB at
25,000 terms of 100 dimensions. On 20 Newsgroups one shard, and two to eight merged 5 to 60 times an epoch, give vectors
alike within noise; eight shards and ten rounds, the default, take no more processor time than free-running does.

*Free-running*: all threads write to the same tables, and what one overwrites of another's is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from taxocom.numerics import merging, sgd_kernels, topic_kernels
from taxocom.numerics.arrays import Bools1d, Floats1d, Ints1d, Offsets
from taxocom.numerics.sampling import AliasTable, keep_thresholds
from taxocom.numerics.sphere import unit_rows
from taxocom.numerics.training_state import (
    EmbeddingState,
    TopicSupervision,
    TrainingResult,
    TrainingSettings,
    initial_state,
    topic_supervision,
)
from taxocom.numerics.vector_rows import lanes_of, padded_rows
from taxocom.numerics.vmf import estimate_vmf
from taxocom.progress import SILENT, Progress

__all__ = [
    "EmbeddingState",
    "TopicSupervision",
    "TrainingResult",
    "TrainingSettings",
    "initial_state",
    "topic_supervision",
    "train",
]

_STAGE = "Training vectors"
_MERGE_BLOCK = 2048
# A merge reads and writes every copy of every active term; this many words of training take ten times as long.
_ROUND_WORDS_A_TERM = 5
# A shard should see at least this many words between two merges; a small corpus has one shard and no merges.
_SHARD_WORDS = 2_000
_WEIGHT_LIMIT = 4.0

_Run = Callable[[Sequence[Callable[[], Any]]], list[Any]]


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
    passed over in the text and never drawn: they keep their vectors. When `reproducible`, the same arguments give the
    same bytes on any number of threads; otherwise threads write to the same rows as they please.
    """
    used = np.asarray(counts, dtype=np.int64)
    if active_terms is not None:
        used = np.where(active_terms, used, 0)
    _check(tokens, offsets, state, used)
    none = TopicSupervision(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty((0, state.dim), np.float32))
    trainer = _Trainer(tokens, offsets, state, used, topics or none, settings, random_state, reproducible)
    with _runner(threads) as run:
        for epoch in range(settings.epochs):
            trainer.train_epoch(epoch, run, progress)
    progress.report(_STAGE, 1.0)
    return trainer.result()


def _check(tokens: Ints1d, offsets: Offsets, state: EmbeddingState, counts: npt.NDArray[np.int64]) -> None:
    n_terms, n_documents = len(state.terms), len(state.documents)
    if len(counts) != n_terms:
        raise ValueError(f"{len(counts)} counts for {n_terms} term vectors")
    if len(offsets) != n_documents + 1:
        raise ValueError(f"{len(offsets) - 1} documents for {n_documents} document vectors")
    if len(tokens) and not 0 <= int(tokens.min()) <= int(tokens.max()) < n_terms:
        raise ValueError(f"token ids reach from {tokens.min()} to {tokens.max()}, but there are {n_terms} terms")


@contextmanager
def _runner(threads: int) -> Iterator[_Run]:
    """Give a function that makes calls on some threads and returns their results in order."""
    if threads <= 1:
        yield lambda calls: [call() for call in calls]
        return
    with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="train") as pool:
        yield lambda calls: list(pool.map(lambda call: call(), calls))


class _Trainer:
    """The tables under training and one epoch's work on them."""

    def __init__(
        self,
        tokens: Ints1d,
        offsets: Offsets,
        state: EmbeddingState,
        counts: npt.NDArray[np.int64],
        topics: TopicSupervision,
        settings: TrainingSettings,
        random_state: int,
        reproducible: bool,
    ) -> None:
        table = AliasTable(counts)
        self.text = sgd_kernels.Text(
            np.ascontiguousarray(tokens, dtype=np.int32),
            np.ascontiguousarray(offsets, dtype=np.int64),
            keep_thresholds(counts, settings.sample),
            table.thresholds,
            table.aliases,
        )
        self.settings = settings
        self.random_state = random_state
        self.dim = state.dim
        self.active = np.flatnonzero(counts > 0)
        self.lengths = np.diff(self.text.offsets)
        self.n_words = int(self.lengths.sum())
        self.losses = np.zeros(settings.epochs)
        self.keywords = [topics.keywords_of(topic) for topic in range(topics.n_topics)]
        self.weights: Floats1d = np.full(topics.n_topics, settings.topic_weight, dtype=np.float32)
        shared = (state.terms, state.contexts, topics.vectors)
        self.documents = padded_rows(state.documents)[0]
        self.terms, self.contexts, self.topics = (padded_rows(table)[0] for table in shared)
        self._plan(reproducible)
        self.copies: list[npt.NDArray[np.float32]] = []
        if self.n_shards > 1:
            self.copies = [padded_rows(table, self.n_shards) for table in shared]

    def _plan(self, reproducible: bool) -> None:
        """Decide on rounds an epoch and chunks a round, from settings and text alone."""
        settings = self.settings
        self.n_shards, self.n_chunks, self.n_rounds = 1, settings.shards, settings.rounds
        if reproducible:
            affordable = self.n_words // (_ROUND_WORDS_A_TERM * max(len(self.active), 1))
            n_rounds = max(1, min(settings.rounds, affordable))
            self.n_shards = max(1, min(settings.shards, self.n_words // (n_rounds * _SHARD_WORDS)))
            self.n_chunks = self.n_shards
            if self.n_shards > 1:
                self.n_rounds = n_rounds

    def train_epoch(self, epoch: int, run: _Run, progress: Progress) -> None:
        """Pass once over the text, in rounds of one chunk a shard with a merge after each."""
        settings = self.settings
        if settings.concentration_every and epoch % settings.concentration_every == 0:
            self._weigh_topics()
        rules = self._rules()
        keywords, merges = self._packed_keywords(), self._merges()
        seed = np.random.SeedSequence([self.random_state, epoch]).generate_state(1, np.uint64)[0]
        order = np.arange(len(self.lengths))
        if settings.shuffle:
            np.random.default_rng([self.random_state, epoch]).shuffle(order)
        ends = np.cumsum(self.lengths[order])
        n_rounds, n_chunks = self.n_rounds, self.n_chunks
        cuts = np.searchsorted(ends, np.linspace(0.0, self.n_words, n_rounds * n_chunks + 1), side="right")
        cuts[0], cuts[-1] = 0, len(order)
        steps = np.linspace(settings.step, settings.last_step, settings.epochs * n_rounds + 1).astype(np.float32)
        for at in range(n_rounds):
            done = epoch * n_rounds + at
            progress.report(_STAGE, done / (settings.epochs * n_rounds))
            calls = []
            for chunk in range(n_chunks):
                place = at * n_chunks + chunk
                documents = order[cuts[place] : cuts[place + 1]]
                tables = self._tables(chunk)
                calls.append(
                    partial(
                        sgd_kernels.train_documents,
                        self.text,
                        tables,
                        keywords,
                        rules,
                        documents,
                        steps[done : done + 2],
                        seed,
                        lanes_of(self.dim),
                    )
                )
            self.losses[epoch] += sum(run(calls))
            run(merges)
        if settings.keywords_grown:
            self._grow_keywords()

    def result(self) -> TrainingResult:
        """Return the vectors, unpadded and of length 1."""
        terms, contexts, documents, topics = (
            unit_rows(table[:, : self.dim]) for table in (self.terms, self.contexts, self.documents, self.topics)
        )
        return TrainingResult(
            EmbeddingState(terms, contexts, documents),
            topics,
            tuple(estimate_vmf(terms[ids]).concentration for ids in self.keywords),
            self.n_words * self.settings.epochs,
            self.losses / max(self.n_words, 1),
            tuple(self.keywords),
        )

    def _tables(self, shard: int) -> sgd_kernels.Tables:
        terms, contexts, topics = self.terms, self.contexts, self.topics
        if self.copies:
            terms, contexts, topics = (copies[shard] for copies in self.copies)
        hubs, spokes = (contexts, terms) if self.settings.negatives_from == "terms" else (terms, contexts)
        return sgd_kernels.Tables(hubs, spokes, terms, self.documents, topics)

    def _merges(self) -> list[Callable[[], None]]:
        """Return the calls that bring the shards' copies together, or only lengths back to 1 where there are none.

        They touch different rows, so it does not matter which thread makes which.
        """
        pulled = np.unique(np.concatenate([*self.keywords, np.empty(0, np.int32)])).astype(np.int64)
        free = np.setdiff1d(self.active, pulled)
        topics = np.arange(len(self.topics))
        calls: list[Callable[[], None]] = []
        for which, rows, average in ((0, free, False), (0, pulled, True), (1, self.active, False), (2, topics, True)):
            base = (self.terms, self.contexts, self.topics)[which]
            for first in range(0, len(rows), _MERGE_BLOCK):
                block = rows[first : first + _MERGE_BLOCK]
                if self.copies:
                    calls.append(partial(merging.merge_rows, base, self.copies[which], block, average))
                else:
                    calls.append(partial(merging.normalise_rows, base, block))
        return calls

    def _rules(self) -> sgd_kernels.Rules:
        settings = self.settings
        push_margin = settings.push_margin
        if push_margin is None:
            pairs = np.triu_indices(len(self.topics), 1)
            push_margin = float((self.topics @ self.topics.T)[pairs].mean()) if len(pairs[0]) else 1.0
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

    def _packed_keywords(self) -> topic_kernels.Keywords:
        offsets = np.concatenate([[0], np.cumsum([len(ids) for ids in self.keywords])]).astype(np.int64)
        ids = np.concatenate([*self.keywords, np.empty(0, np.int32)]).astype(np.int32)
        return topic_kernels.Keywords(offsets, ids, self.weights)

    def _weigh_topics(self) -> None:
        """Let each topic pull in proportion to its concentration, as the gradient of the vMF likelihood does.

        The mean concentration goes into the step: in a hundred dimensions concentrations are in the hundreds.
        """
        found = [estimate_vmf(unit_rows(self.terms[ids])).concentration for ids in self.keywords]
        known = [kappa for kappa in found if kappa is not None]
        if not known:
            return
        mean = float(np.mean(known))
        relative = np.array([1.0 if kappa is None else kappa / mean for kappa in found])
        limited = np.clip(relative, 1.0 / _WEIGHT_LIMIT, _WEIGHT_LIMIT)
        self.weights = (self.settings.topic_weight * limited).astype(np.float32)

    def _grow_keywords(self) -> None:
        """Add to each topic the terms nearest to it that are nearer to no other topic and are nobody's keyword yet."""
        if not self.keywords:
            return
        free = np.setdiff1d(self.active, np.concatenate(self.keywords))
        cosines = self.terms[free] @ self.topics.T
        nearest = cosines.argmax(axis=1)
        for topic, ids in enumerate(self.keywords):
            own = np.flatnonzero(nearest == topic)
            best = own[np.argsort(-cosines[own, topic], kind="stable")[: self.settings.keywords_grown]]
            self.keywords[topic] = np.concatenate([ids, free[best].astype(np.int32)])
