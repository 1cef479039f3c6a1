"""The tree as areas: what plotly demands, and no topic that hides the others."""

from dataclasses import replace

from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.ui.shared.charts import tree_figure
from taxocom.ui.shared.overview import Overview


def overview() -> Overview:
    tree = Taxonomy.empty("News")
    for label, parent in (("sport", ROOT_ID), ("golf", "sport"), ("rugby", "sport"), ("film", ROOT_ID)):
        tree = tree.with_topic(TopicNode(label, label.title()), parent)
    tree = tree.with_changed(replace(tree["film"], origin="novel", n_documents=90))
    return Overview(tree, 0, {}, frozenset(), frozenset(), 0)


def areas(documents: dict[str, int]) -> dict[str, float]:
    trace = tree_figure(overview(), "treemap", documents).data[0]
    return dict(zip(trace.ids, trace.values, strict=True))


def test_a_topic_has_the_area_of_its_documents_and_holds_its_children():
    found = areas({ROOT_ID: 10, "sport": 60, "golf": 20, "rugby": 10, "film": 90})
    assert found == {ROOT_ID: 190, "sport": 90, "golf": 20, "rugby": 10, "film": 90}


def test_sub_topics_without_a_count_share_their_parent_and_say_so():
    found = areas({"sport": 90, "film": 90})
    assert found["sport"] == found["film"] == 90
    assert found["golf"] == found["rugby"] == 30
    trace = tree_figure(overview(), "icicle", {"sport": 90, "film": 90}).data[0]
    told = dict(zip(trace.ids, (each[1] for each in trace.customdata), strict=True))
    assert told["golf"].startswith("not counted yet")
    assert told["film"] == "90 documents"


def test_a_tree_without_any_documents_still_has_areas():
    found = areas({})
    assert all(size > 0 for size in found.values())
    assert found["golf"] + found["rugby"] <= found["sport"]
    assert found["sport"] + found["film"] <= found[ROOT_ID]
