"""Which node stands for which gold topic: one-to-one matching by the F1 of their document sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from taxocom.errors import InputError
from taxocom.evaluation.scenarios import TopicPath, path_key
from taxocom.numerics.arrays import Doubles
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy

RECOVERED_F1 = 0.5


@dataclass(frozen=True)
class TopicMatch:
    """A gold topic, the node matched to it (None if there was none left) and the F1 of their document sets."""

    path: TopicPath
    node_id: str | None
    f1: float
    precision: float
    recall: float

    @property
    def found(self) -> bool:
        """Whether the match is good enough to say that the node is the topic."""
        return self.node_id is not None and self.f1 >= RECOVERED_F1


@dataclass(frozen=True)
class Overlaps:
    """How many documents nodes and topics share.

    `shared` has shape (n_nodes, n_topics). The documents of a node are those assigned to it or below it; those of a
    topic are labelled with it or below it.
    """

    node_ids: tuple[str, ...]
    paths: tuple[TopicPath, ...]
    shared: Doubles
    node_sizes: Doubles
    topic_sizes: Doubles

    @property
    def f1(self) -> Doubles:
        """The F1 of every pair of document sets, 0 where both are empty; shape (n_nodes, n_topics)."""
        total = self.node_sizes[:, None] + self.topic_sizes[None, :]
        return np.divide(2.0 * self.shared, total, out=np.zeros_like(self.shared), where=total > 0)


def check_aligned(taxonomy: Taxonomy, assigned: Sequence[str], gold: Sequence[TopicPath]) -> None:
    """Raise unless every document has one node of the tree and one label path."""
    if len(assigned) != len(gold):
        raise InputError(f"{len(assigned)} documents are assigned but {len(gold)} are labelled; both need one each.")
    strange = next((node_id for node_id in assigned if node_id not in taxonomy), None)
    if strange is not None:
        raise InputError(f"A document is assigned to {strange!r}, which is not a topic of the tree.")


def known_topics(taxonomy: Taxonomy) -> dict[str, TopicPath]:
    """Return the topics that were given rather than found: their ids and the paths of gold topics that they are."""
    return {
        node.node_id: path_key(taxonomy.path_of(node.node_id)) for node in taxonomy.walk() if node.origin != "novel"
    }


def overlaps(
    taxonomy: Taxonomy,
    assigned: Sequence[str],
    gold: Sequence[TopicPath],
    node_ids: Sequence[str],
    paths: Sequence[TopicPath],
) -> Overlaps:
    """Count the documents that each of these nodes shares with each of these topics."""
    check_aligned(taxonomy, assigned, gold)
    nodes = _membership(
        [[*taxonomy.ancestors_of(n), n] for n in set(assigned)], list(set(assigned)), assigned, node_ids
    )
    keys = [path_key(label) for label in gold]
    distinct = list(set(keys))
    topics = _membership([[key[:i] for i in range(1, len(key) + 1)] for key in distinct], distinct, keys, paths)
    return Overlaps(
        node_ids=tuple(node_ids),
        paths=tuple(paths),
        shared=np.asarray((nodes.T @ topics).toarray(), dtype=np.float64),
        node_sizes=np.asarray(nodes.sum(axis=0), dtype=np.float64).ravel(),
        topic_sizes=np.asarray(topics.sum(axis=0), dtype=np.float64).ravel(),
    )


def _membership(
    lineages: Sequence[Sequence[object]], heads: Sequence[object], members: Sequence[object], columns: Sequence[object]
) -> sparse.csr_array:
    """Return the 0/1 matrix (n_members, n_columns): which columns are in the lineage of each member."""
    column_of = {column: i for i, column in enumerate(columns)}
    of_head = {
        head: [column_of[step] for step in lineage if step in column_of]
        for head, lineage in zip(heads, lineages, strict=True)
    }
    rows = [of_head[member] for member in members]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    indices = np.fromiter((column for row in rows for column in row), dtype=np.int64)
    return sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=(len(members), len(columns)))


def match_topics(taxonomy: Taxonomy, counted: Overlaps) -> list[TopicMatch]:
    """Match topics to nodes one to one so that the sum of F1 is greatest; pairs that share no document stay unmatched.

    The matching never turns the hierarchy upside down: if a node is matched to a topic, no node below it is matched
    to a topic above that one. Where the best sum would do so, the weaker of the two pairs is forbidden and the rest
    solved again. Equal sums are decided for the node whose depth is the topic's.
    """
    f1 = counted.f1
    depths = np.array([taxonomy.depth_of(node_id) for node_id in counted.node_ids])
    levels = np.array([len(path) for path in counted.paths])
    # Far below any difference that a document makes, so that it settles ties alone.
    gain = np.where(f1 > 0, f1 - 1e-9 * np.abs(depths[:, None] - levels[None, :]), 0.0) if f1.size else f1
    while True:
        rows, columns = linear_sum_assignment(gain, maximize=True)
        pairs = {int(c): int(r) for r, c in zip(rows, columns, strict=True) if gain[r, c] > 0}
        inverted = _inverted_pair(taxonomy, counted, pairs, gain)
        if inverted is None:
            break
        gain[pairs[inverted], inverted] = 0.0
    return [_topic_match(counted, column, pairs.get(column)) for column in range(len(counted.paths))]


def _inverted_pair(taxonomy: Taxonomy, counted: Overlaps, pairs: Mapping[int, int], gain: Doubles) -> int | None:
    """Return the column of the weaker pair of two that stand upside down to each other, None if no two do."""
    above = {row: set(taxonomy.ancestors_of(counted.node_ids[row])) for row in pairs.values()}
    for upper, upper_row in pairs.items():
        for lower, lower_row in pairs.items():
            shorter, longer = counted.paths[upper], counted.paths[lower]
            nested = len(shorter) < len(longer) and longer[: len(shorter)] == shorter
            if nested and counted.node_ids[lower_row] in above[upper_row]:
                return upper if gain[upper_row, upper] <= gain[lower_row, lower] else lower
    return None


def _topic_match(counted: Overlaps, column: int, row: int | None) -> TopicMatch:
    if row is None:
        return TopicMatch(counted.paths[column], None, 0.0, 0.0, 0.0)
    shared = counted.shared[row, column]
    return TopicMatch(
        path=counted.paths[column],
        node_id=counted.node_ids[row],
        f1=float(counted.f1[row, column]),
        precision=float(shared / counted.node_sizes[row]),
        recall=float(shared / counted.topic_sizes[column]),
    )


def adopt_seed(
    taxonomy: Taxonomy, assigned: Sequence[str], gold: Sequence[TopicPath], seed: Taxonomy
) -> dict[str, TopicPath]:
    """Say which nodes of a tree that was built without the seed are the seed's topics.

    Every node may stand for one seed topic, matched by documents and kept at F1 >= 0.5: what a person who knows the
    labels would recognise. It is generous to such a system, since it never saw the seed. All other nodes count as
    novel.
    """
    node_ids = [node.node_id for node in taxonomy.walk()]
    counted = overlaps(taxonomy, assigned, gold, node_ids, [path_key(seed.path_of(n.node_id)) for n in seed.walk()])
    return {m.node_id: m.path for m in match_topics(taxonomy, counted) if m.node_id is not None and m.found}


def novel_nodes(taxonomy: Taxonomy, known: Mapping[str, TopicPath] | None = None) -> list[str]:
    """Return the ids of the novel topics, parents before children: all that are not known and not the root."""
    if known is None:
        return [node.node_id for node in taxonomy.walk() if node.origin == "novel"]
    return [node.node_id for node in taxonomy.walk() if node.node_id not in known and node.node_id != ROOT_ID]
