"""What practice lets us say of a proposal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from taxocom.expansion.proposals.proposal import CoverageGap, HiddenTopic, NodeExpansion
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.workflow.practice_words import doubts, practice_line

TREE = Taxonomy.empty("News")
for name in ("arts", "law", "sport", "war"):
    TREE = TREE.with_topic(TopicNode(name, name.title(), center_term=name), ROOT_ID)


def expansion(*found: bool, n_others: int = 0, unexplained: float = 0.0) -> NodeExpansion:
    practice = tuple(
        HiddenTopic(topic.node_id, 0.8 if is_found else 0.1, is_found, n_others)
        for topic, is_found in zip(TREE.children_of(ROOT_ID), found, strict=False)
    )
    said = SimpleNamespace(practice=practice, gap_after=CoverageGap(0.0, unexplained))
    return cast(NodeExpansion, said)


def test_what_was_found_again_and_what_was_not_is_named() -> None:
    assert practice_line(expansion(True, True, False, True, n_others=1), TREE) == (
        "Practice: 4 known topics were hidden, one at a time. 3 were found again (not Sport), "
        "and 4 other new topics came up."
    )
    assert practice_line(expansion(True, True, True), TREE) == (
        "Practice: 3 known topics were hidden, one at a time. All were found again, and no other new topic came up."
    )
    assert "1 was found again (not Arts, Law)" in practice_line(expansion(False, False, True), TREE)
    assert "None were found again, and" in practice_line(expansion(False, False, False), TREE)


def test_without_practice_nothing_is_said_of_it() -> None:
    assert practice_line(expansion(), TREE) == ""
    assert doubts(expansion()) == []


def test_a_topic_that_was_removed_since_is_not_named() -> None:
    assert "(not Law)" in practice_line(expansion(False, False, True), TREE.without("arts"))


def test_nothing_is_missing_only_if_practice_went_well_and_the_documents_fit() -> None:
    assert doubts(expansion(True, True, True, False)) == []
    (overlooked,) = doubts(expansion(True, True, False, False))
    assert overlooked.startswith("Only 2 of 4 known topics were found again")
    (unexplained,) = doubts(expansion(True, True, True, unexplained=0.2))
    assert unexplained == "20% of the documents fit no known topic well."
