from __future__ import annotations

from dataclasses import replace
from math import log

import pytest

from taxocom.errors import InputError
from taxocom.evaluation.matching import adopt_seed, match_topics, novel_nodes, overlaps
from taxocom.evaluation.metrics import (
    detect_removed_documents,
    score_assignment,
    score_completeness,
    score_recovery,
    standing_topics,
)
from taxocom.evaluation.scenarios import Scenario, complete_scenario, removal_scenario
from taxocom.taxonomy.tree import ROOT_ID

SPACE, MEDICINE = ("science", "space"), ("science", "medicine")
BASEBALL, HOCKEY = ("sports", "baseball"), ("sports", "hockey")
SALE = ("sale",)


def test_a_document_is_predicted_novel_if_any_node_on_its_path_is(gold_tree, grow):
    tree = grow({"science": {"medicine": {}, "+rockets": {"+moon": {}}}, "sale": {}})
    gold = [SPACE, SPACE, SPACE, MEDICINE, MEDICINE, SALE]
    assigned = ["rockets", "moon", "science", "moon", "medicine", ROOT_ID]
    scores = detect_removed_documents(tree, assigned, gold, [SPACE])
    # Predicted are documents 0, 1 and 3; gold are 0, 1 and 2.
    assert (scores.n_predicted, scores.n_gold, scores.n_both) == (3, 3, 2)
    assert scores.precision == pytest.approx(2 / 3)
    assert scores.recall == pytest.approx(2 / 3)
    assert scores.f1 == pytest.approx(2 / 3)


def test_documents_below_a_removed_topic_belong_to_it(grow):
    tree = grow({"science": {}, "+games": {}})
    gold = [HOCKEY, BASEBALL, ("Sports",), SPACE]
    scores = detect_removed_documents(tree, ["games"] * 3 + ["science"], gold, [("sports",)])
    assert scores.f1 == 1.0


def test_nothing_removed_and_nothing_predicted_scores_zero_without_dividing(gold_tree):
    scores = detect_removed_documents(gold_tree, ["space", "sale"], [SPACE, SALE], [])
    assert (scores.precision, scores.recall, scores.f1) == (0.0, 0.0, 0.0)


def test_documents_and_labels_must_be_as_many_and_nodes_must_exist(gold_tree):
    with pytest.raises(InputError, match="1 documents are assigned but 2"):
        detect_removed_documents(gold_tree, ["space"], [SPACE, SPACE], [])
    with pytest.raises(InputError, match="'nowhere'"):
        detect_removed_documents(gold_tree, ["nowhere"], [SPACE], [])


def test_overlaps_count_documents_at_or_below(grow):
    tree = grow({"+games": {"+ice": {}}})
    gold = [HOCKEY, HOCKEY, BASEBALL, ("sports",)]
    counted = overlaps(tree, ["ice", "games", "ice", ROOT_ID], gold, ["games", "ice"], [("sports",), HOCKEY])
    assert counted.shared.tolist() == [[3, 2], [2, 1]]
    assert counted.node_sizes.tolist() == [3, 2]
    assert counted.topic_sizes.tolist() == [4, 2]
    assert counted.f1[0].tolist() == pytest.approx([6 / 7, 4 / 5])


def test_recovery_with_nested_removals_counted_by_hand(gold_tree, grow):
    scenario = removal_scenario("sports and space gone", gold_tree, [("sports",), SPACE])
    tree = grow({"science": {"medicine": {}}, "sale": {}, "+games": {"+ice": {}}, "+orbit": {}, "+junk": {}})
    gold = [HOCKEY] * 4 + [BASEBALL] * 4 + [SPACE] * 4 + [MEDICINE] * 3 + [SALE] * 2
    assigned = [
        *["ice", "ice", "ice", "games"],  # hockey: node `ice` has 3 of 4, F1 = 6 / 7
        *["games", "games", "games", "sale"],  # sports: node `games` has 7 of 8, F1 = 14 / 15
        *["orbit", "orbit", "orbit", "science"],  # space: F1 = 6 / 7, but under the root
        *["medicine", "medicine", "junk"],
        *["sale", "sale"],
    ]
    scores = score_recovery(tree, assigned, gold, scenario)
    by_path = {topic.match.path: topic for topic in scores.topics}
    assert by_path[("sports",)].match.node_id == "games"
    assert by_path[("sports",)].match.f1 == pytest.approx(14 / 15)
    assert by_path[HOCKEY].match.node_id == "ice"
    assert by_path[HOCKEY].match.f1 == pytest.approx(6 / 7)
    assert by_path[HOCKEY].placed
    assert by_path[SPACE].match.f1 == pytest.approx(6 / 7)
    assert by_path[SPACE].recovered
    assert not by_path[SPACE].placed
    assert by_path[BASEBALL].match.node_id is None
    assert scores.spurious == ("junk",)
    assert (scores.n_recovered, scores.n_removed, scores.n_topmost_recovered, scores.n_topmost) == (3, 4, 2, 2)
    assert scores.placement == pytest.approx(2 / 3)
    assert scores.precision == pytest.approx(3 / 4)
    assert scores.recall == pytest.approx(3 / 4)


