"""Every number a person may set, with its default and its range."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from taxocom.errors import SettingsError


@dataclass(frozen=True)
class TextSettings:
    """How text becomes terms.

    `language` is an ISO 639-1 code ("de"); None tells it from the texts. `stop_words` None means those of the language;
    an empty tuple means none. `max_words` bounds the words of a phrase,
    `min_count` the occurrences a term needs to enter the vocabulary (seed names need one), `phrase_threshold` is the
    lowest significance of a phrase, an NPMI of cautious counts. `kept_phrases` are terms wherever they occur,
    `dropped_phrases` are never made one; what is in both, or in the seed, is kept.
    """

    min_count: int = 5
    max_words: int = 4
    phrase_threshold: float = 0.3
    stop_words: tuple[str, ...] | None = None
    max_terms: int = 50_000
    kept_phrases: tuple[str, ...] = ()
    dropped_phrases: tuple[str, ...] = ()
    language: str | None = None

    def __post_init__(self) -> None:
        if self.language is not None and not 2 <= len(self.language) <= 8:
            raise SettingsError(f"language is {self.language!r}; it must be a code of ISO 639-1, such as de, or None.")
        _at_least("min_count", self.min_count, 1)
        _between("max_words", self.max_words, 1, 6)
        _between("phrase_threshold", self.phrase_threshold, 0.0, 1.0)
        _at_least("max_terms", self.max_terms, 100)


@dataclass(frozen=True)
class EmbeddingSettings:
    """How terms become directions (Sec. 4.2).

    `spectral_start` begins training at the singular vectors of the corpus instead of at random, so that a third of the
    epochs reach the same loss. `local_epochs` are run for every node expanded, warm from the project's vectors.
    `keywords_grown` terms, the nearest, join each known sub-topic's keywords after every local epoch; over three seeds
    of 20 Newsgroups three of them gave a mean F1 of 0.64 on removed topics and none 0.66, so none is the default.
    `paper_objective` trains by Eq. josdopt to the letter (`TrainingSettings.to_the_letter`) instead of by the steps of
    the spherical embedding it builds on.
    """

    dim: int = 100
    epochs: int = 4
    local_epochs: int = 2
    window: int = 5
    negatives: int = 2
    margin: float = 0.15
    step: float = 0.04
    spectral_start: bool = True
    discriminative: bool = True
    keywords_grown: int = 0
    paper_objective: bool = False
    reproducible: bool = True

    def __post_init__(self) -> None:
        _between("dim", self.dim, 2, 1000)
        _at_least("epochs", self.epochs, 0)
        _at_least("local_epochs", self.local_epochs, 0)
        _at_least("window", self.window, 1)
        _at_least("negatives", self.negatives, 1)
        _between("margin", self.margin, 0.01, 1.0)
        _between("step", self.step, 0.0001, 0.5)
        _at_least("keywords_grown", self.keywords_grown, 0)


@dataclass(frozen=True)
class TaggingSettings:
    """How documents are given to topics by the topics' names.

    `lexicon` is whether words that a text does not use may speak for it (`taxocom.tagging.lexicon`), where there is a
    lexicon. `lexicon_weight` is what a cosine of 1 adds to the evidence of a topic, beside the logarithm of how often
    the text says its name.
    """

    lexicon: bool = True
    lexicon_weight: float = 5.0

    def __post_init__(self) -> None:
        _between("lexicon_weight", self.lexicon_weight, 0.0, 100.0)


@dataclass(frozen=True)
class ExpansionSettings:
    """How a node is expanded (Sec. 4.3). The defaults are ours; `ExpansionSettings.paper()` is the paper's rule.

    Parameters
    ----------
    discovery
        "facets": novel topics are groups of documents that no known topic is confused with (ARCHITECTURE.md,
        departure 1). "terms": the paper's split of the terms by novelty, then spherical k-means.
    novelty_threshold
        Facets: how unexplained documents must be to be a new topic, in [0, 1]; at 0.5 they may be explained as well as
        `tagging.practice.GATE` says, at 1 not at all.
    n_neighbours
        Facets: how many of the documents that share most rare terms with it every document is drawn to before they
        are cut into facets. 0 leaves each where its terms' vectors put it.
    n_readings
        Facets: how often the documents are cut into facets, each time from another random start; a novel cluster must
        be found in most of these readings. 1 takes the first as it is.
    threshold_exponent, lower_threshold_exponent
        Terms: the paper's beta, and its value below the root where that differs; None takes the threshold from the
        shape of the novelty distribution.
    size_floor
        A novel cluster needs this share of the documents of a typical known leaf.
    allow_none
        Whether "nothing is missing here" is an answer.
    hand_down_terms
        Below the root only the terms that were anchors of the topic when the topic above it was expanded are clustered
        (Algorithm 1). False considers every term that the topic's documents use.
    """

    embedding: EmbeddingSettings = field(default_factory=lambda: EmbeddingSettings())
    tagging: TaggingSettings = field(default_factory=lambda: TaggingSettings())
    discovery: Literal["facets", "terms"] = "facets"
    n_retrieval_terms: int = 50
    novelty_threshold: float = 0.5
    n_neighbours: int = 15
    n_readings: int = 3
    temperature: float = 0.1
    threshold_exponent: float | None = None
    lower_threshold_exponent: float | None = None
    significance_threshold: float = 0.2
    max_novel: int = 8
    topical_terms_only: bool = True
    min_topicality: float = 0.2
    min_document_frequency: int = 10
    subtree_directions: bool = True
    allow_none: bool = True
    hand_down_terms: bool = False
    size_floor: float = 0.35
    better_names: bool = True
    local_embedding: bool = True

    def __post_init__(self) -> None:
        _between("novelty_threshold", self.novelty_threshold, 0.0, 1.0)
        _between("n_neighbours", self.n_neighbours, 0, 100)
        _between("n_readings", self.n_readings, 1, 9)
        _between("temperature", self.temperature, 1e-3, 10.0)
        for name in ("threshold_exponent", "lower_threshold_exponent"):
            if getattr(self, name) is not None:
                _at_least(name, getattr(self, name), 0.1)
        _between("significance_threshold", self.significance_threshold, 0.0, 1.0)
        _between("max_novel", self.max_novel, 1, 50)
        _between("size_floor", self.size_floor, 0.0, 10.0)

    @classmethod
    def paper(cls) -> ExpansionSettings:
        """Return the paper's rule: every departure off, its values for the rest (its supplement, A.2)."""
        return cls(
            embedding=EmbeddingSettings(
                epochs=10, local_epochs=5, margin=0.3, spectral_start=False, paper_objective=True
            ),
            discovery="terms",
            n_neighbours=0,
            n_readings=1,
            n_retrieval_terms=100,
            threshold_exponent=1.5,
            lower_threshold_exponent=3.0,
            significance_threshold=0.3,
            max_novel=5,
            topical_terms_only=False,
            subtree_directions=False,
            allow_none=False,
            hand_down_terms=True,
            better_names=False,
        )

    def exponent(self, *, below_root: bool) -> float | None:
        """Return the paper's beta for a node, None where the shape of the novelty distribution decides."""
        if below_root and self.lower_threshold_exponent is not None:
            return self.lower_threshold_exponent
        return self.threshold_exponent

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ExpansionSettings:
        """Read settings back from `dataclasses.asdict`; an unknown name is an error that says so."""
        known = {known.name for known in fields(cls)}
        # Proposals that were kept before the tagger came name a setting that nothing needs any more.
        unknown = sorted(set(values) - known - {"admission"})
        if unknown:
            raise SettingsError(f"There is no setting {unknown[0]!r}. Settings: {', '.join(sorted(known))}.")
        rest = {name: value for name, value in values.items() if name in known}
        for name, kind in (("embedding", EmbeddingSettings), ("tagging", TaggingSettings)):
            if isinstance(rest.get(name), Mapping):
                rest[name] = kind(**rest[name])
        return cls(**rest)


