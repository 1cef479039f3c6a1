"""k-means on the unit sphere: clusters by cosine, k-means++ starts, and centres that may be given.

Everything is decided by the random state: matrix products run on one thread, sums run in a fixed order in float64, and
ties go to the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from taxocom.numerics.arrays import Doubles, Floats1d, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.sphere import unit_rows

_BLOCK = 8192
_TINY = 1e-12


@dataclass(frozen=True)
class KMeansResult:
    """Clusters of unit vectors.

    `centers` (n_fixed + k, dim): the fixed centres first. `labels` (n,) index them; `similarities` (n,) are cosines to
    the own centre. `objective` is the weighted sum of similarities, what the algorithm raises. `sizes` counts members:
    0 tells of a centre that found none, for which only fixed ones and those beyond the number of distinct vectors stay.
    """

    centers: Floats2d
    labels: Ints1d
    similarities: Floats1d
    objective: float
    iterations: int
    sizes: Ints1d


@dataclass(frozen=True)
class Assignment:
    """The nearest centre of each vector and the cosine to it, both of shape (n,)."""

    labels: Ints1d
    similarities: Floats1d


def nearest_centers(vectors: Floats2d, centers: Floats2d) -> Assignment:
    """Assign unit `vectors` (n, dim) to the unit `centers` (k, dim) of highest cosine; the first wins a tie."""
    with one_blas_thread():
        return _nearest(vectors, centers)


def _nearest(vectors: Floats2d, centers: Floats2d) -> Assignment:
    labels = np.empty(len(vectors), dtype=np.int32)
    similarities = np.empty(len(vectors), dtype=np.float32)
    transposed = np.ascontiguousarray(centers.T)
    for first in range(0, len(vectors), _BLOCK):
        products = vectors[first : first + _BLOCK] @ transposed
        best = products.argmax(axis=1)
        labels[first : first + _BLOCK] = best
        similarities[first : first + _BLOCK] = np.take_along_axis(products, best[:, None], axis=1)[:, 0]
    return Assignment(labels, similarities)


def spherical_kmeans(
    vectors: Floats2d,
    k: int,
    *,
    weights: npt.NDArray[np.floating] | None = None,
    fixed_centers: Floats2d | None = None,
    update_fixed: bool = False,
    n_starts: int = 10,
    max_iterations: int = 100,
    sample: int | None = None,
    tolerance: float = 0.0,
    random_state: int = 0,
) -> KMeansResult:
    """Cluster `vectors` (n, dim) around `k` free centres and any `fixed_centers`; return the best of `n_starts`.

    Fixed centres attract members like the others, so the free ones start and stay where the fixed ones explain least.
    They are held in place unless `update_fixed`, when they only start where they were given. Of more than `sample`
    vectors only so many are used to find the best start, from which all of them go on. The centres have settled when
    no label changes, or when the objective gains no more than `tolerance` times itself.
    """
    rows = unit_rows(vectors)
    fixed = np.empty((0, rows.shape[1]), np.float32) if fixed_centers is None else unit_rows(fixed_centers)
    mass = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64)
    if k < 0 or k + len(fixed) == 0:
        raise ValueError(f"k is {k} with {len(fixed)} fixed centres; at least one centre is needed")
    if len(rows) == 0:
        raise ValueError("there are no vectors to cluster")
    if len(mass) != len(rows) or mass.min() < 0.0:
        raise ValueError(
            f"{len(mass)} weights for {len(rows)} vectors, the least {mass.min()}; give one, 0 or more, each"
        )
    rules = _Rules(0 if update_fixed else len(fixed), len(fixed), max_iterations, tolerance)
    tried, tried_mass = rows, mass
    if sample is not None and sample < len(rows):
        chosen = np.sort(np.random.default_rng([random_state, n_starts]).choice(len(rows), sample, replace=False))
        tried, tried_mass = rows[chosen], mass[chosen]
    best: KMeansResult | None = None
    # Once around all: a small product takes less time than holding the library to one thread does.
    with one_blas_thread():
        for start in range(n_starts if k > 0 else 1):
            rng = np.random.default_rng([random_state, start])
            centers = np.concatenate([fixed, _spread_starts(tried, tried_mass, k, fixed, rng)])
            found = _improve(tried, tried_mass, centers, rules)
            if best is None or found.objective > best.objective:
                best = found
        assert best is not None
        return best if tried is rows else _improve(rows, mass, best.centers, rules)


@dataclass(frozen=True)
class _Rules:
    """How centres move: the first `n_held` never, the first `n_fixed` stay empty if they are; and when it ends."""

    n_held: int
    n_fixed: int
    max_iterations: int
    tolerance: float


def _spread_starts(rows: Floats2d, mass: Doubles, k: int, fixed: Floats2d, rng: np.random.Generator) -> Floats2d:
    """Choose `k` rows by greedy k-means++: likely far from the centres so far, the best of a few candidates.

    On the sphere the squared distance is 2 - 2 cos, so 1 - cos takes its place.
    """
    chosen = np.empty((k, rows.shape[1]), dtype=np.float32)
    gaps = np.full(len(rows), 2.0)
    if len(fixed) > 0:
        gaps -= 1.0 + _nearest(rows, fixed).similarities
    n_candidates = 2 + int(np.log(max(k, 1)))
    for index in range(k):
        chances = mass * np.maximum(gaps, 0.0)
        if chances.sum() <= _TINY:
            chances = np.ones(len(rows))
        reach = np.cumsum(chances)
        picks = np.searchsorted(reach, rng.random(n_candidates) * reach[-1], side="right").clip(max=len(rows) - 1)
        candidate_gaps = np.minimum(gaps[:, None], 1.0 - rows @ rows[picks].T)
        winner = int(np.argmin(mass @ candidate_gaps))
        chosen[index] = rows[picks[winner]]
        gaps = candidate_gaps[:, winner]
    return chosen


def _improve(rows: Floats2d, mass: Doubles, centers: Floats2d, rules: _Rules) -> KMeansResult:
    """Alternate assignment and means until the centres have settled."""
    assignment = _nearest(rows, centers)
    objective = _objective(mass, assignment)
    iterations, settled = 0, False
    while iterations < rules.max_iterations and not settled:
        iterations += 1
        labels = _fill_empty(assignment, mass, len(centers), rules.n_fixed)
        centers = _moved(rows, mass, labels, centers, rules.n_held)
        updated = _nearest(rows, centers)
        before, objective = objective, _objective(mass, updated)
        settled = np.array_equal(updated.labels, assignment.labels)
        settled |= 0.0 <= objective - before < rules.tolerance * abs(objective)
        assignment = updated
    sizes = np.bincount(assignment.labels, minlength=len(centers)).astype(np.int32)
    return KMeansResult(centers, assignment.labels, assignment.similarities, objective, iterations, sizes)


def _objective(mass: Doubles, assignment: Assignment) -> float:
    return float(mass @ assignment.similarities.astype(np.float64))


def _fill_empty(assignment: Assignment, mass: Doubles, n_centers: int, n_fixed: int) -> Ints1d:
    """Give each free centre without members the vector that fits its own centre worst, one apiece."""
    labels = assignment.labels
    sizes = np.bincount(labels, minlength=n_centers)
    empty = n_fixed + np.flatnonzero(sizes[n_fixed:] == 0)
    if len(empty) == 0:
        return labels
    misfit = np.where(mass > 0.0, 1.0 - assignment.similarities, -1.0)
    labels = labels.copy()
    for center in empty:
        worst = int(np.argmax(misfit))
        if misfit[worst] <= 1e-6:
            break
        labels[worst] = center
        misfit[worst] = -1.0
    return labels


def _moved(rows: Floats2d, mass: Doubles, labels: Ints1d, centers: Floats2d, held: int) -> Floats2d:
    """Return the mean directions of the clusters; a held, empty or cancelled one keeps its centre."""
    sums = np.zeros(centers.shape, dtype=np.float64)
    add_by_label(rows, mass, labels, sums)
    lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
    moved = centers.copy()
    movable = np.flatnonzero(lengths > _TINY)
    movable = movable[movable >= held]
    moved[movable] = (sums[movable] / lengths[movable, None]).astype(np.float32)
    return moved


def _add_by_label(rows: Any, mass: Any, labels: Any, sums: Any) -> None:
    """Add each row times its mass to the sum of its label, in the order of the rows."""
    for i in range(rows.shape[0]):
        weight = mass[i]
        label = labels[i]
        for j in range(rows.shape[1]):
            sums[label, j] += weight * np.float64(rows[i, j])


add_by_label = numba.njit(cache=True, nogil=True)(_add_by_label)
