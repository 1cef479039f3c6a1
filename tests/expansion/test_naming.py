from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taxocom.expansion.describe.naming import (
    ClusterParts,
    NameEvidence,
    NameWeights,
    name_scores,
    sibling_likeness,
    suggest_names,
    term_words,
    unevenness,
)
from taxocom.text.language.stems import stems_of
from taxocom.text.terms.vocabulary import Vocabulary

N_INSIDE, N_OUTSIDE = 100, 900


def vocabulary_of(terms, *, integrity=None, may_name=None):
    n = len(terms)
    return Vocabulary(
        terms=tuple(terms),
        counts=np.full(n, 50, dtype=np.int32),
        document_frequencies=np.full(n, 40, dtype=np.int32),
        integrity=np.full(n, 0.8, dtype=np.float32) if integrity is None else np.array(integrity, dtype=np.float32),
        may_name=np.ones(n, dtype=bool) if may_name is None else np.array(may_name),
    )


def evidence_of(rows, **more):
    """Make evidence from a (significance, inside, outside) for each term of a vocabulary."""
    significance, inside, outside = zip(*rows, strict=True)
    return NameEvidence(
        term_ids=np.arange(len(rows), dtype=np.int32),
        significance=np.array(significance, dtype=np.float32),
        inside=np.array(inside),
        outside=np.array(outside),
        n_inside=N_INSIDE,
        n_outside=N_OUTSIDE,
        **more,
    )


def names_of(table, *, vocabulary=None, more=None, **options):
    vocabulary = vocabulary or vocabulary_of(list(table))
    return suggest_names(evidence_of(list(table.values()), **(more or {})), vocabulary, **options)


def test_the_score_of_a_word_by_hand():
    # Coverage 0.25, outside 90/900 = 0.1, so specificity 0.25 / 0.35.
    scores = name_scores(evidence_of([(0.5, 25, 90)]), vocabulary_of(["hockey"]), weights=NameWeights())
    assert scores[0] == pytest.approx(0.5**2 * 0.25 * (0.25 / 0.35) ** 2, rel=1e-6)


def test_the_factor_of_a_phrase_by_hand():
    vocabulary = vocabulary_of(["wireless_networks", "wireless", "networks"], integrity=[1, 1, 1])
    rows = [(1.0, 10, 0), (1.0, 20, 0), (1.0, 30, 0)]
    score = name_scores(evidence_of(rows), vocabulary, weights=NameWeights(coverage=0.0, words=1.0))[0]
    # Each word occurs alone or in the phrase: 1 - 0.9 · 0.8 = 0.28 and 1 - 0.9 · 0.7 = 0.37.
    assert score == pytest.approx((0.28 * 0.37) ** 0.5 / 0.10, rel=1e-6)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ((0.6, 20, 10), (0.4, 20, 10)),
        ((0.5, 40, 10), (0.5, 20, 10)),
        ((0.5, 20, 5), (0.5, 20, 50)),
    ],
    ids=["significance", "coverage", "specificity"],
)
def test_more_of_each_virtue_makes_a_better_name(better, worse):
    assert names_of({"hockey": worse, "baseball": better}) == ("baseball", "hockey")


def test_a_general_enough_term_is_better_than_the_most_significant_one():
    assert names_of({"slapshot": (0.6, 2, 0), "hockey": (0.5, 30, 3), "said": (0.2, 60, 500)})[0] == "hockey"


def test_variants_of_a_word_make_one_suggestion_in_its_best_form():
    table = {"encrypted": (0.4, 20, 2), "encryption": (0.6, 30, 2), "encrypt": (0.3, 9, 1), "privacy": (0.3, 10, 5)}
    assert names_of(table) == ("encryption", "privacy")


def test_names_taken_and_rejected_are_not_suggested_in_any_form():
    table = {"car": (0.6, 40, 3), "engines": (0.5, 30, 2), "machine_learning": (0.5, 20, 2), "tires": (0.4, 20, 2)}
    assert names_of(table, taken=["Cars", "Machine Learning"], rejected=["engine"]) == ("tires",)


