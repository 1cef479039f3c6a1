"""Two trees differ in just what was done to one of them."""

from taxocom.taxonomy.decisions import AddTopic, EditDefinition, MoveTopic, RemoveTopic, RenameTopic, apply
from taxocom.taxonomy.tree import ROOT_ID, TopicNode, topic_id
from taxocom.ui.compare import compare
from tests.ui.fabricate import seed_tree

SPORT, POLITICS, FOOTBALL, BUSINESS = (topic_id(label) for label in ("sport", "politics", "football", "business"))


def test_a_tree_does_not_differ_from_itself():
    assert compare(seed_tree(), seed_tree()) == []


def test_each_kind_of_change_is_told_once():
    before = after = seed_tree()
    for decision in (
        RenameTopic(SPORT, "Sports"),
        MoveTopic(FOOTBALL, POLITICS),
        AddTopic(ROOT_ID, TopicNode("w", "Weather")),
        EditDefinition(POLITICS, "Who governs."),
        RemoveTopic(BUSINESS),
    ):
        after = apply(after, decision)
    told = [(change.kind, change.path, change.detail) for change in compare(before, after)]
    assert told == [
        ("edited", "Politics", "definition"),
        ("moved", "Politics › Football", "was under Sport"),
        ("renamed", "Sports", "was Sport"),
        ("added", "Weather", "manual"),
        ("removed", "Business", ""),
    ]
