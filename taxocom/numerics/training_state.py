"""What training takes and gives: vectors, known topics, settings, a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from taxocom.errors import SettingsError
from taxocom.numerics.arrays import Doubles, Floats2d, Ints1d, Offsets
from taxocom.numerics.sphere import unit_rows


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

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.vectors) + 1 or int(self.offsets[-1]) != len(self.ids):
            raise ValueError(
                f"{len(self.offsets)} offsets ending at {self.offsets[-1]} for {len(self.vectors)} topics and "
                f"{len(self.ids)} keywords"
            )

    @property
    def n_topics(self) -> int:
        """The number of known topics."""
        return len(self.offsets) - 1

    def keywords_of(self, topic: int) -> Ints1d:
        """Return the keyword ids of one topic."""
        return self.ids[self.offsets[topic] : self.offsets[topic + 1]]


@dataclass(frozen=True)
class TrainingSettings:
    """How vectors are trained.

    The step falls evenly from `step` to `last_step`. `sample` is word2vec's threshold of sub-sampling, 0 for none.
    `negatives_from` "contexts" is Eq. josdopt to the letter: a term against a true and a false context. "terms" is the
    same loss with the two tables exchanged, a context against a true and a false term, as the spherical embedding of
    Meng et al. has it: as good by our measures, and a fifth faster. `scaled_steps` multiplies each row's step by how
    wrong its cosine is.

    Every `topic_period` words topics step apart down to `push_margin` (None: the mean cosine of the topics at the start
    of the epoch) and pull their keywords up to `topic_margin`. `concentration_every` epochs the concentrations of the
    topics are estimated again and weigh their pull; 0 lets all pull alike. `keywords_grown` terms join each topic after
    every epoch. `shuffle` takes documents in a new order each epoch: a corpus sorted by topic otherwise teaches its
    order. `shards` and `rounds` (an epoch) are those of the reproducible mode, both at most: a short text has fewer.
    """

    epochs: int = 10
    window: int = 5
    negatives: int = 2
    margin: float = 0.3
    step: float = 0.08
    last_step: float = 0.0001
    sample: float = 1e-3
    negatives_from: Literal["terms", "contexts"] = "terms"
    scaled_steps: bool = True
    shuffle: bool = True
    document_weight: float = 1.0
    topic_weight: float = 1.0
    topic_margin: float = 0.9
    topic_period: int = 128
    push_weight: float = 1.0
    push_margin: float | None = None
    concentration_every: int = 0
    keywords_grown: int = 0
    shards: int = 8
    rounds: int = 10

    def __post_init__(self) -> None:
        for name in ("epochs", "window", "negatives", "topic_period", "shards", "rounds"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        for name in (
            "concentration_every",
            "keywords_grown",
            "document_weight",
            "topic_weight",
            "push_weight",
            "sample",
        ):
            if not getattr(self, name) >= 0:
                raise SettingsError(f"{name} is {getattr(self, name)}; it cannot be negative.")
        if not 0.0 < self.step <= 0.5:
            raise SettingsError(f"step is {self.step}; it must lie above 0 and at most at 0.5.")
        if not 0.0 <= self.last_step <= self.step:
            raise SettingsError(f"last_step is {self.last_step}; it must lie between 0 and step, {self.step}.")
        if not 0.0 < self.margin <= 1.0:
            raise SettingsError(f"margin is {self.margin}; it must lie above 0 and at most at 1.")
        if self.negatives_from not in ("terms", "contexts"):
            raise SettingsError(f"negatives_from is {self.negatives_from!r}; it must be 'terms' or 'contexts'.")

    def to_the_letter(self) -> TrainingSettings:
        """Return these settings with every choice as in Eq. josdopt: one margin for all, concentrations in the pull.

        Document pairs stay: the equation leaves them out, but the embedding it builds on has them.
        """
        return replace(
            self,
            negatives_from="contexts",
            scaled_steps=False,
            topic_margin=self.margin,
            push_margin=self.margin,
            concentration_every=1,
        )


@dataclass(frozen=True)
class TrainingResult:
    """What training gives back: vectors, and what became of the topics.

    `topic_vectors` (n_topics, dim); `concentrations[k]` is None where topic k has fewer than two keywords; `keywords`
    are the sets at the end, grown if the settings say so. `words_trained` counts running words over all epochs,
    sub-sampled ones included; `losses` is the mean loss a word in each epoch.
    """

    state: EmbeddingState
    topic_vectors: Floats2d
    concentrations: tuple[float | None, ...]
    words_trained: int
    losses: Doubles = field(repr=False)
    keywords: tuple[Ints1d, ...] = field(default=(), repr=False)


def initial_state(n_terms: int, n_documents: int, dim: int, random_state: int) -> EmbeddingState:
    """Return directions drawn uniformly from the sphere."""
    rng = np.random.default_rng(random_state)
    terms, contexts, documents = (
        unit_rows(rng.standard_normal((n, dim), dtype=np.float32)) for n in (n_terms, n_terms, n_documents)
    )
    return EmbeddingState(terms, contexts, documents)


def topic_supervision(keywords: Sequence[Ints1d], terms: Floats2d) -> TopicSupervision:
    """Start every topic at the mean direction of its keywords, whose ids are given a topic at a time."""
    offsets = np.concatenate([[0], np.cumsum([len(ids) for ids in keywords])]).astype(np.int64)
    ids = np.concatenate([*keywords, np.empty(0, np.int32)]).astype(np.int32)
    means = np.zeros((len(keywords), terms.shape[1]), dtype=np.float32)
    for topic, members in enumerate(keywords):
        if len(members) > 0:
            means[topic] = terms[members].mean(axis=0)
    return TopicSupervision(offsets, ids, unit_rows(means))
