from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.errors import InputError
from taxocom.evaluation.scenarios import (
    Scenario,
    cap_classes,
    complete_scenario,
    parse_removals,
    path_key,
    random_removals,
    removal_scenario,
    remove_topics,
    skew_topic,
    topic_paths,
)
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode

LABELS = [("a", "x")] * 5 + [("a", "y")] * 2 + [("b",)] * 4


def test_removed_is_what_gold_has_and_the_seed_lacks(gold_tree, grow):
    seed = grow({"Science": {"space": {}}, "sale": {}, "weather": {}})
    scenario = Scenario("c", gold_tree, seed)
    assert scenario.removed == (("science", "medicine"), ("sports",), ("sports", "baseball"), ("sports", "hockey"))
    assert scenario.topmost_removed == (("science", "medicine"), ("sports",))


def test_removing_a_topic_takes_all_below_it_and_a_path_inside_it_is_allowed(gold_tree):
    seed = remove_topics(gold_tree, [("sports",), ("Sports", "hockey"), ("science", "space")])
    assert topic_paths(seed) == [("science",), ("science", "medicine"), ("sale",)]


def test_an_unknown_path_is_named_with_its_neighbours(gold_tree):
    with pytest.raises(InputError, match=r"'science/spaec'.*science/space"):
        remove_topics(gold_tree, [("science", "spaec")])


def test_a_complete_seed_misses_nothing(gold_tree):
    assert complete_scenario(gold_tree).removed == ()


def test_removals_are_read_from_one_line():
    assert parse_removals("science/space, religion,") == [("science", "space"), ("religion",)]
    with pytest.raises(InputError, match="empty part"):
        parse_removals("science//space")


def test_path_key_ignores_case_blanks_and_joiners():
    assert path_key((" Computer_Science", "Natural  language")) == ("computer science", "natural language")


@given(st.integers(0, 500))
def test_random_removals_keep_one_child_under_every_topic_that_has_children(random_state):
    gold = _wide_gold()
    scenario = random_removals(gold, 5, rule="both", random_state=random_state)
    levels = [len(path) for path in scenario.topmost_removed]
    assert sorted(levels) == [1, 2, 2, 2, 2]
    for parent in scenario.seed.children_of("root"):
        assert scenario.seed.children_of(parent.node_id)


def test_random_removals_follow_their_rule_and_state():
    gold = _wide_gold()
    first = random_removals(gold, 2, rule="first", random_state=1)
    assert [len(path) for path in first.topmost_removed] == [1, 1]
    second = random_removals(gold, 4, rule="second", random_state=1)
    assert [len(path) for path in second.removed] == [2] * 4
    again = random_removals(gold, 4, rule="second", random_state=1)
    assert second.removed == again.removed
    assert len({random_removals(gold, 4, rule="second", random_state=s).removed for s in range(20)}) > 1


def test_too_many_removals_are_refused(gold_tree):
    with pytest.raises(InputError, match="one must stay"):
        random_removals(gold_tree, 3, rule="first", random_state=0)
    with pytest.raises(InputError, match="only 2 can go"):
        random_removals(gold_tree, 3, rule="second", random_state=0)
    with pytest.raises(InputError, match="at least 1"):
        random_removals(gold_tree, 0, rule="second", random_state=0)


def test_a_cap_bounds_each_label_path_and_smaller_caps_are_subsets():
    rows = cap_classes(LABELS, 3, random_state=4)
    kept = [LABELS[row] for row in rows]
    assert [kept.count(label) for label in (("a", "x"), ("a", "y"), ("b",))] == [3, 2, 3]
    assert list(rows) == sorted(rows)
    assert set(cap_classes(LABELS, 2, random_state=4)) < set(rows)
    assert len({tuple(cap_classes(LABELS, 3, random_state=s)) for s in range(10)}) > 1


def test_skew_cuts_one_topic_with_all_below_it_and_nothing_else():
    rows = skew_topic(LABELS, ("A",), 3)
    kept = [LABELS[row] for row in rows]
    assert sum(label[0] == "a" for label in kept) == 3
    assert kept.count(("b",)) == 4
    with pytest.raises(InputError, match="nothing to cut"):
        skew_topic(LABELS, ("c",), 3)


def test_removal_scenario_names_its_parts(gold_tree):
    scenario = removal_scenario("space gone", gold_tree, [("science", "space")])
    assert (scenario.name, scenario.removed) == ("space gone", (("science", "space"),))


def _wide_gold() -> Taxonomy:
    tree = Taxonomy.empty()
    for top in "abcd":
        tree = tree.with_topic(TopicNode(top, top), ROOT_ID)
        for low in "123":
            tree = tree.with_topic(TopicNode(top + low, top + low), top)
    return tree
