"""The von Mises–Fisher distribution: how tightly unit vectors gather around their mean direction.

The density of a unit vector x in `dim` dimensions is C(κ) exp(κ μ·x). Its concentration κ solves A(κ) = r, with r the
mean resultant length and A the ratio of two Bessel functions. A closed form gives the first guess, Newton steps the
rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from taxocom.numerics.arrays import Floats1d
from taxocom.numerics.sphere import mean_direction, mean_resultant_length

_MAX_FRACTION_TERMS = 10_000
_MAX_NEWTON_STEPS = 20
_TOLERANCE = 1e-10
# Unit rows in float32 are off length 1 by about this much; agreement closer than that says nothing.
_INDISTINCT = 1e-6


@dataclass(frozen=True)
class VmfEstimate:
    """One cluster as a vMF: its direction and concentration, or the reason why it has none.

    `concentration` is None exactly when `reason` is not empty; it is never NaN and never infinite. `mass` is the number
    of members, or the sum of their weights.
    """

    direction: Floats1d | None
    concentration: float | None
    mean_resultant_length: float
    mass: float
    reason: str = ""


def bessel_ratio(concentration: float, dim: int) -> float:
    """Return A(κ) = I_{d/2}(κ) / I_{d/2-1}(κ), the mean resultant length that κ gives; it lies in [0, 1)."""
    if concentration <= 0.0:
        return 0.0
    order = dim / 2.0 - 1.0
    if concentration > 2.0 * dim:
        # Scaled Bessel functions neither overflow nor underflow here, and the fraction would need very many terms.
        return float(special.ive(order + 1.0, concentration) / special.ive(order, concentration))
    return _ratio_by_fraction(concentration, order)


def _ratio_by_fraction(x: float, order: float) -> float:
    """Evaluate Gauss' continued fraction of I_{order+1}(x) / I_{order}(x) by Lentz' method: all terms positive."""
    value = 2.0 * (order + 1.0) / x
    denominator = value
    inverse = 0.0
    for term in range(2, _MAX_FRACTION_TERMS):
        partial = 2.0 * (order + term) / x
        inverse = 1.0 / (partial + inverse)
        denominator = partial + 1.0 / denominator
        change = denominator * inverse
        value *= change
        if abs(change - 1.0) < 1e-15:
            break
    return 1.0 / value


def log_bessel(order: float, x: float) -> float:
    """Return log I_order(x) for order >= 0 and x > 0 without overflow or underflow."""
    if x > 2.0 * (order + 1.0):
        return float(np.log(special.ive(order, x)) + x)
    term = 1.0
    total = 1.0
    quarter = x * x / 4.0
    for k in range(1, _MAX_FRACTION_TERMS):
        term *= quarter / (k * (order + k))
        total += term
        if term < 1e-17 * total:
            break
    return order * math.log(x / 2.0) - math.lgamma(order + 1.0) + math.log(total)


def log_normaliser(concentration: float, dim: int) -> float:
    """Return log C(κ), so that the density C(κ) exp(κ μ·x) integrates to 1; at κ = 0 the uniform density."""
    if concentration < 0.0:
        raise ValueError(f"concentration is {concentration}; it cannot be negative")
    half = dim / 2.0
    if concentration < 1e-8:
        return math.lgamma(half) - math.log(2.0) - half * math.log(math.pi)
    order = half - 1.0
    return order * math.log(concentration) - half * math.log(2.0 * math.pi) - log_bessel(order, concentration)


def concentration_of_length(length: float, dim: int, *, corrections: int = _MAX_NEWTON_STEPS) -> float:
    """Return the κ whose mean resultant length is `length`, in [0, 1).

    The closed form of Banerjee et al. is off by a few per cent; each correction is one Newton step on A(κ) = length
    (Sra). Zero corrections give the closed form.
    """
    if not 0.0 <= length < 1.0:
        raise ValueError(f"a mean resultant length lies in [0, 1), not at {length}")
    if length == 0.0:
        return 0.0
    kappa = length * (dim - length * length) / (1.0 - length * length)
    for _ in range(corrections):
        ratio = bessel_ratio(kappa, dim)
        slope = 1.0 - ratio * ratio - (dim - 1.0) / kappa * ratio
        if slope <= 0.0:
            break
        updated = kappa - (ratio - length) / slope
        if not updated > 0.0:
            break
        done = abs(updated - kappa) <= _TOLERANCE * kappa
        kappa = updated
        if done:
            break
    return kappa


def estimate_vmf(
    vectors: npt.NDArray[np.floating],
    weights: npt.NDArray[np.floating] | None = None,
    *,
    corrections: int = _MAX_NEWTON_STEPS,
) -> VmfEstimate:
    """Estimate direction and concentration of unit `vectors` (n, dim), each counted by its weight.

    A cluster of one point, or of copies of one point, has no finite concentration and says so, as an empty one does.
    """
    mass = float(len(vectors)) if weights is None else float(np.sum(weights, dtype=np.float64))
    length = mean_resultant_length(vectors, weights) or 0.0
    members = len(vectors) if weights is None else int(np.count_nonzero(weights))
    if members == 0 or mass <= 0.0:
        return VmfEstimate(None, None, 0.0, 0.0, "the cluster is empty")
    direction = mean_direction(vectors, weights)
    if members == 1:
        return VmfEstimate(direction, None, length, mass, "the cluster has one member")
    if direction is None:
        return VmfEstimate(None, 0.0, 0.0, mass)
    if length >= 1.0 - _INDISTINCT:
        return VmfEstimate(direction, None, length, mass, "all members point the same way")
    kappa = concentration_of_length(length, vectors.shape[1], corrections=corrections)
    return VmfEstimate(direction, kappa, length, mass)
