"""How many novel clusters: the count whose clusters, known and novel, are most evenly concentrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from taxocom.expansion.proposals.proposal import Candidate
from taxocom.numerics.arrays import Bools1d, Floats2d, Ints1d
from taxocom.numerics.vmf import VmfEstimate, estimate_vmf


def estimate_clusters(
    vectors: Floats2d, term_clusters: Ints1d, is_anchor: Bools1d, n_clusters: int
) -> tuple[VmfEstimate, ...]:
    """Estimate a vMF from the anchors of each cluster; `vectors` are unit rows (n_terms, dim)."""
    return tuple(
        estimate_vmf(vectors[np.flatnonzero(is_anchor & (term_clusters == cluster))]) for cluster in range(n_clusters)
    )


def concentrations(
    vectors: Floats2d, term_clusters: Ints1d, is_anchor: Bools1d, n_clusters: int
) -> tuple[float | None, ...]:
    """Return the concentration of each cluster's anchors; None where fewer than two different ones define none."""
    return tuple(
        estimate.concentration for estimate in estimate_clusters(vectors, term_clusters, is_anchor, n_clusters)
    )


def concentration_spread(values: Sequence[float | None]) -> float | None:
    """Return the standard deviation of the concentrations, or None if one is undefined or there are fewer than two.

    One cluster alone has nothing to be even with; a spread of 0 would make it win always.
    """
    defined = [value for value in values if value is not None]
    if len(defined) < len(values) or len(defined) < 2:
        return None
    return float(np.std(defined))


def undefined_reason(values: Sequence[float | None], names: Sequence[str] = ()) -> str:
    """Return why concentrations have no spread, naming the clusters at fault, or an empty string if they have one."""
    missing = [names[i] if i < len(names) else f"cluster {i + 1}" for i, value in enumerate(values) if value is None]
    if missing:
        listed = ", ".join(missing)
        return f"No concentration: {listed} {'has' if len(missing) == 1 else 'have'} fewer than two different anchors."
    if len(values) < 2:
        return "Fewer than two clusters have no spread of concentrations."
    return ""


def choose_by_spread(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the candidates in their order, the eligible one of least spread marked as chosen and all with a reason.

    A candidate that came ineligible keeps its reason; one without a spread becomes ineligible. The fewest novel
    clusters win a tie.
    """
    judged = [_judged(candidate) for candidate in candidates]
    eligible = [candidate for candidate in judged if candidate.eligible]
    if not eligible:
        return tuple(judged)
    best = min(eligible, key=lambda candidate: (candidate.concentration_spread, candidate.n_novel))
    return tuple(_placed(candidate, best) for candidate in judged)


def _judged(candidate: Candidate) -> Candidate:
    if not candidate.eligible or candidate.concentration_spread is not None:
        return replace(candidate, chosen=False)
    reason = undefined_reason(candidate.concentrations) or "The spread of concentrations is undefined."
    return replace(candidate, eligible=False, chosen=False, reason=reason)


def _placed(candidate: Candidate, best: Candidate) -> Candidate:
    if not candidate.eligible:
        return candidate
    spread, least = candidate.concentration_spread, best.concentration_spread
    if candidate is best:
        return replace(candidate, chosen=True, reason=f"The least spread of concentrations: {spread:.3g}.")
    return replace(candidate, reason=f"Spread of concentrations {spread:.3g}; {best.n_novel} novel has {least:.3g}.")
