"""Metrics against gold: documents of removed topics, topics recovered and placed, assignment, completeness.

Throughout, `assigned[d]` is the id of the deepest node of document d (`ROOT_ID` if it stays at the root), `gold[d]`
the path of topic names it is labelled with, and `known` maps the nodes that are not novel to the gold paths they
stand for. By default those are the nodes whose origin is not `novel`; for a system that never saw the seed, pass
`adopt_seed(...)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import f1_score, normalized_mutual_info_score

from taxocom.evaluation.matching import (
    TopicMatch,
    check_aligned,
    known_topics,
    match_topics,
    novel_nodes,
    overlaps,
)
from taxocom.evaluation.scenarios import Scenario, TopicPath, path_key, topic_paths
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy


@dataclass(frozen=True)
class DetectionScores:
    """Precision, recall and F1 of "this document belongs to a removed topic", with the counts they come from."""

    precision: float
    recall: float
    f1: float
    n_predicted: int
    n_gold: int
    n_both: int


def detect_removed_documents(
    taxonomy: Taxonomy,
    assigned: Sequence[str],
    gold: Sequence[TopicPath],
    removed: Sequence[TopicPath],
    *,
    known: Mapping[str, TopicPath] | None = None,
) -> DetectionScores:
    """Score how well documents of removed topics are told apart from the rest.

    Counted over all documents. Predicted: any node on the document's path is novel; with `known` given, any node below
    the last known one, since a tree built without the seed may hold a known topic below an unknown node. Gold: its
    label path is a removed topic or lies below one. A ratio without a denominator is 0.
    """
    check_aligned(taxonomy, assigned, gold)
    novel = set(novel_nodes(taxonomy, known))
    if known is None:
        is_novel = {n: not novel.isdisjoint([*taxonomy.ancestors_of(n), n]) for n in set(assigned)}
    else:
        is_novel = {n: n in novel for n in set(assigned)}
    gone = {path_key(path) for path in removed}
    is_gone = {label: _starts_with_any(path_key(label), gone) for label in set(gold)}
    predicted = np.array([is_novel[node_id] for node_id in assigned], dtype=bool)
    wanted = np.array([is_gone[label] for label in gold], dtype=bool)
    n_both, n_predicted, n_gold = int((predicted & wanted).sum()), int(predicted.sum()), int(wanted.sum())
    return DetectionScores(
        precision=_ratio(n_both, n_predicted),
        recall=_ratio(n_both, n_gold),
        f1=_ratio(2 * n_both, n_predicted + n_gold),
        n_predicted=n_predicted,
        n_gold=n_gold,
        n_both=n_both,
    )


def _starts_with_any(path: TopicPath, prefixes: set[TopicPath]) -> bool:
    return any(path[:length] in prefixes for length in range(1, len(path) + 1))


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0


@dataclass(frozen=True)
class RecoveredTopic:
    """What became of one removed topic: its match, and whether a recovered one sits under the right parent."""

    match: TopicMatch
    recovered: bool
    placed: bool


@dataclass(frozen=True)
class RecoveryScores:
    """What became of every removed topic, and the novel nodes that are none of them.

    The counts named `topmost` leave out removed topics whose parent was removed too.
    """

    topics: tuple[RecoveredTopic, ...]
    spurious: tuple[str, ...]
    n_novel: int
    n_recovered: int
    n_placed: int
    n_topmost: int
    n_topmost_recovered: int

    @property
    def n_removed(self) -> int:
        """The number of removed topics, nested ones included."""
        return len(self.topics)

    @property
    def recall(self) -> float:
        """The share of removed topics that were recovered."""
        return _ratio(self.n_recovered, self.n_removed)

    @property
    def precision(self) -> float:
        """The share of novel nodes that are a recovered topic."""
        return _ratio(self.n_recovered, self.n_novel)

    @property
    def placement(self) -> float:
        """The share of recovered topics that sit under the right parent."""
        return _ratio(self.n_placed, self.n_recovered)

    @property
    def matched(self) -> dict[str, TopicPath]:
        """The novel nodes that are a recovered topic, and which."""
        return {t.match.node_id: t.match.path for t in self.topics if t.recovered and t.match.node_id is not None}


def score_recovery(
    taxonomy: Taxonomy,
    assigned: Sequence[str],
    gold: Sequence[TopicPath],
    scenario: Scenario,
    *,
    known: Mapping[str, TopicPath] | None = None,
) -> RecoveryScores:
    """Match removed topics to novel nodes and count what was recovered, where it was put, and what is spurious.

    Matched one to one by the F1 of document sets (`match_topics`), removed topics below removed topics included. A
    topic is recovered at F1 >= 0.5. A novel node that is not the match of a recovered topic is spurious. A recovered
    topic is placed if its node's parent is the gold parent: the root for a first-level topic, the node of the same
    seed topic, or the node that recovered the removed parent.
    """
    standing = dict(known_topics(taxonomy) if known is None else known)
    novel = novel_nodes(taxonomy, known)
    counted = overlaps(taxonomy, assigned, gold, novel, scenario.removed)
    matches = match_topics(taxonomy, counted)
    if known is None:
        standing.update(_seed_ids(taxonomy, scenario.seed))
    standing.update({m.node_id: m.path for m in matches if m.found and m.node_id is not None})
    topics = tuple(RecoveredTopic(match, match.found, _is_placed(taxonomy, match, standing)) for match in matches)
    topmost = set(scenario.topmost_removed)
    recovered = [topic for topic in topics if topic.recovered]
    used = {topic.match.node_id for topic in recovered}
    return RecoveryScores(
        topics=topics,
        spurious=tuple(node_id for node_id in novel if node_id not in used),
        n_novel=len(novel),
        n_recovered=len(recovered),
        n_placed=sum(topic.placed for topic in recovered),
        n_topmost=len(topmost),
        n_topmost_recovered=sum(topic.match.path in topmost for topic in recovered),
    )


def _seed_ids(taxonomy: Taxonomy, seed: Taxonomy) -> dict[str, TopicPath]:
    """Return the seed's topics that the tree still holds under their ids: a renamed one keeps its gold path."""
    kept = (node.node_id for node in seed.walk() if node.node_id in taxonomy)
    return {node_id: path_key(seed.path_of(node_id)) for node_id in kept if taxonomy[node_id].origin != "novel"}


