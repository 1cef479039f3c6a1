"""How novel groups are judged: each measure by hand, and that it counts in the right direction."""

from dataclasses import replace

import numpy as np
import pytest

from taxocom.expansion.affinity import Affinity
from taxocom.expansion.strength import Strength, measure_strength

SOUND = Strength(n_documents=200, size_ratio=0.8, distinctness=0.95, named=0.05, n_facets=4, link=0.1, below_root=False)

# Facets 0 and 1 are tied to two known topics, 2 and 3 are the group, 4 is free; ten documents each.
LABELS = np.repeat(np.arange(5), 10).astype(np.int32)
LINKS = np.array(
    [
        [0.0, 0.2, 0.1, 0.3, 0.0],
        [0.2, 0.0, 0.0, 0.1, 0.0],
        [0.1, 0.0, 0.0, 0.9, 0.4],
        [0.3, 0.1, 0.9, 0.0, 0.6],
        [0.0, 0.0, 0.4, 0.6, 0.0],
    ]
)


def measured(mentions):
    links = LINKS.copy()
    np.fill_diagonal(links, -np.inf)
    evidence = np.zeros((50, 5), np.float32)
    evidence[np.arange(50), LABELS] = 1.0
    evidence[20:25, 0] = 2.0
    affinity = Affinity(links, evidence, np.full(5, 10, np.int32))
    return measure_strength(
        affinity, LABELS, (2, 3), [(0,), (1,)], mentions=np.array(mentions), typical_size=40.0, below_root=True
    )


def test_every_measure_is_what_its_docstring_says():
    strength = measured([[6, 0, 2, 0, 0], [0, 9, 1, 0, 2]])
    assert strength.n_documents == 20
    assert strength.size_ratio == pytest.approx(0.5)
    assert strength.distinctness == pytest.approx(15 / 20)
    assert strength.named == pytest.approx(2 / 8)
    assert strength.n_facets == 2
    assert strength.link == pytest.approx((0.1 + 0.3) / 2)


def test_a_name_mentioned_once_or_twice_tells_nothing():
    assert measured([[0, 0, 2, 0, 0]]).named == 0.0


def test_without_known_topics_everything_is_told_apart():
    affinity = Affinity(np.full((2, 2), -np.inf), np.zeros((4, 2), np.float32), np.array([2, 2], np.int32))
    alone = measure_strength(
        affinity,
        np.array([0, 0, 1, 1], np.int32),
        (0,),
        [],
        mentions=np.zeros((0, 2), np.int32),
        typical_size=2.0,
        below_root=False,
    )
    assert alone.distinctness == 1.0
    assert alone.named == alone.link == 0.0


@pytest.mark.parametrize(
    ("worse", "reason"),
    [
        ({"distinctness": 0.5}, "its documents are often taken for those of a known topic"),
        ({"named": 0.7}, "it holds much of what mentions a known topic by name"),
        ({"n_facets": 1}, "it is of one piece, and may be an accident of the words"),
    ],
)
def test_what_a_group_lacks_makes_it_less_likely_and_is_said(worse, reason):
    lacking = replace(SOUND, **worse)
    assert lacking.log_odds < SOUND.log_odds
    between = (lacking.log_odds + SOUND.log_odds) / 2
    assert SOUND.shortcomings(size_floor=0.1, admission=between) == []
    assert lacking.shortcomings(size_floor=0.1, admission=between)[0] == reason


def test_the_size_of_a_group_does_not_count_above_the_floor():
    small = replace(SOUND, n_documents=30, size_ratio=0.12)
    assert small.log_odds == SOUND.log_odds
    assert small.shortcomings(size_floor=0.1, admission=SOUND.log_odds) == []


def test_more_is_asked_below_the_root():
    assert replace(SOUND, below_root=True).log_odds < SOUND.log_odds


def test_a_small_group_is_refused_for_its_size_first():
    small = replace(SOUND, n_documents=5, size_ratio=0.05)
    (reason,) = small.shortcomings(size_floor=0.25, admission=-20.0)
    assert "5 documents, 5%" in reason
