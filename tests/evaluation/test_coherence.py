from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from taxocom.evaluation.coherence import (
    count_cooccurrence,
    hold_out,
    score_coherency,
    score_coverage,
    score_diversity,
    score_intrusion,
)
from taxocom.evaluation.stability import Outcome, matched_jaccard, score_stability
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.text.terms.vocabulary import Vocabulary


def _counted(documents: list[str]) -> tuple[Vocabulary, sparse.csr_array]:
    terms = tuple(sorted({term for document in documents for term in document.split()}))
    dense = np.array([[document.split().count(term) for term in terms] for document in documents])
    n = len(terms)
    vocabulary = Vocabulary(
        terms,
        dense.sum(axis=0).astype(np.int32),
        (dense > 0).sum(axis=0).astype(np.int32),
        np.ones(n, np.float32),
        np.ones(n, bool),
    )
    return vocabulary, sparse.csr_array(dense)


def test_npmi_counted_by_hand():
    vocabulary, counts = _counted(["a b b x", "a b x", "a x", "c x"])
    found = count_cooccurrence({"n": ["a", "b", "c", "x", "unknown"]}, vocabulary, counts)
    value = {(s, t): found.npmi[found.row_of[s], found.row_of[t]] for s in "abcx" for t in "abcx"}
    # a in 3 of 4 documents, b in 2, both in 2: a repeated term counts once.
    assert value["a", "b"] == pytest.approx(log(0.5 / (0.75 * 0.5)) / -log(0.5))
    assert value["a", "c"] == -1.0
    assert value["x", "x"] == 1.0
    # x is everywhere, so it tells nothing of c.
    assert value["c", "x"] == pytest.approx(0.0)


def test_coherency_is_the_mean_over_pairs_of_the_first_ten():
    vocabulary, counts = _counted(["a b", "a b", "c", "d"])
    top = {"ab": ["a", "b"], "abc": ["a", "b", "c"], "one": ["a"], "none": ["zzz", "a"]}
    scores = score_coherency(top, count_cooccurrence(top, vocabulary, counts))
    assert scores.by_node == {"ab": pytest.approx(1.0), "abc": pytest.approx((1 - 1 - 1) / 3)}
    assert scores.mean == pytest.approx((1 - 1 / 3) / 2)


def test_an_intruder_is_spotted_if_topics_do_not_mix_and_not_if_they_are_one(grow):
    tree = grow({"p": {}, "q": {}})
    top = {"p": list("abcde"), "q": list("vwxyz")}
    apart = ["a b c d e", "v w x y z"] * 3 + ["g"]
    mixed = ["a b c d e v w x y z"] * 3 + ["g"]
    vocabulary, counts = _counted(apart)
    scores = score_intrusion(tree, top, count_cooccurrence(top, vocabulary, counts))
    assert scores.by_node == {"p": 1.0, "q": 1.0}
    vocabulary, counts = _counted(mixed)
    # All six terms fit equally well, so the intruder is one of six.
    scores = score_intrusion(tree, top, count_cooccurrence(top, vocabulary, counts))
    assert scores.mean == pytest.approx(1 / 6)


def test_a_parents_terms_are_no_intruders(grow):
    tree = grow({"p": {"child": {}}})
    vocabulary, counts = _counted(["a b c d e", "f g h i j"])
    top = {"p": list("abcde"), "child": list("fghij")}
    assert score_intrusion(tree, top, count_cooccurrence(top, vocabulary, counts)).by_node == {}


def test_diversity_compares_nodes_of_one_depth(grow):
    tree = grow({"p": {"child": {}}, "q": {}})
    # Depth 1: a b + b c has 3 different of 4. Depth 2: 2 of 2. The child may repeat its parent.
    assert score_diversity(tree, {"p": ["a", "b"], "q": ["b", "c"], "child": ["a", "b"]}) == pytest.approx(5 / 6)
    assert score_diversity(tree, {}) == 0.0


def test_coverage_counted_by_hand(grow):
    tree = grow({"science": {"space": {}, "+orbit": {}}, "+games": {}})
    scores = score_coverage(tree, [ROOT_ID, "games", "games", "orbit", "space", "science", "science", ROOT_ID])
    assert scores.gap_before == pytest.approx(4 / 8)
    assert scores.gap_after == pytest.approx(2 / 8)
    held = {topic.node_id: (topic.n_documents, topic.n_stopping, topic.share) for topic in scores.topics}
    assert held == {
        "science": (4, 2, 0.5),
        "space": (1, 1, 0.125),
        "orbit": (1, 1, 0.125),
        "games": (2, 2, 0.25),
    }


def test_held_out_rows_are_a_share_without_repeats():
    rows = hold_out(50, share=0.2, random_state=3)
    assert len(set(rows.tolist())) == 10
    assert list(rows) == sorted(rows)
    assert list(rows) == list(hold_out(50, share=0.2, random_state=3))


def test_matched_jaccard_counted_by_hand():
    first = [{1, 2, 3}, {4, 5}]
    second = [{4, 5, 6}, {1, 2}, {9}]
    assert matched_jaccard(first, second) == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert matched_jaccard([], []) == 1.0
    assert matched_jaccard([{1}], []) == 0.0


@given(st.lists(st.frozensets(st.integers(0, 9), min_size=1), max_size=5), st.randoms())
def test_matched_jaccard_is_one_for_the_same_family_in_any_order(family, random):
    shuffled = list(family)
    random.shuffle(shuffled)
    assert matched_jaccard(family, shuffled) == pytest.approx(1.0)


def test_stability_compares_novel_topics_only(grow):
    first = Outcome(grow({"p": {}, "+x": {}}), ["p", "x", "x"], {"p": ["a"], "x": ["b", "c"]})
    second = Outcome(grow({"p": {}, "+y": {}}), ["p", "p", "y"], {"p": ["z"], "y": ["c", "d"]})
    scores = score_stability([first, second])
    assert scores.by_terms == pytest.approx(1 / 3)
    assert scores.by_documents == pytest.approx(1 / 2)
    assert score_stability([first]).by_terms == 1.0
    assert score_stability([first, first, first]).n_pairs == 3