def _is_placed(taxonomy: Taxonomy, match: TopicMatch, standing: Mapping[str, TopicPath]) -> bool:
    if not match.found or match.node_id is None:
        return False
    parent = taxonomy.parent_of(match.node_id)
    wanted = match.path[:-1]
    return parent == ROOT_ID if not wanted else standing.get(parent or ROOT_ID) == wanted


@dataclass(frozen=True)
class LevelScores:
    """How well documents are assigned at one level of the gold hierarchy (1 is below the root)."""

    level: int
    nmi: float
    macro_f1: float
    micro_f1: float
    n_documents: int
    n_topics: int


def score_assignment(
    taxonomy: Taxonomy, assigned: Sequence[str], gold: Sequence[TopicPath], standing: Mapping[str, TopicPath]
) -> list[LevelScores]:
    """Score the assignment of documents at each level that the labels reach.

    Counted at level l: the documents labelled down to it. NMI compares the node at depth l on a document's path (its
    deepest one if the path is shorter) with its label, so it needs no matching. For F1, `standing` says which gold
    topic a node is (known nodes and matches, `standing_topics`); the predicted topic is the first l steps of the
    deepest node on the path that stands for one. A document under a node that stands for nothing, or assigned less
    deep than l, is predicted "none", which is wrong. Macro F1 is the mean over gold topics of the level; micro F1
    therefore equals the share of documents assigned rightly.
    """
    check_aligned(taxonomy, assigned, gold)
    keys = [path_key(label) for label in gold]
    lineages = {n: [*taxonomy.ancestors_of(n), n][1:] for n in set(assigned)}
    predicted = {n: _standing_path(lineage, standing) for n, lineage in lineages.items()}
    scores = []
    for level in range(1, max((len(key) for key in keys), default=0) + 1):
        rows = [row for row, key in enumerate(keys) if len(key) >= level]
        wanted = ["/".join(keys[row][:level]) for row in rows]
        topics = sorted(set(wanted))
        given = ["/".join(predicted[assigned[row]][:level]) for row in rows]
        given = [name if len(predicted[assigned[row]]) >= level else "" for name, row in zip(given, rows, strict=True)]
        clusters = [(lineages[assigned[row]][:level] or [ROOT_ID])[-1] for row in rows]
        scores.append(
            LevelScores(
                level=level,
                nmi=float(normalized_mutual_info_score(wanted, clusters)),
                macro_f1=float(f1_score(wanted, given, labels=topics, average="macro", zero_division=0)),
                micro_f1=_ratio(sum(w == g for w, g in zip(wanted, given, strict=True)), len(rows)),
                n_documents=len(rows),
                n_topics=len(topics),
            )
        )
    return scores


def _standing_path(lineage: Sequence[str], standing: Mapping[str, TopicPath]) -> TopicPath:
    """Return the gold path of the deepest node that stands for one, marked as gone astray below it."""
    path: TopicPath = ()
    for node_id in lineage:
        if node_id in standing:
            path = standing[node_id]
        elif len(path) > 0:
            path = (*path, "?")
    return path


def standing_topics(
    taxonomy: Taxonomy, recovery: RecoveryScores, *, known: Mapping[str, TopicPath] | None = None
) -> dict[str, TopicPath]:
    """Return which gold topic each node stands for: known topics by identity, novel ones by what they recovered."""
    return {**(known_topics(taxonomy) if known is None else known), **recovery.matched}


@dataclass(frozen=True)
class CompletenessScores:
    """How much of the gold hierarchy the tree covers.

    `by_documents` is the share of gold topics with a node that matches (F1 >= 0.5); `mean_f1` grades the same matching;
    `by_identity` counts a seed topic as covered because its node is there, whatever its documents.
    """

    by_documents: float
    mean_f1: float
    by_identity: float
    n_topics: int
    matches: tuple[TopicMatch, ...]


def score_completeness(
    taxonomy: Taxonomy,
    assigned: Sequence[str],
    gold: Sequence[TopicPath],
    gold_tree: Taxonomy,
    standing: Mapping[str, TopicPath],
) -> CompletenessScores:
    """Score the share of gold topics that have a node of their own.

    Counted over all topics of the gold tree, both levels. All nodes, known and novel, are matched to all gold topics
    one to one by documents alone, so that systems with and without a seed are treated alike.
    """
    paths = topic_paths(gold_tree)
    node_ids = [node.node_id for node in taxonomy.walk()]
    matches = match_topics(taxonomy, overlaps(taxonomy, assigned, gold, node_ids, paths))
    covered = set(standing.values())
    return CompletenessScores(
        by_documents=_ratio(sum(match.found for match in matches), len(paths)),
        mean_f1=_ratio(sum(match.f1 for match in matches), len(paths)),
        by_identity=_ratio(sum(path in covered for path in paths), len(paths)),
        n_topics=len(paths),
        matches=tuple(matches),
    )
