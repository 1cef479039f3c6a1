"""Integrity lies in [0, 1], grows with what speaks for a term, and takes the curator's word."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.text.terms.term_quality import TermStatistics, burstiness, integrity, may_name, standing

LENGTHS = np.full(1000, 50)


def statistics(n: int, **changes: object) -> TermStatistics:
    """Describe `n` words that come 100 times, each in a document of its own."""
    plain = TermStatistics(
        counts=np.full(n, 100),
        document_frequencies=np.full(n, 100),
        formed=np.full(n, 100),
        significance=np.zeros(n),
        is_phrase=np.zeros(n, dtype=bool),
        given=np.zeros(n, dtype=bool),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_a_word_that_comes_back_in_its_documents_is_more_of_a_concept() -> None:
    scores = integrity(statistics(4, document_frequencies=np.array([100, 90, 60, 30])), LENGTHS)
    assert (np.diff(scores) > 0).all()


def test_a_word_that_hides_in_phrases_is_less_of_one() -> None:
    scores = integrity(statistics(3, formed=np.array([100, 1000, 10_000])), LENGTHS)
    assert (np.diff(scores) < 0).all()


def test_a_phrase_gains_by_its_significance() -> None:
    scores = integrity(statistics(3, significance=np.array([0.1, 0.3, 0.6]), is_phrase=np.ones(3, dtype=bool)), LENGTHS)
    assert (np.diff(scores) > 0).all()
    assert scores[2] > 0.8


def test_what_few_documents_hold_is_believed_less() -> None:
    many = integrity(statistics(2, counts=np.array([2, 2000]), document_frequencies=np.array([2, 2000])), LENGTHS)
    assert many[0] < many[1]


def test_the_seeds_terms_are_concepts_and_may_name() -> None:
    given_terms = statistics(2, given=np.array([True, False]), formed=np.array([9999, 9999]))
    assert integrity(given_terms, LENGTHS)[0] == 1.0
    assert may_name(["x1", "x1"], given_terms).tolist() == [True, False]


def test_fragments_codes_and_very_short_terms_may_not_name() -> None:
    terms = ["galaxy", "neural", "mp3", "ab", "水", "support_vector_machine"]
    described = statistics(6, formed=np.array([100, 5000, 100, 100, 100, 100]))
    assert may_name(terms, described).tolist() == [True, False, False, False, True, True]


def test_standing_is_the_share_outside_phrases() -> None:
    assert standing(statistics(3, formed=np.array([100, 400, 50]))).tolist() == [1.0, 0.25, 1.0]


def test_burst_of_terms_that_all_behave_alike_is_the_middle() -> None:
    assert burstiness(statistics(5), LENGTHS) == pytest.approx(0.5)


@given(
    counts=st.lists(st.tuples(st.integers(1, 500), st.integers(1, 500), st.integers(0, 500)), min_size=1, max_size=20),
    scores=st.floats(-1, 1),
    phrase=st.booleans(),
)
def test_integrity_is_a_share(counts: list[tuple[int, int, int]], scores: float, phrase: bool) -> None:
    n = len(counts)
    described = TermStatistics(
        counts=np.array([c for c, _, _ in counts]),
        document_frequencies=np.array([min(c, d) for c, d, _ in counts]),
        formed=np.array([c + more for c, _, more in counts]),
        significance=np.full(n, scores),
        is_phrase=np.full(n, phrase),
        given=np.zeros(n, dtype=bool),
    )
    result = integrity(described, LENGTHS)
    assert ((result >= 0) & (result <= 1)).all()
