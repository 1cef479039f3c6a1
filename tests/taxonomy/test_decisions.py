from __future__ import annotations

import contextlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.errors import DecisionError, InputError
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.changes import carry_out
from taxocom.taxonomy.mutable_tree import Draft
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, TopicNode
from tests.taxonomy.laws import check_tree
from tests.taxonomy.samples import NEWS, logged, outline, tree_of
from tests.taxonomy.strategies import any_decisions, plain_decisions, trees


@given(trees(), plain_decisions)
def test_any_decision_on_any_tree_gives_a_tree_or_a_refusal(tree, decision):
    nodes, children = dict(tree.nodes), dict(tree.children)
    with contextlib.suppress(DecisionError):
        check_tree(d.apply(tree, decision))
    assert (dict(tree.nodes), dict(tree.children)) == (nodes, children)
    assert decision.summary(tree)


@given(trees(), st.lists(any_decisions, max_size=25))
def test_replay_equals_the_tree_built_step_by_step(seed, decided):
    # The plain way: a stack of whole trees, one for every decision in force.
    stack, undone, log = [seed], [], []
    timeline = d.Timeline(seed)
    for sequence, decision in enumerate(decided):
        entry = d.LoggedDecision(sequence, decision)
        accepted = True
        match decision:
            case d.Undo(n):
                accepted = 1 <= n < len(stack)
                if accepted:
                    stack, undone = stack[:-n], undone + stack[-n:][::-1]
            case d.Redo(n):
                accepted = 1 <= n <= len(undone)
                if accepted:
                    stack, undone = stack + undone[-n:][::-1], undone[:-n]
            case _:
                try:
                    stack.append(d.apply(stack[-1], decision))
                    undone = []
                except DecisionError:
                    accepted = False
        if accepted:
            timeline.record(entry)
            log.append(entry)
        else:
            with pytest.raises(DecisionError):
                timeline.record(entry)
        assert timeline.tree == stack[-1]
    assert d.replay(seed, log) == stack[-1]
    in_force = d.effective(log)
    assert in_force == timeline.in_force
    assert d.replay(seed, in_force) == stack[-1]
    assert len(d.history(seed, log)) == len(log)


@given(trees(), st.lists(plain_decisions, max_size=12), st.data())
def test_undo_of_any_length_then_redo_gives_the_same_tree(seed, decided, data):
    timeline = d.Timeline(seed)
    earlier = [seed]
    for sequence, decision in enumerate(decided):
        try:
            timeline.record(d.LoggedDecision(sequence, decision))
        except DecisionError:
            continue
        earlier.append(timeline.tree)
    n = data.draw(st.integers(0, len(earlier) - 1))
    if n:
        timeline.record(d.LoggedDecision(100, d.Undo(n)))
        assert timeline.tree == earlier[-1 - n]
        timeline.record(d.LoggedDecision(101, d.Redo(n)))
    assert timeline.tree == earlier[-1]


@given(any_decisions)
def test_a_decision_survives_json(decision):
    entry = d.LoggedDecision(3, decision, "Ada", "2026-11-16T10:00:00Z", "because")
    assert d.LoggedDecision.from_dict(json.loads(json.dumps(entry.to_dict()))) == entry


@given(trees(), plain_decisions)
def test_a_draft_goes_back_exactly(tree, decision):
    draft = Draft(tree)
    mark = draft.mark()
    with contextlib.suppress(DecisionError):
        carry_out(draft, decision)
    draft.back_to(mark)
    assert draft.frozen() == tree
    assert dict(draft.parents) == dict(tree.parents)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({}, "kind"),
        ({"kind": "explode"}, "explode"),
        ({"kind": "rename_topic", "node_id": "a"}, "'label' is missing"),
        ({"kind": "rename_topic", "node_id": "a", "label": 3}, "expected str, found 3"),
        ({"kind": "rename_topic", "node_id": "a", "label": "b", "size": 3}, "unknown field 'size'"),
        ({"kind": "undo", "n": True}, "expected int"),
        ({"kind": "set_status", "node_id": "a", "status": "grand"}, "'grand' is not one of"),
        ({"kind": "merge_topics", "into_id": "a", "merged_ids": "bc"}, "expected a list"),
        ({"kind": "accept_topic", "parent_id": "a", "node": {"node_id": "x"}}, "node: the field 'label'"),
    ],
)
def test_a_malformed_decision_is_refused_by_name(data, says):
    with pytest.raises(InputError, match=says):
        d.Decision.from_dict(data)


