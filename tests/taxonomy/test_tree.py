from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.errors import DecisionError
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from tests.taxonomy.laws import check_tree
from tests.taxonomy.samples import NEWS, outline
from tests.taxonomy.strategies import trees


@given(trees(), st.data())
def test_every_change_gives_a_tree_and_leaves_the_old_one(tree, data):
    before = pickle.dumps(tree)
    node_id = data.draw(st.sampled_from(list(tree.nodes)))
    check_tree(tree.with_topic(TopicNode("new", "New"), node_id))
    if node_id != ROOT_ID:
        gone = {node.node_id for node in tree.subtree_of(node_id)}
        smaller = tree.without(node_id)
        check_tree(smaller)
        assert set(smaller.nodes) == set(tree.nodes) - gone
        moved = tree.with_moved(node_id, ROOT_ID)
        check_tree(moved)
        assert moved.children[ROOT_ID][-1] == node_id
    assert pickle.loads(before) == tree


@given(trees())
def test_paths_ancestors_and_depths_agree(tree):
    for node in tree.walk():
        above = tree.ancestors_of(node.node_id)
        assert above[0] == ROOT_ID
        assert above[-1] == tree.parent_of(node.node_id)
        assert tree.depth_of(node.node_id) == len(tree.path_of(node.node_id)) == len(above)


def test_a_topic_is_found_by_its_path_whatever_the_case():
    assert NEWS.find(["sport", "TENNIS"]).node_id == "tennis"
    assert NEWS.find(["sport", "courts"]) is None
    assert NEWS.find([]) is NEWS.root


def test_what_would_break_the_tree_is_refused():
    with pytest.raises(DecisionError, match="taken by 'Law'"):
        NEWS.with_topic(TopicNode("law", "Again"), ROOT_ID)
    with pytest.raises(DecisionError, match="no topic with the id 'nowhere'"):
        NEWS.with_topic(TopicNode("x", "X"), "nowhere")
    with pytest.raises(DecisionError, match="below itself"):
        NEWS.with_moved("sport", "tennis")


def test_a_tree_cannot_be_written_to():
    with pytest.raises(TypeError):
        NEWS.nodes["x"] = TopicNode("x", "X")
    with pytest.raises(TypeError):
        NEWS.children["law"] = ()


def test_ids_depend_on_the_parts_and_not_on_how_they_join():
    assert topic_id("a", "b") == topic_id("a", "b")
    assert len({topic_id("a", "b"), topic_id("ab"), topic_id("b", "a"), topic_id("a b")}) == 4


def test_the_title_is_the_label_of_the_root():
    assert Taxonomy.empty("News").titled("World").root.label == "World"
    assert outline(NEWS.titled("World")) == outline(NEWS)
