"""How easily groups of documents are taken for one another: the engine's measure of kinship between topics.

A naive Bayes classifier is trained on half of the documents and asked about the other half. What it answers when a
document's own group is struck from the list tells which groups speak of the same thing. On 20 Newsgroups the nearest
group by this measure has the same first-level topic 84 times in 100, the nearest by the cosine of centres 61 times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from taxocom.numerics.arrays import Doubles, Floats2d, Ints, Ints1d
from taxocom.numerics.blas import one_blas_thread

_FOLDS = 2
_PRIOR_MASS = 50.0
_LEAST_LIFT = 1e-4
_ASKED = 6_000


@dataclass(frozen=True)
class Affinity:
    """What the held-out classifier said.

    `links` (n_groups, n_groups) is symmetric: how much more often than chance two groups are each other's second
    choice, as a logarithm, in units of the largest value possible; 1 is "always", 0 is chance. `evidence`
    (n_documents, n_groups) is the held-out log-likelihood ratio of every document, evened out for its length.
    """

    links: Doubles
    evidence: Floats2d
    sizes: Ints1d


@dataclass(frozen=True)
class Outside:
    """The documents outside a node by their groups: `sums` (n_groups, n_terms) of the damped counts, and `sizes`."""

    sums: Floats2d
    sizes: Ints


def add_up_outside(damped: sparse.csr_array, groups: Ints1d) -> Outside:
    """Add up the documents outside a node, once for all that is measured in it; `groups` are numbered from 0."""
    n_groups = int(groups.max(initial=-1)) + 1
    return Outside(_sums(damped, groups, n_groups), np.bincount(groups, minlength=n_groups))


def measure_affinity(
    damped: sparse.csr_array,
    groups: Ints1d,
    n_groups: int,
    *,
    outside: Outside | None = None,
    random_state: int = 0,
) -> Affinity:
    """Measure how `groups` (a group id for each row of `damped`) are confused with one another.

    Documents `outside` the node are known to the classifier too, so that a lower node's links are on the same scale as
    the root's.
    """
    evidence = _held_out_evidence(damped, groups, n_groups, None if outside is None else outside.sums, random_state)
    sizes = np.bincount(groups, minlength=n_groups)
    links = _links(evidence, groups, sizes, np.empty(0, np.int64) if outside is None else outside.sizes)
    return Affinity(links, evidence[:, :n_groups], sizes.astype(np.int32))


def links_of_groups(affinity: Affinity, facet_labels: Ints1d, groups: Sequence[tuple[int, ...]]) -> Doubles:
    """Measure the links again with each group of facets as one; documents of facets in no group are left out.

    Between facets much finer than topics the second choice is nearly always another piece of the same topic, and says
    nothing of its neighbours. Taken as one, the pieces are struck together.
    """
    home = np.full(len(affinity.sizes), -1)
    for index, group in enumerate(groups):
        home[list(group)] = index
    asked = np.flatnonzero(home[facet_labels] >= 0)
    asked = asked[:: max(len(asked) // _ASKED, 1)]
    evidence = affinity.evidence[asked]
    joined = np.stack([logsumexp(evidence[:, list(group)], axis=1) for group in groups], axis=1)
    sizes = np.array([affinity.sizes[list(group)].sum() for group in groups])
    return _links(joined, home[facet_labels[asked]].astype(np.int32), sizes, np.empty(0, np.int64))


def _links(evidence: Floats2d, groups: Ints1d, sizes: Ints, others: Ints) -> Doubles:
    """Turn second choices into symmetric log-lifts; `others` are the sizes of the groups outside the node."""
    n_groups = len(sizes)
    shares = np.concatenate([sizes, others]) / max(sizes.sum() + others.sum(), 1)
    second = _second_choices(evidence, groups, n_groups)
    lifts = np.log(second / np.maximum(shares[:n_groups], 1e-6) + _LEAST_LIFT)
    occupied = sizes > 0
    scale = max(float(np.average(-np.log(shares[:n_groups][occupied]), weights=sizes[occupied])), 1.0)
    links = np.asarray((lifts + lifts.T) / (2.0 * scale))
    np.fill_diagonal(links, -np.inf)
    links[~occupied, :] = links[:, ~occupied] = -np.inf
    return links


def _held_out_evidence(
    damped: sparse.csr_array, groups: Ints1d, n_groups: int, context: Floats2d | None, random_state: int
) -> Floats2d:
    n_columns = n_groups + (0 if context is None else len(context))
    folds = np.random.default_rng(random_state).integers(_FOLDS, size=damped.shape[0])
    evidence = np.empty((damped.shape[0], n_columns), dtype=np.float32)
    with one_blas_thread():
        for fold in range(_FOLDS):
            taught, asked = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            sums = _sums(damped[taught], groups[taught], n_groups)
            weights = _log_ratios(sums if context is None else np.concatenate([sums, context]))
            evidence[asked] = damped[asked] @ weights.T
    lengths = np.asarray(damped.sum(axis=1), dtype=np.float32).ravel()
    evidence /= np.sqrt(np.maximum(lengths, 1.0))[:, None]
    return evidence


def _sums(damped: sparse.csr_array, groups: Ints1d, n_groups: int) -> Floats2d:
    """Add up the rows of each group, shape (n_groups, n_terms)."""
    n_rows = damped.shape[0]
    members = sparse.csr_array((np.ones(n_rows, np.float32), (groups, np.arange(n_rows))), shape=(n_groups, n_rows))
    return np.asarray((members @ damped).toarray(), dtype=np.float32)


def _log_ratios(sums: Floats2d) -> Floats2d:
    """Log-ratio of every term's rate in a group to its rate overall, shrunk towards no difference."""
    background = sums.sum(axis=0, dtype=np.float64)
    background /= max(background.sum(), 1.0)
    rates = (sums + _PRIOR_MASS * background) / (sums.sum(axis=1, dtype=np.float64)[:, None] + _PRIOR_MASS)
    ratios = np.zeros_like(sums)
    seen = background > 0
    ratios[:, seen] = np.log(rates[:, seen]) - np.log(background[seen])
    return ratios


def _second_choices(evidence: Floats2d, groups: Ints1d, n_groups: int) -> Doubles:
    """For each group, the mean posterior of the other groups over its documents, shape (n_groups, n_groups)."""
    rows = evidence.astype(np.float64)
    rows[np.arange(len(rows)), groups] = -np.inf
    rows -= rows.max(axis=1, keepdims=True)
    np.exp(rows, out=rows)
    rows /= rows.sum(axis=1, keepdims=True)
    members = sparse.csr_array((np.ones(len(rows)), (groups, np.arange(len(rows)))), shape=(n_groups, len(rows)))
    totals = np.asarray(members @ rows[:, :n_groups])
    return totals / np.maximum(np.bincount(groups, minlength=n_groups), 1)[:, None]