def test_a_rename_keeps_the_old_name():
    tree = d.apply(NEWS, d.RenameTopic("law", "  Crime  and justice "))
    assert tree["law"].label == "Crime and justice"
    assert tree["law"].alt_labels == ("Law",)
    back = d.apply(tree, d.RenameTopic("law", "Law"))
    assert (back["law"].label, back["law"].alt_labels) == ("Law", ("Crime and justice",))


def test_a_rename_of_case_alone_leaves_no_alternative():
    assert d.apply(NEWS, d.RenameTopic("law", "LAW"))["law"].alt_labels == ()


def test_a_sibling_may_not_have_the_same_name():
    with pytest.raises(DecisionError, match="already a topic 'sport' under 'Topics'"):
        d.apply(NEWS, d.RenameTopic("law", "sport"))


def test_accepting_approves_and_places():
    node = TopicNode("t9", "Film", "movie", anchors=(AnchorTerm("movie", 0.9),), origin="novel", status="proposed")
    tree = d.apply(NEWS, d.AcceptTopic(ROOT_ID, node, position=1))
    assert outline(tree)[3] == "Film"
    assert (tree["t9"].status, tree["t9"].origin, tree["t9"].anchors) == ("approved", "novel", node.anchors)


def test_the_documents_of_an_accepted_topic_are_kept_with_the_decision_and_change_no_tree():
    decision = d.AcceptTopic(ROOT_ID, TopicNode("t9", "Film"), cluster_id="c1", documents=("d1", "d 2"))
    body = json.loads(json.dumps(decision.to_dict()))
    assert body["documents"] == ["d1", "d 2"]
    assert d.Decision.from_dict(body) == decision
    assert d.apply(NEWS, decision) == d.apply(NEWS, replace(decision, documents=()))


def test_a_log_from_before_decisions_named_documents_is_read_and_written_as_it_was():
    body = {
        "kind": "accept_topic",
        "parent_id": ROOT_ID,
        "node": {"node_id": "t9", "label": "Film"},
        "cluster_id": "c1",
    }
    decision = d.Decision.from_dict(body)
    assert isinstance(decision, d.AcceptTopic)
    assert decision.documents == ()
    assert decision.to_dict() == body


def test_moving_documents_changes_no_tree_and_says_how_many_went_where():
    one, many = d.MoveDocuments(("d1",), "law"), d.MoveDocuments(tuple(f"d{i}" for i in range(1_200)), "courts")
    assert d.apply(NEWS, one) == d.apply(NEWS, many) == NEWS
    lines = [entry.summary for entry in d.history(NEWS, logged(one, many, d.MoveDocuments(("d1",), ROOT_ID)))]
    assert lines == [
        "Moved 1 document to 'Law'", "Moved 1,200 documents to 'Courts'", "Moved 1 document to 'Topics'",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("decision", "says"),
    [
        (d.MoveDocuments((), "law"), "No documents to move to 'Law'"),
        (d.MoveDocuments(("d1",), "chess"), "no topic with the id 'chess'"),
        (d.MoveDocuments(("d1", " "), "law"), "document's id is empty"),
        (d.MoveDocuments(("d1", "\x07"), "law"), "control character U\\+0007"),
    ],
)
def test_documents_that_cannot_be_moved_are_refused_by_name(decision, says):
    with pytest.raises(DecisionError, match=says):
        d.apply(NEWS, decision)


def test_a_cluster_is_judged_once_it_is_accepted_rejected_or_given_to_a_topic_until_that_is_undone():
    accepted = d.AcceptTopic(ROOT_ID, TopicNode("t9", "Film"), cluster_id="c1", documents=("d1",))
    given = d.MoveDocuments(("d2",), "law", cluster_id="c2")
    rejected = d.RejectTopic(ROOT_ID, "c3", "goal")
    log = logged(accepted, given, rejected, d.Defer(ROOT_ID, "c4"), d.MoveDocuments(("d3",), "law"))
    assert d.judged_clusters(log) == {"c1", "c2", "c3"}
    assert d.judged_clusters(logged(accepted, given, d.Undo())) == {"c1"}