def test_terms_that_may_not_name_a_topic_and_terms_of_other_clusters_are_not_suggested():
    vocabulary = vocabulary_of(["forty", "team", "car"], may_name=[False, True, True])
    evidence = evidence_of([(0.9, 50, 0)] * 3, is_member=np.array([True, True, False]))
    assert suggest_names(evidence, vocabulary) == ("team",)


def test_a_term_that_is_not_significant_or_absent_is_no_name():
    assert names_of({"car": (-0.2, 20, 0), "bike": (0.0, 20, 0), "truck": (0.5, 0, 10)}) == ()


def test_a_word_gives_way_to_the_phrase_it_mostly_occurs_in():
    table = {"clipper": (0.9, 20, 0), "clipper_chip": (0.1, 30, 0), "phone": (0.3, 20, 10)}
    assert names_of(table) == ("clipper_chip", "phone")
    often_alone = {**table, "clipper": (0.9, 60, 0)}
    assert names_of(often_alone) == ("clipper", "phone", "clipper_chip")


def test_a_phrase_gains_by_words_that_are_common_in_the_cluster_alone():
    table = {
        "wireless_networks": (0.5, 8, 1),
        "high_order": (0.5, 8, 1),
        "wireless": (0.4, 30, 2),
        "networks": (0.4, 50, 20),
        "high": (0.1, 20, 180),
        "order": (0.1, 20, 180),
    }
    members = {"is_member": np.array([True, True, False, False, False, False])}
    assert names_of(table, more=members) == ("wireless_networks", "high_order")
    scores = name_scores(evidence_of(list(table.values())), vocabulary_of(list(table)), weights=NameWeights())
    assert scores[0] > 1.2 * scores[1]


def test_a_term_beside_an_earlier_suggestion_loses_to_one_apart_from_it():
    table = {"jpeg": (0.6, 30, 2), "gif": (0.58, 30, 2), "animation": (0.55, 30, 2)}
    vectors = np.array([[1, 0], [0.99, 0.1], [0, 1]], dtype=np.float32)
    assert names_of(table) == ("jpeg", "gif", "animation")
    assert names_of(table, more={"vectors": vectors}) == ("jpeg", "animation", "gif")


def test_likeness_to_siblings_by_hand():
    # The last row balances the others, so the middle is the origin and the cosines with the name are 0.6 and 0; the
    # mean direction of the text is not quite the origin and counts against a term that leans to it.
    vectors = np.array([[0.6, 0.8, 0], [0, 1, 0], [1, 0, 0], [-1.6, -1.8, 0]], dtype=np.float32)
    vocabulary = vocabulary_of(["physics", "magnet", "mathematics", "the_rest"])
    evidence = evidence_of([(0.5, 10, 10)] * 4, vectors=vectors, siblings=np.array([2]))
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    to_text = directions @ directions.mean(axis=0)
    assert sibling_likeness(evidence, vocabulary, np.array([0, 1])) == pytest.approx(
        [0.6 - to_text[0], 0.0 - to_text[1]], abs=1e-6
    )


def test_the_three_most_alike_siblings_count():
    # The middle is the origin and so is the mean direction: likeness is the mean of the three largest cosines.
    angles = np.array([0.0, 60.0, 60.0, 90.0, 180.0, 240.0, 240.0, 270.0]) / 180.0 * np.pi
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    vocabulary = vocabulary_of(["religion", "politics", "science", "computer", "sale", "a", "b", "c"])
    evidence = evidence_of([(0.5, 10, 10)] * 8, vectors=vectors, siblings=np.array([1, 2, 3, 4]))
    assert sibling_likeness(evidence, vocabulary, np.array([0])) == pytest.approx([(0.5 + 0.5 + 0.0) / 3], abs=1e-6)


def test_a_name_like_those_of_the_siblings_comes_before_a_commoner_term():
    table = {
        "magnetic_field": (0.6, 30, 2),
        "physics": (0.4, 10, 2),
        "mathematics": (0.0, 1, 50),
        "chemistry": (0.0, 1, 50),
    }
    vectors = np.array([[1, 0.1, 0], [0.5, 0.9, 0], [0, 1, 0.3], [0, 1, -0.3]], dtype=np.float32)
    assert names_of(table, more={"vectors": vectors})[0] == "magnetic_field"
    more = {"vectors": vectors, "siblings": np.array([2, 3])}
    assert names_of(table, more=more, taken=["Mathematics", "Chemistry"]) == ("physics", "magnetic_field")


