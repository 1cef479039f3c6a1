"""The vMF distribution against other ways to the same numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special

from taxocom.numerics import vmf
from taxocom.numerics.sphere import unit_rows

DIMS = [2, 3, 10, 100, 768]
KAPPAS = [1e-6, 0.01, 1.0, 30.0, 199.0, 201.0, 1e4, 1e7]


def sample(rng, kappa, direction, n):
    """Draw from a vMF on the ordinary sphere, where the cosine has a closed inverse."""
    u = rng.random(n)
    cosine = 1.0 + np.log(u + (1.0 - u) * math.exp(-2.0 * kappa)) / kappa
    around = rng.standard_normal((n, 3))
    around -= (around @ direction)[:, None] * direction
    around /= np.linalg.norm(around, axis=1, keepdims=True)
    return cosine[:, None] * direction + np.sqrt(1.0 - cosine**2)[:, None] * around


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("kappa", KAPPAS)
def test_bessel_ratio_solves_its_differential_equation(dim, kappa):
    """A' = 1 - A² - (d - 1) A / κ, by central differences."""
    width = 1e-4 * kappa
    slope = (vmf.bessel_ratio(kappa + width, dim) - vmf.bessel_ratio(kappa - width, dim)) / (2 * width)
    ratio = vmf.bessel_ratio(kappa, dim)
    assert 0.0 < ratio < 1.0
    assert slope == pytest.approx(1.0 - ratio**2 - (dim - 1) / kappa * ratio, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("kappa", [0.1, 2.0, 5.9, 6.1, 50.0])
def test_in_three_dimensions_the_ratio_is_elementary(kappa):
    assert vmf.bessel_ratio(kappa, 3) == pytest.approx(1.0 / math.tanh(kappa) - 1.0 / kappa, rel=1e-10)


@given(st.floats(1e-3, 0.999), st.sampled_from(DIMS))
def test_concentration_gives_back_the_length(length, dim):
    kappa = vmf.concentration_of_length(length, dim)
    assert vmf.bessel_ratio(kappa, dim) == pytest.approx(length, rel=1e-8)


@given(st.sampled_from(DIMS), st.floats(0.0, 0.99), st.floats(1e-3, 0.005))
def test_concentration_grows_with_length(dim, length, more):
    assert vmf.concentration_of_length(length + more, dim) > vmf.concentration_of_length(length, dim)


def test_corrections_improve_on_the_closed_form():
    closed = vmf.concentration_of_length(0.5, 10, corrections=0)
    assert closed == pytest.approx(0.5 * (10 - 0.25) / 0.75)
    exact = vmf.concentration_of_length(0.5, 10)
    assert abs(vmf.concentration_of_length(0.5, 10, corrections=1) - exact) < 0.1 * abs(closed - exact)


@pytest.mark.parametrize("kappa", [0.0, 1e-9, 0.5, 8.0, 300.0])
def test_density_integrates_to_one_on_the_ordinary_sphere(kappa):
    log_constant = vmf.log_normaliser(kappa, 3)
    total, _ = integrate.quad(lambda c: 2 * math.pi * math.exp(log_constant + kappa * c), -1, 1)
    assert total == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("dim", DIMS)
def test_log_normaliser_has_the_ratio_as_slope(dim):
    """d log C / dκ = -A(κ): also across the place where the way of computing changes."""
    for kappa in (0.5, dim / 2, dim - 1e-3, dim + 1.0, 3.0 * dim, 100.0 * dim):
        width = 1e-5 * kappa
        slope = (vmf.log_normaliser(kappa + width, dim) - vmf.log_normaliser(kappa - width, dim)) / (2 * width)
        assert slope == pytest.approx(-vmf.bessel_ratio(kappa, dim), rel=1e-4)


def test_log_bessel_agrees_with_scipy_where_scipy_can():
    for order in (0.0, 0.5, 49.0):
        for x in (0.5, 20.0, 400.0):
            assert vmf.log_bessel(order, x) == pytest.approx(float(np.log(special.ive(order, x)) + x), rel=1e-10)


def test_estimate_finds_what_was_sampled():
    direction = np.array([0.0, 0.6, 0.8])
    estimate = vmf.estimate_vmf(sample(np.random.default_rng(0), 25.0, direction, 4000))
    assert estimate.concentration == pytest.approx(25.0, rel=0.06)
    assert estimate.direction @ direction > 0.999
    assert estimate.mass == 4000


def test_concentration_is_unchanged_by_rotation():
    rng = np.random.default_rng(1)
    vectors = unit_rows(rng.standard_normal((40, 12)) + 2.0)
    rotation, _ = np.linalg.qr(rng.standard_normal((12, 12)))
    turned = vmf.estimate_vmf((vectors @ rotation).astype(np.float32))
    assert turned.concentration == pytest.approx(vmf.estimate_vmf(vectors).concentration, rel=1e-4)


def test_weights_count_like_copies():
    vectors = unit_rows(np.random.default_rng(2).standard_normal((3, 8)) + 1.0)
    weighted = vmf.estimate_vmf(vectors, np.array([1.0, 2.0, 1.0]))
    assert weighted.concentration == pytest.approx(vmf.estimate_vmf(vectors[[0, 1, 1, 2]]).concentration, rel=1e-6)


@pytest.mark.parametrize(
    ("vectors", "reason"),
    [
        (np.empty((0, 5), np.float32), "empty"),
        (np.eye(5, dtype=np.float32)[:1], "one member"),
        (np.eye(5, dtype=np.float32)[[0, 0, 0]], "same way"),
    ],
)
def test_no_concentration_but_a_reason(vectors, reason):
    estimate = vmf.estimate_vmf(vectors)
    assert estimate.concentration is None
    assert reason in estimate.reason


def test_no_weight_is_empty_and_one_weight_is_one_member():
    vectors = np.eye(3, dtype=np.float32)
    assert "empty" in vmf.estimate_vmf(vectors, np.zeros(3)).reason
    assert "one member" in vmf.estimate_vmf(vectors, np.array([0.0, 2.0, 0.0])).reason


def test_vectors_that_cancel_are_not_concentrated_at_all():
    estimate = vmf.estimate_vmf(np.array([[1, 0], [-1, 0]], np.float32))
    assert estimate.concentration == 0.0
    assert estimate.direction is None


@pytest.mark.parametrize("length", [-0.1, 1.0, float("nan")])
def test_impossible_lengths_are_refused(length):
    with pytest.raises(ValueError, match="mean resultant length"):
        vmf.concentration_of_length(length, 3)