def test_a_match_below_one_half_recovers_nothing_and_its_node_is_spurious(gold_tree, grow):
    scenario = removal_scenario("space gone", gold_tree, [SPACE])
    tree = grow({"science": {"medicine": {}, "+orbit": {}}, "sports": {}, "sale": {}})
    scores = score_recovery(tree, ["orbit", "orbit", "science", "science"], [SPACE, SALE, SPACE, SPACE], scenario)
    assert scores.topics[0].match.f1 == pytest.approx(2 / 5)
    assert scores.n_recovered == 0
    assert scores.spurious == ("orbit",)


def test_a_child_of_a_removed_parent_is_placed_only_under_the_node_that_recovered_it(gold_tree, grow):
    scenario = removal_scenario("sports gone", gold_tree, [("sports",)])
    tree = grow({"science": {}, "sale": {}, "+games": {}, "+ice": {}})
    gold = [HOCKEY] * 2 + [BASEBALL] * 6
    scores = score_recovery(tree, ["ice"] * 2 + ["games"] * 6, gold, scenario)
    placed = {topic.match.path: (topic.match.node_id, topic.placed) for topic in scores.topics}
    # `games` is exactly baseball (F1 1) rather than sports (12 / 14), so sports has no node and its children hang
    # loose.
    assert placed == {("sports",): (None, False), BASEBALL: ("games", False), HOCKEY: ("ice", False)}


def test_matching_never_turns_the_hierarchy_upside_down(gold_tree, grow):
    tree = grow({"+faith": {"+misc": {}}})
    gold = [("religion", "christian")] * 10 + [("religion",)] * 10
    assigned = ["faith"] * 10 + ["misc"] * 10
    counted = overlaps(tree, assigned, gold, ["faith", "misc"], [("religion",), ("religion", "christian")])
    # Upside down, faith-christian and misc-religion have F1 2/3 each: more in sum than faith-religion alone, which is
    # 1.
    assert counted.f1.tolist() == [[1.0, pytest.approx(2 / 3)], [pytest.approx(2 / 3), 0.0]]
    matches = match_topics(tree, counted)
    assert [(match.node_id, match.f1) for match in matches] == [("faith", 1.0), (None, 0.0)]


def test_equal_document_sets_are_matched_by_depth(grow):
    tree = grow({"+outer": {"+inner": {}}})
    gold = [("a", "b")] * 3
    for order in (["outer", "inner"], ["inner", "outer"]):
        counted = overlaps(tree, ["inner"] * 3, gold, order, [("a",), ("a", "b")])
        assert [match.node_id for match in match_topics(tree, counted)] == ["outer", "inner"]


def test_a_renamed_seed_topic_is_still_the_right_parent(gold_tree, grow):
    scenario = removal_scenario("space gone", gold_tree, [SPACE])
    tree = grow({"science": {"medicine": {}, "+orbit": {}}})
    renamed = tree.with_changed(replace(tree["science"], label="Natural sciences"))
    scores = score_recovery(renamed, ["orbit"], [SPACE], scenario)
    assert scores.n_placed == 1


def test_with_a_complete_seed_every_novel_node_is_spurious(gold_tree, grow):
    tree = grow({"science": {"space": {}, "+orbit": {}}})
    scores = score_recovery(tree, ["orbit"], [SPACE], complete_scenario(gold_tree))
    assert (scores.n_removed, scores.recall, scores.spurious) == (0, 0.0, ("orbit",))


def test_without_a_novel_node_nothing_is_recovered(gold_tree):
    scenario = removal_scenario("space gone", gold_tree, [SPACE])
    scores = score_recovery(scenario.seed, ["science", "medicine"], [SPACE, MEDICINE], scenario)
    assert (scores.n_recovered, scores.n_novel, scores.spurious) == (0, 0, ())


