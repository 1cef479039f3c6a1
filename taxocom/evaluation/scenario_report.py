"""Everything that was measured of one run, in a form that can be stored, compared and shown."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from scipy import sparse

from taxocom.errors import InputError
from taxocom.evaluation.coherence import (
    N_TOP_TERMS,
    count_cooccurrence,
    score_coherency,
    score_coverage,
    score_diversity,
    score_intrusion,
)
from taxocom.evaluation.matching import adopt_seed
from taxocom.evaluation.metrics import (
    DetectionScores,
    LevelScores,
    RecoveryScores,
    detect_removed_documents,
    score_assignment,
    score_completeness,
    score_recovery,
    standing_topics,
)
from taxocom.evaluation.name_scores import NAME_RANKS, NameScores, score_names
from taxocom.evaluation.scenarios import Scenario, TopicPath
from taxocom.evaluation.systems import SystemResult
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.terms.vocabulary import Vocabulary


@dataclass(frozen=True)
class RemovedTopicRow:
    """What became of one removed topic; `node` is the path of the novel node matched to it, empty if no node was."""

    topic: str
    node: str
    f1: float
    precision: float
    recall: float
    recovered: bool
    placed: bool
    name_position: int | None


@dataclass(frozen=True)
class NovelTopicRow:
    """One novel node: where it is, the removed topic that it recovered (empty if spurious), its terms and names."""

    node: str
    topic: str
    n_documents: int
    top_terms: tuple[str, ...]
    suggestions: tuple[str, ...]


@dataclass(frozen=True)
class RecoveryCounts:
    """How many topics were removed, recovered and placed rightly, and how many novel nodes are spurious."""

    n_removed: int
    n_recovered: int
    n_placed: int
    n_novel: int
    n_spurious: int
    n_topmost: int
    n_topmost_recovered: int


@dataclass(frozen=True)
class QualityScores:
    """What is measured of the tree as a whole; `intrusion` is None without held-out documents."""

    coherency: float
    intrusion: float | None
    diversity: float
    completeness: float
    completeness_graded: float
    completeness_by_identity: float
    gap_before: float
    gap_after: float


@dataclass(frozen=True)
class NameHits:
    """The share of recovered topics with the gold name among the first 1, 3 and 5 suggestions."""

    n_topics: int
    first: float
    among_3: float
    among_5: float


@dataclass(frozen=True)
class EvaluationReport:
    """Every number of one system on one scenario with one random state.

    `seconds` are by the clock, `cpu_seconds` those of the processor, which a busy machine leaves as they are.
    `levels` scores the system's own assignment of documents, `downstream` that of a weakly supervised classifier
    trained on its topics (empty if none was run).
    """

    corpus: str
    scenario: str
    system: str
    note: str
    random_state: int
    seconds: float
    cpu_seconds: float
    n_documents: int
    detection: DetectionScores
    recovery: RecoveryCounts
    removed: tuple[RemovedTopicRow, ...]
    novel: tuple[NovelTopicRow, ...]
    levels: tuple[LevelScores, ...]
    downstream: tuple[LevelScores, ...]
    quality: QualityScores
    names: NameHits

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> EvaluationReport:
        """Rebuild a report from `to_dict`; raises `InputError` naming the field that is missing or strange."""
        return _rebuild(cls, values, "report")  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Measured:
    """What a run is measured with: labels of all documents, their counts, and those of documents that were held out."""

    labels: Sequence[TopicPath]
    vocabulary: Vocabulary
    counts: sparse.csr_array
    held_out: sparse.csr_array | None = None


@dataclass(frozen=True)
class RunFacts:
    """What a report says of a run besides its scores."""

    corpus: str
    system: str
    note: str = ""
    random_state: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0


def evaluate(
    result: SystemResult,
    scenario: Scenario,
    measured: Measured,
    facts: RunFacts,
    *,
    downstream: Sequence[str] | None = None,
) -> EvaluationReport:
    """Measure what a system made of a scenario.

    `downstream` is the assignment of documents by a classifier that was trained on the system's topics.
    """
    tree, assigned, labels = result.taxonomy, result.assigned, measured.labels
    known = None if result.seeded else adopt_seed(tree, assigned, labels, scenario.seed)
    recovery = score_recovery(tree, assigned, labels, scenario, known=known)
    standing = standing_topics(tree, recovery, known=known)
    names = score_names(recovery, result.suggestions)
    return EvaluationReport(
        corpus=facts.corpus,
        scenario=scenario.name,
        system=facts.system,
        note=facts.note,
        random_state=facts.random_state,
        seconds=facts.seconds,
        cpu_seconds=facts.cpu_seconds,
        n_documents=len(labels),
        detection=detect_removed_documents(tree, assigned, labels, scenario.removed, known=known),
        recovery=_recovery_counts(recovery),
        removed=_removed_rows(tree, recovery, names),
        novel=_novel_rows(result, recovery),
        levels=tuple(score_assignment(tree, assigned, labels, standing)),
        downstream=tuple(score_assignment(tree, downstream, labels, standing)) if downstream is not None else (),
        quality=_quality(result, scenario, measured, standing),
        names=NameHits(names.n_topics, *(names.hits[rank] for rank in NAME_RANKS)),
    )


def _quality(
    result: SystemResult, scenario: Scenario, measured: Measured, standing: Mapping[str, TopicPath]
) -> QualityScores:
    tree, terms = result.taxonomy, result.top_terms
    complete = score_completeness(tree, result.assigned, measured.labels, scenario.gold, standing)
    coverage = score_coverage(tree, result.assigned)
    intrusion = None
    if measured.held_out is not None:
        held_out = count_cooccurrence(terms, measured.vocabulary, measured.held_out)
        intrusion = score_intrusion(tree, terms, held_out).mean
    return QualityScores(
        coherency=score_coherency(terms, count_cooccurrence(terms, measured.vocabulary, measured.counts)).mean,
        intrusion=intrusion,
        diversity=score_diversity(tree, terms),
        completeness=complete.by_documents,
        completeness_graded=complete.mean_f1,
        completeness_by_identity=complete.by_identity,
        gap_before=coverage.gap_before,
        gap_after=coverage.gap_after,
    )


def _recovery_counts(recovery: RecoveryScores) -> RecoveryCounts:
    return RecoveryCounts(
        n_removed=recovery.n_removed,
        n_recovered=recovery.n_recovered,
        n_placed=recovery.n_placed,
        n_novel=recovery.n_novel,
        n_spurious=len(recovery.spurious),
        n_topmost=recovery.n_topmost,
        n_topmost_recovered=recovery.n_topmost_recovered,
    )


def _removed_rows(tree: Taxonomy, recovery: RecoveryScores, names: NameScores) -> tuple[RemovedTopicRow, ...]:
    return tuple(
        RemovedTopicRow(
            topic="/".join(topic.match.path),
            node="/".join(tree.path_of(topic.match.node_id)) if topic.match.node_id else "",
            f1=topic.match.f1,
            precision=topic.match.precision,
            recall=topic.match.recall,
            recovered=topic.recovered,
            placed=topic.placed,
            name_position=names.positions.get("/".join(topic.match.path)),
        )
        for topic in recovery.topics
    )


def _novel_rows(result: SystemResult, recovery: RecoveryScores) -> tuple[NovelTopicRow, ...]:
    held = {topic.node_id: topic.n_documents for topic in score_coverage(result.taxonomy, result.assigned).topics}
    return tuple(
        NovelTopicRow(
            node="/".join(result.taxonomy.path_of(node_id)),
            topic="/".join(recovery.matched.get(node_id, ())),
            n_documents=held[node_id],
            top_terms=tuple(result.top_terms.get(node_id, ())[:N_TOP_TERMS]),
            suggestions=tuple(result.suggestions.get(node_id, ())[: max(NAME_RANKS)]),
        )
        for node_id in [*recovery.matched, *recovery.spurious]
    )


def _rebuild(kind: Any, value: Any, where: str) -> Any:
    """Make a value of a dataclass, tuple, optional or plain type from what JSON gave."""
    if isinstance(kind, type) and is_dataclass(kind):
        if not isinstance(value, Mapping):
            raise InputError(f"{where} should be an object but is {value!r}. Delete the file and run the cell again.")
        hints = get_type_hints(kind)
        names = [field.name for field in fields(kind)]
        missing = [name for name in names if name not in value]
        if missing:
            raise InputError(f"{where} lacks {', '.join(missing)}. Delete the file and run the cell again.")
        return kind(**{name: _rebuild(hints[name], value[name], f"{where}.{name}") for name in names})
    if get_origin(kind) is tuple:
        return tuple(_rebuild(get_args(kind)[0], item, where) for item in value)
    if get_origin(kind) in (Union, types.UnionType):
        inner = next(arg for arg in get_args(kind) if arg is not types.NoneType)
        return None if value is None else _rebuild(inner, value, where)
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted):
        raise InputError(f"{where} should be {kind.__name__} but is {value!r}. Delete the file and run the cell again.")
    return value
