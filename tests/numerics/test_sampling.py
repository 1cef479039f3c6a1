"""Draws: the same in compiled and plain code, and from the distribution they promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taxocom.numerics.sampling import AliasTable, below, draw_term, keep_thresholds, scramble
from tests.numerics import reference as ref


@settings(deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_scramble_equals_plain_integers(counter):
    assert int(scramble(np.uint64(counter))) == ref.scramble(counter)


def test_scramble_known_value():
    """The first output of splitmix64 seeded with 1234567, from its published test vector."""
    assert ref.Stream(1234567).draw() == 6457827717110365317


@settings(deadline=None)
@given(st.integers(0, 2**64 - 1), st.integers(1, 2**31 - 1))
def test_below_stays_below(bits, size):
    drawn = int(below(np.uint64(bits), size))
    assert drawn == ((bits >> 32) * size) >> 32
    assert 0 <= drawn < size


def drawn_shares(table, n_terms):
    """The exact probability of each term: every cell has one, split between the two sides of its threshold."""
    shares = np.zeros(n_terms)
    sides = table.thresholds.astype(np.float64) / 2**32
    np.add.at(shares, np.arange(n_terms), sides / n_terms)
    np.add.at(shares, table.aliases, (1 - sides) / n_terms)
    return shares


@settings(deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60).filter(any))
def test_alias_table_has_the_promised_shares(counts):
    counts = np.array(counts)
    table = AliasTable(counts)
    weights = np.where(counts > 0, counts.astype(float) ** 0.75, 0.0)
    np.testing.assert_allclose(drawn_shares(table, len(counts)), weights / weights.sum(), atol=1e-6)


@settings(deadline=None)
@given(st.lists(st.integers(0, 50), min_size=2, max_size=30).filter(any), st.integers(0, 2**32 - 1))
def test_terms_without_count_are_never_drawn(counts, bits):
    table = AliasTable(np.array(counts))
    drawn = int(draw_term(np.uint64(bits), table.thresholds, table.aliases))
    assert drawn == ref.draw_term(bits, table.thresholds, table.aliases)
    assert counts[drawn] > 0


def test_alias_table_needs_a_term():
    with pytest.raises(ValueError, match="nothing to draw"):
        AliasTable(np.zeros(3, np.int64))


def test_frequent_terms_are_thinned_and_rare_ones_kept():
    counts = np.array([900, 90, 10, 0])
    keep = keep_thresholds(counts, 0.01).astype(np.float64) / 2**32
    ratio = 0.01 * 1000 / 900
    assert keep[0] == pytest.approx(np.sqrt(ratio) + ratio, abs=1e-6)
    assert keep[2] == pytest.approx(1.0, abs=1e-6)
    assert keep[3] == 0.0
    assert keep[0] < keep[1] < keep[2]


def test_sample_zero_keeps_all():
    assert (keep_thresholds(np.array([5, 1]), 0.0) == 2**32 - 1).all()