def test_assignment_by_level_counted_by_hand(gold_tree, grow):
    scenario = removal_scenario("space gone", gold_tree, [SPACE])
    tree = grow({"science": {"medicine": {}, "+orbit": {}}, "sports": {"hockey": {}, "+junk": {}}, "sale": {}})
    gold = [SPACE, SPACE, MEDICINE, MEDICINE, HOCKEY, HOCKEY, SALE, SALE]
    assigned = ["orbit", "orbit", "medicine", "science", "hockey", "junk", "sale", "hockey"]
    recovery = score_recovery(tree, assigned, gold, scenario)
    first, second = score_assignment(tree, assigned, gold, standing_topics(tree, recovery))
    # Level 1: only the last document is wrong. F1 of science 1, of sports 4/5, of sale 2/3.
    assert (first.n_documents, first.n_topics) == (8, 3)
    assert first.micro_f1 == pytest.approx(7 / 8)
    assert first.macro_f1 == pytest.approx((1 + 4 / 5 + 2 / 3) / 3)
    # Level 2: sale has no second level, so six documents count; `science` is not deep enough, `junk` is no topic.
    assert (second.n_documents, second.n_topics) == (6, 3)
    assert second.micro_f1 == pytest.approx(4 / 6)
    assert second.macro_f1 == pytest.approx((1 + 2 / 3 + 2 / 3) / 3)


def test_nmi_is_one_for_the_same_partition_under_other_names(gold_tree, grow):
    tree = grow({"+p": {}, "+q": {}})
    scores = score_assignment(tree, ["p", "p", "q"], [SALE, SALE, ("sports",)], {})
    assert scores[0].nmi == pytest.approx(1.0)
    assert scores[0].micro_f1 == 0.0


def test_nmi_counted_by_hand(grow):
    tree = grow({"+p": {}, "+q": {}})
    gold = [SALE, SALE, ("sports",), ("sports",)]
    scores = score_assignment(tree, ["p", "p", "p", "q"], gold, {})
    mutual = 2 / 4 * log(2 / 4 / (3 / 4 * 2 / 4)) + 1 / 4 * log(1 / 4 / (3 / 4 * 2 / 4)) + 1 / 4 * log(2)
    entropies = log(2), -(3 / 4) * log(3 / 4) - 1 / 4 * log(1 / 4)
    assert scores[0].nmi == pytest.approx(2 * mutual / sum(entropies))


def test_completeness_counted_by_hand(gold_tree, grow):
    scenario = Scenario("s", gold_tree, grow({"science": {"medicine": {}}, "sports": {}, "sale": {}}))
    tree = grow({"science": {"medicine": {}, "+orbit": {}}, "sports": {}, "sale": {}})
    gold = [SPACE, SPACE, MEDICINE, HOCKEY, BASEBALL, SALE]
    assigned = ["orbit", "orbit", "science", "sports", "sports", "sale"]
    recovery = score_recovery(tree, assigned, gold, scenario)
    scores = score_completeness(tree, assigned, gold, gold_tree, standing_topics(tree, recovery))
    # Found by documents: science, space, sports, sale of 7; `medicine` has no document, hockey and baseball no node.
    assert scores.n_topics == 7
    assert scores.by_documents == pytest.approx(4 / 7)
    assert scores.mean_f1 == pytest.approx(4 / 7)
    # By identity the empty medicine counts too.
    assert scores.by_identity == pytest.approx(5 / 7)


def test_a_tree_built_without_the_seed_adopts_it_by_documents(gold_tree, grow):
    tree = grow({"+z1": {"+z3": {}}, "+z2": {}})
    seed = grow({"science": {"medicine": {}}, "sale": {}})
    gold = [MEDICINE, MEDICINE, SPACE, SALE, HOCKEY, HOCKEY, HOCKEY]
    assigned = ["z3", "z3", "z1", "z2", "z2", "z2", "z2"]
    known = adopt_seed(tree, assigned, gold, seed)
    # `z2` holds the one document of sale among four: F1 2/5, so it stays novel.
    assert known == {"z1": ("science",), "z3": MEDICINE}
    assert novel_nodes(tree, known) == ["z2"]
    scores = detect_removed_documents(tree, assigned, gold, [("sports",)], known=known)
    assert (scores.precision, scores.recall) == (3 / 4, 1.0)
    recovery = score_recovery(tree, assigned, gold, Scenario("s", gold_tree, seed), known=known)
    # Every sports document is a hockey one here; depth decides for the first level, where the node is.
    assert recovery.matched == {"z2": ("sports",)}
    assert recovery.n_placed == 1
