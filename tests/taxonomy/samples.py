"""A small tree, and logs of decisions on it."""

from __future__ import annotations

from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode


def tree_of(*rows: tuple[str, str, str]) -> Taxonomy:
    tree = Taxonomy.empty()
    for node_id, label, parent_id in rows:
        tree = tree.with_topic(TopicNode(node_id, label), parent_id)
    return tree


NEWS = tree_of(
    ("sport", "Sport", ROOT_ID),
    ("law", "Law", ROOT_ID),
    ("soccer", "Soccer", "sport"),
    ("tennis", "Tennis", "sport"),
    ("courts", "Courts", "law"),
)


def outline(tree: Taxonomy) -> list[str]:
    return ["/".join(tree.path_of(node.node_id)) for node in tree.walk()]


def logged(*decided: d.Decision) -> list[d.LoggedDecision]:
    return [
        d.LoggedDecision(number, decision, "Ada", "2026-11-16T10:00:00Z") for number, decision in enumerate(decided)
    ]
