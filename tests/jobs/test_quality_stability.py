"""Stability over random states, by hand: which clusters are the same topic, and how much of them comes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.jobs.stability_comparison import (
    AcceptedTopic,
    FoundCluster,
    compare_runs,
    jaccard,
    same_clusters,
)


def cluster(label: str, documents: range | list[int], terms: str = "a b", topic_id: str = "") -> FoundCluster:
    return FoundCluster(label, frozenset(documents), tuple(terms.split()), topic_id)


def test_clusters_are_put_together_by_the_greatest_sum_of_overlaps():
    # war/war: 8 of 12 shared; film/film: 6 of 10; film of the second run and war of the first share 2 of 18.
    first = [cluster("war", range(10)), cluster("film", range(20, 28))]
    second = [cluster("movies", [*range(22, 30), 8, 9]), cluster("army", range(2, 12))]
    groups = same_clusters([first, second])
    assert [[member and member.label for member in group] for group in groups] == [["war", "army"], ["film", "movies"]]


def test_clusters_that_share_less_than_a_third_are_different_topics():
    # 4 of 12 shared is a third exactly, 3 of 13 is less.
    assert len(same_clusters([[cluster("a", range(8))], [cluster("b", range(4, 12))]])) == 1
    assert len(same_clusters([[cluster("a", range(8))], [cluster("b", range(5, 13))]])) == 2


def test_the_overlap_of_a_topic_is_the_mean_over_all_pairs_of_runs_with_zero_where_it_lacks():
    runs = [
        [cluster("war", range(10), "army siege troops")],
        [cluster("war", range(2, 12), "army siege rebel")],
        [],
    ]
    topic = compare_runs(runs).topics[0]
    # One pair of three has both: 8 of 12 documents, 2 of 4 terms.
    assert topic.n_found == 2
    assert topic.documents == pytest.approx(8 / 12 / 3)
    assert topic.terms == pytest.approx(2 / 4 / 3)
    assert topic.n_documents == 10


def test_known_topics_are_compared_by_identity_however_little_they_share():
    runs = [[cluster("Sport", [1, 2, 3], topic_id="sport")], [cluster("Sport", [3, 4, 5], topic_id="sport")]]
    report = compare_runs(runs)
    assert [(t.label, t.known, t.n_found, t.documents) for t in report.topics] == [("Sport", True, 2, 1 / 5)]
    assert report.by_documents is None


def test_the_least_stable_topic_comes_first_and_the_whole_is_the_matched_jaccard():
    runs = [
        [cluster("steady", range(10)), cluster("chance", range(50, 55))],
        [cluster("steady", range(10))],
    ]
    report = compare_runs(runs)
    assert [topic.label for topic in report.topics] == ["chance", "steady"]
    assert [topic.documents for topic in report.topics] == [0.0, 1.0]
    # One pair of families: 1 matched at 1.0, divided by the larger family of two.
    assert report.by_documents == 0.5


def test_an_accepted_topic_lends_its_name_and_a_lost_one_is_listed_with_nothing():
    accepted = [
        AcceptedTopic("t1", "Middle East", frozenset(range(9))),
        AcceptedTopic("t2", "Cookery", frozenset(range(100, 110))),
    ]
    report = compare_runs([[cluster("syria", range(10))], [cluster("aleppo", range(10))]], accepted)
    found = {topic.label: (topic.topic_id, topic.n_found, topic.documents) for topic in report.topics}
    assert found == {"Middle East": ("t1", 2, 1.0), "Cookery": ("t2", 0, 0.0)}


_SETS = st.lists(st.frozensets(st.integers(0, 20), min_size=1, max_size=8), max_size=4)


@given(st.lists(_SETS, min_size=2, max_size=4))
def test_every_cluster_is_in_one_group_and_every_score_is_a_share(families):
    runs = [[cluster(f"{r}-{c}", sorted(found)) for c, found in enumerate(family)] for r, family in enumerate(families)]
    groups = same_clusters(runs)
    placed = [(run, member.label) for group in groups for run, member in enumerate(group) if member is not None]
    assert sorted(placed) == sorted((r, found.label) for r, run in enumerate(runs) for found in run)
    report = compare_runs(runs)
    assert all(0 <= topic.documents <= 1 and 0 <= topic.terms <= 1 for topic in report.topics)


@given(st.lists(st.frozensets(st.integers(0, 20), min_size=1), min_size=1, max_size=4, unique=True))
def test_runs_that_found_the_same_are_wholly_stable(family):
    run = [cluster(str(c), sorted(found)) for c, found in enumerate(family)]
    report = compare_runs([run, run, run])
    assert report.by_documents == pytest.approx(1.0)
    assert all(topic.documents == pytest.approx(1.0) and topic.n_found == 3 for topic in report.topics)


def test_jaccard_of_nothing_is_nothing():
    assert jaccard(frozenset(), frozenset()) == 0.0
    assert jaccard({1, 2, 3}, {2, 3, 4}) == 0.5
