"""Which topics come back when a node is expanded again with other random states, and how much alike they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from taxocom.evaluation.stability import matched_jaccard

SAME_TOPIC = 1 / 3
"""The Jaccard overlap of documents from which two clusters are the same topic: an F1 of one half, as in evaluation."""


@dataclass(frozen=True)
class FoundCluster:
    """A cluster of one run: `topic_id` is set if the topic was known before; `terms` are its first ten anchors."""

    label: str
    documents: frozenset[int]
    terms: tuple[str, ...]
    topic_id: str = ""


@dataclass(frozen=True)
class AcceptedTopic:
    """A topic that a person accepted under the node, with the documents that it holds."""

    topic_id: str
    label: str
    documents: frozenset[int]


@dataclass(frozen=True)
class TopicStability:
    """How one topic fared over the runs.

    `documents` and `terms` are the mean Jaccard overlap over all pairs of runs, in which a run that lacks the topic
    counts 0. `topic_id` is the topic in the tree, empty if it is not in it; `known` tells whether the runs were told
    of it. `n_documents` is the mean over the runs that found it.
    """

    label: str
    topic_id: str
    known: bool
    n_found: int
    documents: float
    terms: float
    n_documents: int
    top_terms: tuple[str, ...]


@dataclass(frozen=True)
class StabilityReport:
    """Every topic, least stable first, and the overlap of the new topics as a whole.

    `n_novel` counts the novel clusters of each run. `by_documents` and `by_terms` are the mean matched Jaccard of the
    novel clusters over all pairs of runs, in which two runs without any agree; None if no run found a novel cluster.
    """

    n_runs: int
    n_novel: tuple[int, ...]
    by_documents: float | None
    by_terms: float | None
    topics: tuple[TopicStability, ...]


def report_of(results: Mapping[str, Any]) -> StabilityReport | None:
    """Rebuild a report from what was kept of it, None if another version kept it and it lacks something."""
    try:
        topics = [TopicStability(**{**topic, "top_terms": tuple(topic["top_terms"])}) for topic in results["topics"]]
        return StabilityReport(**{**results, "topics": tuple(topics), "n_novel": tuple(results["n_novel"])})
    except (KeyError, TypeError):
        return None


def jaccard(first: AbstractSet[object], second: AbstractSet[object]) -> float:
    """Return the share of what either set holds that both hold, 0 for two empty sets."""
    either = len(first | second)
    return len(first & second) / either if either else 0.0


def compare_runs(runs: Sequence[Sequence[FoundCluster]], accepted: Sequence[AcceptedTopic] = ()) -> StabilityReport:
    """Compare what several random states found for one node.

    Known topics are compared by identity, novel clusters are put together by `same_clusters`. An accepted topic lends
    its name to the clusters that are the same topic; one that no run found again is listed with 0.
    """
    known: dict[str, list[FoundCluster | None]] = {}
    for number, run in enumerate(runs):
        for cluster in run:
            if cluster.topic_id:
                known.setdefault(cluster.topic_id, [None] * len(runs))[number] = cluster
    novel = [[cluster for cluster in run if not cluster.topic_id] for run in runs]
    groups = same_clusters(novel)
    owners = _owners(groups, accepted)
    topics = [_topic(members) for members in known.values()]
    topics += [_topic(members, owners.get(number)) for number, members in enumerate(groups)]
    lost = [topic for topic in accepted if topic not in owners.values()]
    topics += [TopicStability(t.label, t.topic_id, False, 0, 0.0, 0.0, len(t.documents), ()) for t in lost]
    return StabilityReport(
        n_runs=len(runs),
        n_novel=tuple(len(run) for run in novel),
        by_documents=_overall([[c.documents for c in run] for run in novel]),
        by_terms=_overall([[frozenset(c.terms) for c in run] for run in novel]),
        topics=tuple(sorted(topics, key=lambda topic: (topic.documents, topic.n_found, topic.label))),
    )


def same_clusters(runs: Sequence[Sequence[FoundCluster]]) -> list[list[FoundCluster | None]]:
    """Put clusters of different runs together that are the same topic; a group has one place for each run.

    Run by run, clusters are matched one to one to the groups so far so that the sum of overlaps is greatest; the
    overlap with a group is the mean over its members. Below `SAME_TOPIC` a cluster starts a group of its own.
    """
    groups: list[list[FoundCluster | None]] = []
    for number, run in enumerate(runs):
        overlap = np.array([[_overlap(cluster, group) for group in groups] for cluster in run])
        taken = _matched(overlap.reshape(len(run), len(groups)))
        for row, cluster in enumerate(run):
            if row in taken:
                groups[taken[row]][number] = cluster
            else:
                groups.append([cluster if place == number else None for place in range(len(runs))])
    return groups


def _overlap(cluster: FoundCluster, group: Sequence[FoundCluster | None]) -> float:
    return fmean(jaccard(cluster.documents, member.documents) for member in group if member is not None)


def _matched(overlap: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> dict[int, int]:
    """Return the column for each row that has one, by the greatest sum of overlaps that make the same topic."""
    gain = np.where(overlap >= SAME_TOPIC, overlap, 0.0)
    rows, columns = linear_sum_assignment(gain, maximize=True)
    return {int(row): int(column) for row, column in zip(rows, columns, strict=True) if gain[row, column] > 0}


def _owners(
    groups: Sequence[Sequence[FoundCluster | None]], accepted: Sequence[AcceptedTopic]
) -> Mapping[int, AcceptedTopic]:
    stand_ins = [FoundCluster(topic.label, topic.documents, ()) for topic in accepted]
    overlap = np.array([[_overlap(stand_in, group) for stand_in in stand_ins] for group in groups])
    matched = _matched(overlap.reshape(len(groups), len(accepted)))
    return {row: accepted[column] for row, column in matched.items()}


def _topic(members: Sequence[FoundCluster | None], owner: AcceptedTopic | None = None) -> TopicStability:
    found = [member for member in members if member is not None]
    pairs = list(combinations(members, 2))

    def mean_overlap(of_terms: bool) -> float:
        overlaps = [
            jaccard(frozenset(a.terms), frozenset(b.terms)) if of_terms else jaccard(a.documents, b.documents)
            for a, b in pairs
            if a is not None and b is not None
        ]
        return sum(overlaps) / len(pairs) if pairs else 1.0

    return TopicStability(
        label=owner.label if owner else found[0].label,
        topic_id=owner.topic_id if owner else found[0].topic_id,
        known=bool(found[0].topic_id),
        n_found=len(found),
        documents=mean_overlap(of_terms=False),
        terms=mean_overlap(of_terms=True),
        n_documents=round(fmean(len(member.documents) for member in found)),
        top_terms=found[0].terms,
    )


def _overall(families: Sequence[Sequence[AbstractSet[object]]]) -> float | None:
    if not any(families) or len(families) < 2:
        return None
    return fmean(matched_jaccard(first, second) for first, second in combinations(families, 2))
