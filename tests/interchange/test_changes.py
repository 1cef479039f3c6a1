from __future__ import annotations

import json

from hypothesis import given

from taxocom.interchange.report.tree_comparison import compare
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from tests.taxonomy.samples import NEWS
from tests.taxonomy.strategies import trees


def after(*decided: d.Decision):
    return compare(NEWS, d.replay(NEWS, [d.LoggedDecision(n, decision) for n, decision in enumerate(decided)]))


def test_each_kind_of_change_is_told_by_its_name():
    change = after(
        d.AddTopic("law", TopicNode("jail", "Jail")),
        d.RenameTopic("law", "Justice"),
        d.MoveTopic("tennis", ROOT_ID),
        d.MergeTopics("sport", ("soccer",)),
        d.RemoveTopic("courts"),
        d.EditDefinition("sport", "Games."),
    )
    assert [topic.path for topic in change.added] == [("Justice", "Jail")]
    assert [(topic.old_label, topic.new_label) for topic in change.renamed] == [("Law", "Justice")]
    assert [(topic.old_path, topic.new_path) for topic in change.moved] == [(("Sport", "Tennis"), ("Tennis",))]
    assert [(topic.path, topic.into_path) for topic in change.merged] == [(("Sport", "Soccer"), ("Sport",))]
    assert [topic.path for topic in change.removed] == [("Law", "Courts")]
    assert [(topic.path, topic.fields) for topic in change.edited] == [(("Sport",), ("alt_labels", "definition"))]
    assert change.to_markdown("2026-10", "2026-11").splitlines() == [
        "# Topics: 2026-10 → 2026-11", "",
        "## Added (1)", "", "- Justice / Jail", "",
        "## Renamed (1)", "", "- Law → **Justice** (Justice)", "",
        "## Moved (1)", "", "- Tennis: Sport / Tennis → Tennis", "",
        "## Merged (1)", "", "- Sport / Soccer into **Sport**", "",
        "## Removed (1)", "", "- Law / Courts", "",
        "## Edited (1)", "", "- Sport: other names, definition",
    ]  # fmt: skip
    assert json.loads(json.dumps(change.to_dict()))["merged"][0]["into_id"] == "sport"


def test_another_order_or_title_is_a_change():
    assert [topic.path for topic in after(d.MoveTopic("law", ROOT_ID, 0)).reordered] == [()]
    change = after(d.RenameTaxonomy("World"))
    assert not change.is_empty
    assert "The title was Topics." in change.to_markdown()


@given(trees())
def test_a_tree_does_not_differ_from_itself(tree):
    assert compare(tree, tree).is_empty
    assert "Nothing changed." in compare(tree, tree).to_markdown()


@given(trees(), trees())
def test_two_trees_differ_exactly_if_the_change_is_not_empty(old, new):
    assert compare(old, new).is_empty == (old == new)