def test_merging_joins_everything_and_children_of_the_same_name():
    tree = tree_of(
        ("a", "Politics", ROOT_ID), ("b", "Government", ROOT_ID), ("a1", "Elections", "a"), ("b1", "elections", "b"),
        ("b2", "Parliament", "b"), ("b11", "Polls", "b1"),
    )  # fmt: skip
    tree = d.apply(tree, d.EditKeywords("b", ("minister",)))
    tree = d.apply(tree, d.MergeTopics("a", ("b",)))
    assert outline(tree) == ["Politics", "Politics/Elections", "Politics/Elections/Polls", "Politics/Parliament"]
    assert tree["a"].alt_labels == ("Government",)
    assert tree["a"].keywords == ("minister",)
    assert tree["a1"].alt_labels == ()


def test_a_topic_merges_into_its_parent_but_not_into_its_child():
    assert outline(d.apply(NEWS, d.MergeTopics("sport", ("soccer",)))) == ["Sport", "Sport/Tennis", "Law", "Law/Courts"]
    with pytest.raises(DecisionError, match="lies below it"):
        d.apply(NEWS, d.MergeTopics("soccer", ("sport",)))


def test_a_split_takes_the_place_and_deals_out_the_children():
    parts = (TopicNode("sport", "Ball games"), TopicNode("rackets", "Racket games"))
    tree = d.apply(NEWS, d.SplitTopic("sport", parts, placed=(("tennis", "rackets"),)))
    assert outline(tree) == [
        "Ball games", "Ball games/Soccer", "Racket games", "Racket games/Tennis", "Law", "Law/Courts",
    ]  # fmt: skip


def test_removing_keeps_the_children_if_asked():
    assert outline(d.apply(NEWS, d.RemoveTopic("sport"))) == ["Law", "Law/Courts"]
    assert outline(d.apply(NEWS, d.RemoveTopic("sport", keep_children=True))) == [
        "Soccer", "Tennis", "Law", "Law/Courts",
    ]  # fmt: skip


def test_moved_terms_leave_their_siblings():
    tree = d.apply(NEWS, d.EditKeywords("sport", ("goal", "judge")))
    tree = d.apply(tree, d.MoveTerms(ROOT_ID, ("judge",), "law"))
    assert (tree["sport"].keywords, tree["law"].keywords) == (("goal",), ("judge",))
    assert d.apply(tree, d.MoveTerms(ROOT_ID, ("goal",), "general"))["sport"].keywords == ()


@pytest.mark.parametrize("decision", [d.MoveTopic("sport", "soccer"), d.MoveTopic("sport", "sport")])
def test_a_topic_cannot_be_moved_below_itself(decision):
    with pytest.raises(DecisionError, match="below itself"):
        d.apply(NEWS, decision)


@pytest.mark.parametrize(
    "decision", [d.RemoveTopic(ROOT_ID), d.MoveTopic(ROOT_ID, "law"), d.MergeTopics("law", (ROOT_ID,))]
)
def test_the_root_stays(decision):
    with pytest.raises(DecisionError, match="root"):
        d.apply(NEWS, decision)


def test_undo_and_redo_are_refused_where_there_is_nothing():
    with pytest.raises(DecisionError, match="1 decisions were to be undone, but only 0"):
        d.replay(NEWS, logged(d.Undo()))
    with pytest.raises(DecisionError, match="redone"):
        d.replay(NEWS, logged(d.RenameTaxonomy("A"), d.Undo(), d.RenameTaxonomy("B"), d.Redo()))
    with pytest.raises(DecisionError, match="needs the log"):
        d.apply(NEWS, d.Undo())


def test_a_log_out_of_order_is_refused():
    log = logged(d.RenameTaxonomy("A"), d.RenameTaxonomy("B"))
    with pytest.raises(DecisionError, match="entry 0 follows 1"):
        d.replay(NEWS, log[::-1])


def test_the_history_reads_like_a_diary():
    log = logged(d.RenameTopic("law", "Crime"), d.MergeTopics("sport", ("soccer", "tennis")), d.Undo(2), d.Redo())
    lines = [(entry.summary, entry.in_force) for entry in d.history(NEWS, log)]
    assert lines == [
        ("Renamed 'Law' to 'Crime'", True),
        ("Merged 'Soccer' and 'Tennis' into 'Sport'", False),
        ("Undid 2 decisions: Merged 'Soccer' and 'Tennis' into 'Sport'; Renamed 'Law' to 'Crime'", True),
        ("Redid 1 decision: Renamed 'Law' to 'Crime'", True),
    ]
