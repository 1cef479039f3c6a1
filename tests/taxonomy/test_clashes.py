"""Decisions that do not get in each other's way give the same tree in either order; those that do are found."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from taxocom.errors import DecisionError
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.clashes import Touched
from taxocom.taxonomy.decisions import LoggedDecision, Timeline
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode


def seed() -> Taxonomy:
    tree = Taxonomy.empty("News")
    for top in range(4):
        tree = tree.with_topic(TopicNode(f"t{top}", f"Topic {top}", keywords=("word", f"word {top}")), ROOT_ID)
        for below in range(3):
            tree = tree.with_topic(TopicNode(f"t{top}-{below}", f"Sub {below}"), f"t{top}")
    return tree


def after(*decisions: d.Decision) -> Timeline:
    return Timeline(seed(), [LoggedDecision(n, each) for n, each in enumerate(decisions, start=1)])


def clash(theirs: d.Decision, mine: d.Decision) -> bool:
    """Tell whether a decision made on the seed clashes with one that was recorded meanwhile."""
    timeline = after(theirs)
    before: Touched = timeline.touched_since(0)
    try:
        timeline.record(LoggedDecision(2, mine))
    except DecisionError:
        return True
    return timeline.touched_since(1).clashes_with(before)


def new(name: str) -> TopicNode:
    return TopicNode(f"new-{name}", name)


CLASHES = {
    "the same topic": (d.EditDefinition("t1", "a"), d.AddNote("t1", "b")),
    "the same new name": (d.RenameTopic("t1", "Other"), d.RenameTopic("t2", "Other")),
    "the same name under one topic": (d.AddTopic("t1", new("x")), d.AddTopic("t1", TopicNode("y", "X"))),
    "a topic that is gone": (d.RemoveTopic("t1"), d.EditDefinition("t1", "a")),
    "a parent that is gone": (d.RemoveTopic("t1"), d.AddTopic("t1-0", new("x"))),
    "a parent that was merged away": (d.MergeTopics("t2", ("t1",)), d.AddTopic("t1", new("x"))),
    "removing what others worked on": (d.AddNote("t1-0", "careful"), d.RemoveTopic("t1")),
    "removing what others added to": (d.AddTopic("t1", new("x")), d.RemoveTopic("t1")),
    "merging what others changed": (d.EditKeywords("t1", ("a",)), d.MergeTopics("t2", ("t1",))),
    "splitting what others merged into": (
        d.MergeTopics("t2", ("t1",)),
        d.SplitTopic("t2", (TopicNode("p", "P"), TopicNode("q", "Q"))),
    ),
    "the same documents": (d.MoveDocuments(("a", "b"), "t1"), d.MoveDocument("b", "t2")),
    "documents of an accepted topic": (
        d.AcceptTopic(ROOT_ID, new("x"), documents=("a",)),
        d.AcceptTopic(ROOT_ID, new("y"), documents=("a", "b")),
    ),
    "documents to a topic that is gone": (d.MoveDocument("a", "t1"), d.RemoveTopic("t1")),
    "the same cluster": (d.RejectTopic(ROOT_ID, "c1", "x"), d.AcceptTopic(ROOT_ID, new("x"), cluster_id="c1")),
    "the same term": (d.MoveTerms(ROOT_ID, ("w",), "general"), d.MoveTerms(ROOT_ID, ("w",), "novel")),
    "moving one topic": (d.MoveTopic("t1", "t2"), d.MoveTopic("t1", "t3")),
    "moving into each other": (d.MoveTopic("t1", "t2"), d.MoveTopic("t2", "t1")),
}

PEACE = {
    "different topics": (d.EditDefinition("t1", "a"), d.EditDefinition("t2", "b")),
    "a topic and its child": (d.EditDefinition("t1", "a"), d.EditDefinition("t1-0", "b")),
    "new topics under one": (d.AddTopic("t1", new("x")), d.AddTopic("t1", new("y"))),
    "a definition and a new child": (d.EditDefinition("t1", "a"), d.AddTopic("t1", new("x"))),
    "removals apart": (d.RemoveTopic("t1"), d.RemoveTopic("t2-0")),
    "the same name under different topics": (d.AddTopic("t1", new("x")), d.AddTopic("t2", TopicNode("y", "X"))),
    "different documents": (d.MoveDocument("a", "t1"), d.MoveDocument("b", "t1")),
    "different clusters": (d.RejectTopic(ROOT_ID, "c1", "x"), d.AcceptTopic(ROOT_ID, new("x"), cluster_id="c2")),
}


@pytest.mark.parametrize(("theirs", "mine"), CLASHES.values(), ids=CLASHES.keys())
def test_what_gets_in_the_way_is_found_whoever_was_first(theirs: d.Decision, mine: d.Decision):
    assert clash(theirs, mine)
    assert clash(mine, theirs)


@pytest.mark.parametrize(("theirs", "mine"), PEACE.values(), ids=PEACE.keys())
def test_what_is_apart_is_let_through(theirs: d.Decision, mine: d.Decision):
    assert not clash(theirs, mine)
    assert not clash(mine, theirs)


def test_an_undo_touches_what_it_took_back():
    timeline = after(d.EditDefinition("t1", "a"), d.AddTopic("t2", new("x")), d.Undo(2))
    touched = timeline.touched_since(2)
    assert {"t1", "new-x"} <= touched.changed
    assert "new-x" in touched.come_or_gone
    timeline.record(LoggedDecision(4, d.Redo(1)))
    assert timeline.touched_since(3).changed == {"t1"}


def test_a_timeline_goes_back_to_a_moment_exactly():
    timeline = after(d.EditDefinition("t1", "a"), d.AddNote("t1", "b"), d.Undo())
    before, moment = timeline.tree, timeline.moment()
    timeline.record(LoggedDecision(4, d.RemoveTopic("t1")))
    timeline.back_to(moment)
    assert timeline.tree == before
    assert [each.decision for each in timeline.undone] == [d.AddNote("t1", "b")]
    timeline.record(LoggedDecision(4, d.Redo()))
    assert timeline.tree["t1"].notes == ("b",)


def _random_decision(chance: random.Random) -> d.Decision:
    topics = [node.node_id for node in seed().walk()]
    one, other = chance.sample(topics, 2)
    name = chance.choice(("Topic 1", "Sub 1", "Fresh", "Other"))
    makers: list[Callable[[], d.Decision]] = [
        lambda: d.RenameTopic(one, name),
        lambda: d.EditDefinition(one, name),
        lambda: d.AddTopic(one, TopicNode(f"n{chance.random()}", name)),
        lambda: d.MoveTopic(one, chance.choice((other, ROOT_ID))),
        lambda: d.RemoveTopic(one, keep_children=chance.random() < 0.5),
        lambda: d.MergeTopics(one, (other,)),
        lambda: d.MoveTerms(ROOT_ID, ("word",), chance.choice((one, "general"))),
        lambda: d.SplitTopic(one, (TopicNode(one, name), TopicNode(f"n{chance.random()}", f"{name} too"))),
    ]
    return chance.choice(makers)()


def _unordered(tree: Taxonomy) -> tuple[object, ...]:
    below = {parent: frozenset(children) for parent, children in tree.children.items()}
    return (dict(tree.nodes), below)


def test_decisions_that_do_not_clash_give_the_same_tree_in_either_order():
    chance, n_apart = random.Random(0), 0
    for _ in range(3000):
        one, other = _random_decision(chance), _random_decision(chance)
        try:
            after(one), after(other)
        except DecisionError:
            continue
        if not clash(one, other) and not clash(other, one):
            n_apart += 1
            assert _unordered(after(one, other).tree) == _unordered(after(other, one).tree), (one, other)
    assert n_apart > 300