@pytest.mark.parametrize("siblings", [None, np.array([], dtype=np.int64)], ids=["not given", "none known"])
def test_without_siblings_nothing_is_alike(siblings):
    evidence = evidence_of([(0.5, 10, 10)] * 2, vectors=np.eye(2, dtype=np.float32), siblings=siblings)
    assert sibling_likeness(evidence, vocabulary_of(["car", "bike"]), np.array([0, 1])).tolist() == [0.0, 0.0]


def test_unevenness_by_hand():
    # Half, a quarter and a quarter of the documents: a term of the first part alone strays by ln 2, one of the second
    # by ln 4, one that occurs everywhere alike by nothing.
    parts = ClusterParts(np.array([50.0, 25.0, 25.0]), np.array([[10.0, 0, 0], [0, 8, 0], [20, 10, 10], [0, 0, 0]]))
    evidence = evidence_of([(0.5, 10, 10)] * 4, parts=parts)
    assert unevenness(evidence, np.arange(4)) == pytest.approx([np.log(2), np.log(4), 0.0, 0.0])
    assert unevenness(replace(evidence, parts=None), np.arange(4)).tolist() == [0.0] * 4


def test_a_term_of_all_parts_comes_before_a_term_of_one():
    parts = ClusterParts(np.array([50.0, 50.0]), np.array([[20.0, 0], [10, 10]]))
    table = {"hockey": (0.5, 20, 2), "sports": (0.48, 20, 2)}
    assert names_of(table) == ("hockey", "sports")
    assert names_of(table, more={"parts": parts}) == ("sports", "hockey")


def test_no_more_than_asked_for_and_five_by_default():
    table = {f"{letter * 4}": (0.5, 20 + i, 2) for i, letter in enumerate("bcdfghjk")}
    assert len(names_of(table)) == 5
    assert names_of(table, limit=2) == ("kkkk", "jjjj")
    assert names_of(table, limit=0) == ()


def test_a_cluster_without_terms_or_documents_has_no_names():
    empty = evidence_of([(0.5, 1, 1)], is_member=np.array([False]))
    assert suggest_names(empty, vocabulary_of(["car"])) == ()
    assert suggest_names(replace(empty, n_inside=0, n_outside=0, inside=np.array([0])), vocabulary_of(["car"])) == ()


def test_only_some_terms_of_the_vocabulary_need_evidence():
    vocabulary = vocabulary_of(["sale", "car", "car_dealer", "engine"])
    evidence = evidence_of([(0.4, 20, 2), (0.6, 30, 2)])
    assert suggest_names(replace(evidence, term_ids=np.array([1, 3])), vocabulary) == ("engine", "car")


terms = st.lists(
    st.sampled_from(
        ["car", "cars", "engine", "engines", "red_car", "red_engine", "sale", "sales", "wheel", "red", "for_sale"]
    ),
    min_size=1,
    unique=True,
)
rows = st.tuples(st.floats(-0.5, 1.0), st.integers(0, N_INSIDE), st.integers(0, N_OUTSIDE))


@settings(deadline=None)
@given(terms.flatmap(lambda names: st.fixed_dictionaries(dict.fromkeys(names, rows))), st.data())
def test_suggestions_are_different_ideas_and_do_not_depend_on_the_order_of_terms(table, data):
    names = names_of(table)
    assert len({stems_of(name) for name in names}) == len(names)
    assert set(names) <= set(table)
    scores = name_scores(evidence_of(list(table.values())), vocabulary_of(list(table)), weights=NameWeights())
    if len(set(scores.round(9))) == len(scores):
        shuffled = data.draw(st.permutations(list(table)))
        assert names_of({name: table[name] for name in shuffled}) == names


def test_words_of_terms_by_hand():
    words = term_words(("red_cars", "car", "car_car"))
    assert words.stems == (("red", "car"), ("car",), ("car", "car"))
    assert words.contains.toarray().tolist() == [[1, 0, 0], [1, 1, 1]]
    assert words.n_stems.tolist() == [2, 1, 1]
