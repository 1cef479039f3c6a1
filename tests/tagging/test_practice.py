"""Practice on a tree: what a missing topic looks like here, learnt by hiding known ones."""

from __future__ import annotations

import numpy as np
import pytest

from taxocom.tagging import practice as practice_module
from taxocom.tagging.model import Labels
from taxocom.tagging.names import TopicClass
from taxocom.tagging.practice import Practice, heard_by_branch, practise
from taxocom.tagging.tagger import Tags, Teaching, tag
from taxocom.tagging.witnesses import Witnesses, read_witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from tests.expansion.planted import Planted, plant, without


@pytest.fixture(scope="module")
def planted() -> Planted:
    return plant(n_parents=4, n_children=2, n_documents=40)


@pytest.fixture(scope="module")
def witnesses(planted: Planted) -> Witnesses:
    return read_witnesses(planted.corpus)


def practised(planted: Planted, witnesses: Witnesses, tree: Taxonomy, teaching: Teaching | None = None) -> Practice:
    tags = tag(witnesses, planted.corpus.vocabulary, tree, teaching=teaching)
    return practise(witnesses, tags, len(tree.children_of(ROOT_ID)))


def test_what_is_hidden_lies_below_all_that_is_known(planted: Planted, witnesses: Witnesses) -> None:
    found = practised(planted, witnesses, planted.gold)
    assert found.known.shape == (4,)
    assert (found.known > found.hidden + 0.3).all()


def test_practice_foretells_the_level_of_a_topic_that_is_truly_missing(planted: Planted, witnesses: Witnesses) -> None:
    """The level of the hidden is nearer to that of a missing topic's documents than any known topic's is."""
    missing = planted.gold.children_of(ROOT_ID)[2].label
    tree = without(planted.gold, (missing,))
    tags = tag(witnesses, planted.corpus.vocabulary, tree)
    found = practise(witnesses, tags, 3)
    gone = np.array([path[0] == missing for path in planted.paths])
    branch = tags.branches[tags.best()]
    heard = heard_by_branch(tags, 3)[np.arange(len(branch)), branch]
    assert abs(heard[gone].mean() - found.hidden) < 0.5 * (found.known.min() - found.hidden)
    explained = found.explained(heard, branch)
    assert explained[gone].mean() < 0.4
    assert explained[~gone].mean() > 0.8


def test_the_scale_runs_from_hidden_to_known_and_each_branch_is_drawn_half_way_to_all() -> None:
    practice = Practice(known=np.array([2.0, 4.0], np.float32), hidden=1.0)
    branch = np.array([0, 0, 1, 1], np.int32)
    heard = np.array([1.0, 2.5, 1.0, 3.5], np.float32)
    np.testing.assert_allclose(practice.explained(heard, branch), [0.0, 1.0, 0.0, 1.0], atol=1e-6)
    assert practice.level(0.0) == pytest.approx(1.0)
    assert practice.level(0.5) == pytest.approx(2.0)
    assert practice.level(1.0) == pytest.approx(3.0)


def test_levels_that_hardly_differ_do_not_blow_the_scale_up() -> None:
    practice = Practice(known=np.array([1.0, 1.0], np.float32), hidden=1.0)
    assert np.abs(practice.explained(np.array([1.05, 0.9], np.float32), np.array([0, 1], np.int32))).max() <= 1.0 + 1e-5


def test_a_node_without_sub_topics_explains_nothing() -> None:
    practice = Practice(known=np.zeros(0, np.float32), hidden=0.0)
    assert practice.explained(np.array([3.0, 4.0], np.float32), np.zeros(2, np.int32)).tolist() == [0.0, 0.0]
    assert practice.level(0.7) == 0.0


def test_a_single_sub_topic_is_held_against_the_half_that_hears_it_least() -> None:
    evidence = np.array([[0.0], [1.0], [2.0], [5.0]], np.float32)
    tree = Taxonomy.empty("One").with_topic(TopicNode("only", "only"), ROOT_ID)
    tags = Tags(tree, ROOT_ID, (TopicClass("only", 0),), evidence, evidence, Labels.none(4))
    # Nothing is learnt where nothing can be hidden, so no text is looked at.
    found = practise(witnesses=None, tags=tags, n_branches=1)  # type: ignore[arg-type]
    assert found.known.tolist() == [2.0]
    assert found.hidden == pytest.approx(0.5)


def test_a_branch_is_heard_by_the_best_of_its_names() -> None:
    evidence = np.array([[1.0, 3.0, 2.0], [0.5, 0.1, 0.9]], np.float32)
    classes = (TopicClass("a1", 0), TopicClass("a2", 0), TopicClass("c", 2))
    tags = Tags(Taxonomy.empty("T"), ROOT_ID, classes, evidence, evidence, Labels.none(2))
    np.testing.assert_array_equal(
        heard_by_branch(tags, 3), np.array([[3.0, -np.inf, 2.0], [0.5, -np.inf, 0.9]], np.float32)
    )


def test_a_sub_topic_without_documents_has_the_level_of_all(planted: Planted, witnesses: Witnesses) -> None:
    tree = planted.gold.with_topic(TopicNode("blank", "xylophone"), ROOT_ID)
    tags = tag(witnesses, planted.corpus.vocabulary, tree)
    scores = tags.scores.copy()
    scores[:, -1] = scores.min() - 10.0
    silent = Tags(tree, ROOT_ID, tags.classes, tags.evidence, scores, tags.labels)
    found = practise(witnesses, silent, 5)
    assert np.isfinite(found.known).all()
    assert np.isfinite(found.hidden)
    assert found.known[:4].min() < found.known[4] < found.known[:4].max()


def test_what_people_said_does_not_stop_practice(planted: Planted, witnesses: Witnesses) -> None:
    """Documents that were told to be of a topic that is hidden are free while it is."""
    leaves = [node.node_id for node in planted.gold.walk() if not planted.gold.children_of(node.node_id)]
    own = [row for row, path in enumerate(planted.paths) if planted.gold.find(path).node_id == leaves[0]]  # type: ignore[union-attr]
    teaching = Teaching(placed=dict.fromkeys(own, leaves[0]), accepted={})
    found = practised(planted, witnesses, planted.gold, teaching)
    assert (found.known > found.hidden + 0.3).all()


def test_many_documents_are_practised_on_by_a_sample_with_nearly_the_same_answer(
    planted: Planted, witnesses: Witnesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = practised(planted, witnesses, planted.gold)
    monkeypatch.setattr(practice_module, "_PRACTISED_ON", 160)
    part = practised(planted, witnesses, planted.gold)
    np.testing.assert_array_equal(part.known, whole.known)
    assert part.hidden != whole.hidden
    assert abs(part.hidden - whole.hidden) < 0.2 * (whole.known.mean() - whole.hidden)


def test_of_many_sub_topics_some_are_hidden_from_the_first_to_the_last(
    planted: Planted, witnesses: Witnesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [trial.branch for trial in practised(planted, witnesses, planted.gold).trials] == [0, 1, 2, 3]
    monkeypatch.setattr(practice_module, "_MOST_HIDDEN", 2)
    assert [trial.branch for trial in practised(planted, witnesses, planted.gold).trials] == [0, 3]
