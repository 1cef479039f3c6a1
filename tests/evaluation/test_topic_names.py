from __future__ import annotations

import pytest

from taxocom.evaluation.metrics import score_recovery
from taxocom.evaluation.name_scores import score_names
from taxocom.evaluation.scenarios import removal_scenario
from taxocom.text.language.stems import same_stem, stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("cats", "cat"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("bled", "bled"),
        ("motoring", "motor"),
        ("sing", "sing"),
        ("conflated", "conflat"),
        ("troubled", "troubl"),
        ("sized", "size"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("hissing", "hiss"),
        ("filing", "file"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("conditional", "condit"),
        ("digitizer", "digit"),
        ("vietnamization", "vietnam"),
        ("sensibiliti", "sensibl"),
        ("electrical", "electr"),
        ("hopefulness", "hope"),
        ("adjustable", "adjust"),
        ("adoption", "adopt"),
        ("replacement", "replac"),
        ("probate", "probat"),
        ("cease", "ceas"),
        ("controll", "control"),
        ("roll", "roll"),
        ("syzygy", "syzygi"),
        ("is", "is"),
    ],
)
def test_stems_are_those_of_porters_paper(word, expected):
    assert stem(word) == expected


def test_names_are_the_same_word_for_word_up_to_endings():
    assert same_stem("Encryption", "encrypted")
    assert same_stem("topology", "topological")
    assert same_stem("wireless networks", "Wireless_Network")
    assert not same_stem("space", "space shuttle")
    assert not same_stem("universe", "hockey")


def test_the_gold_name_is_counted_at_each_rank(gold_tree, grow):
    scenario = removal_scenario("s", gold_tree, [("sports",), ("science", "space")])
    tree = grow({"science": {"medicine": {}, "+orbit": {}}, "+games": {"+ice": {}}, "sale": {}, "+junk": {}})
    gold = [("sports", "hockey")] * 2 + [("sports", "baseball")] * 3 + [("science", "space")] + [("sale",)]
    assigned = ["ice"] * 2 + ["games"] * 3 + ["orbit"] + ["junk"]
    recovery = score_recovery(tree, assigned, gold, scenario)
    suggestions = {
        "ice": ["puck", "nhl", "goal", "hockey"],
        "games": ["Sport"],
        "orbit": ["nasa", "shuttle", "moon", "launch", "mars", "space"],
        "junk": ["baseball"],
    }
    scores = score_names(recovery, suggestions)
    assert scores.n_topics == 3
    assert scores.positions == {"sports": 1, "sports/hockey": 4, "science/space": 6}
    assert scores.hits == {1: pytest.approx(1 / 3), 3: pytest.approx(1 / 3), 5: pytest.approx(2 / 3)}


def test_without_a_recovered_topic_no_name_is_right(gold_tree):
    scenario = removal_scenario("s", gold_tree, [("sports",)])
    scores = score_names(score_recovery(scenario.seed, ["sale"], [("sale",)], scenario), {})
    assert (scores.n_topics, scores.hits) == (0, {1: 0.0, 3: 0.0, 5: 0.0})