@dataclass(frozen=True)
class ReadingLimits:
    """What the process that reads a stranger's file may use (`taxocom.reading`).

    `memory`, in bytes, is what it may write to; files that it maps do not count. `seconds` is how long it may take,
    or go on without a sign of progress where it gives any. What needs most is SKOS: 100,000 topics in 41 MiB of
    Turtle take 1.4 GiB and 39 seconds of a processor, the same topics as JSON or CSV a quarter of the memory and an
    eighth of the time, and the first look at a corpus, which is streamed, less. So honest files seldom meet 2 GiB,
    which leave room for the app on a machine of 4, nor 120 seconds, on a busy machine. Backups are copied and checked
    whole, at 50 MB a second or more; between two signs of progress lies at most one pass over all of it, and five
    times as long allows for 30 GB.
    """

    memory: int = 2 * 2**30
    seconds: float = 120.0

    def __post_init__(self) -> None:
        _between("TAXOCOM_READING_GIB", self.memory / 2**30, 0.5, 1024)
        _between("TAXOCOM_READING_SECONDS", self.seconds, 1, 86_400)

    @classmethod
    def from_environment(cls) -> ReadingLimits:
        """Return the limits, as TAXOCOM_READING_GIB and TAXOCOM_READING_SECONDS say where they are set."""
        memory = _number("TAXOCOM_READING_GIB", cls.memory / 2**30)
        return cls(int(memory * 2**30), _number("TAXOCOM_READING_SECONDS", cls.seconds))

    def for_backups(self) -> ReadingLimits:
        """Return the limits for backups, which may be many times larger than any other file."""
        return replace(self, seconds=5 * self.seconds)


@dataclass(frozen=True)
class JobLimits:
    """How long a job may go on without a report before it is taken to be stuck and ended.

    `idle` is for one that does nothing meanwhile: no thread of it runs, waits for the disk, or uses the processor.
    Nothing that a job does waits for anything else without a report, so a minute of that is a lock that nobody will
    open. `silent` is for one that is busy: the longest steps without a report, compiling UMAP on a slow machine with
    others at work, take minutes; half an hour is a loop without an end.
    """

    idle: float = 60.0
    silent: float = 1800.0

    def __post_init__(self) -> None:
        _between("TAXOCOM_JOB_IDLE_SECONDS", self.idle, 1, 86_400)
        _between("TAXOCOM_JOB_SILENT_SECONDS", self.silent, self.idle, 864_000)

    @classmethod
    def from_environment(cls) -> JobLimits:
        """Return the limits, as TAXOCOM_JOB_IDLE_SECONDS and TAXOCOM_JOB_SILENT_SECONDS say where they are set."""
        return cls(_number("TAXOCOM_JOB_IDLE_SECONDS", cls.idle), _number("TAXOCOM_JOB_SILENT_SECONDS", cls.silent))


def _number(name: str, default: float) -> float:
    text = os.environ.get(name, "").strip()
    try:
        return float(text) if text else default
    except ValueError:
        raise SettingsError(f"{name} is {text!r}; it must be a number.") from None


def _at_least(name: str, value: float, low: float) -> None:
    if not value >= low:
        raise SettingsError(f"{name} is {value}; it must be at least {low}.")


def _between(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise SettingsError(f"{name} is {value}; it must lie between {low} and {high}.")
