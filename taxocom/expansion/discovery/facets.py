"""Facets: small, coherent groups of documents, finer than any topic; some are tied to a known topic, most are free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from taxocom.expansion.paper.embedding import DocumentDirections
from taxocom.numerics.arrays import UNASSIGNED, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.sphere import unit_rows
from taxocom.numerics.spherical_kmeans import nearest_centers, spherical_kmeans

FREE = UNASSIGNED
"""The owner of a facet that no known direction is tied to."""

_FACETS_A_DIRECTION = 5
_FEWEST_FACETS = 15
_MOST_FACETS = 80
_LEAST_DOCUMENTS = (20, 60)
_MOST_OF_A_NODE = 1 / 20
_FREE_SHARE = 0.4
_TIE = 0.3
# Documents that are drawn to their neighbours lie nearer to one another than to the vector of any term.
_WITNESSES = 2.0
_ROUNDS = 30
_SAMPLE = 20_000


@dataclass(frozen=True)
class Facets:
    """`labels` gives each document its facet, `owners` each facet the known direction it belongs to, or `FREE`."""

    labels: Ints1d
    owners: Ints1d
    centers: Floats2d

    def __len__(self) -> int:
        return len(self.owners)


def name_directions(
    names: Sequence[Ints1d],
    counts: sparse.csr_array | sparse.csc_array,
    directions: DocumentDirections,
    terms: Floats2d,
) -> Floats2d:
    """Give every known direction (a few term ids each) the mean of the documents that use its terms, and its terms.

    A direction none of whose terms occurs here is a zero row: nothing will be nearest to it.
    """
    columns = counts.tocsc()
    found = np.zeros((len(names), directions.vectors.shape[1]), dtype=np.float32)
    for row, ids in enumerate(names):
        for term in ids:
            members = columns.indices[columns.indptr[term] : columns.indptr[term + 1]]
            if len(members) == 0:
                continue
            weights = np.log1p(columns.data[columns.indptr[term] : columns.indptr[term + 1]]).astype(np.float32)
            witnesses = unit_rows((weights @ directions.vectors[members])[None])[0]
            found[row] += _WITNESSES * witnesses + directions.project(terms[term][None])[0]
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 1e-6))


def find_facets(vectors: Floats2d, tied: Floats2d, *, random_state: int = 0) -> Facets:
    """Cluster documents around the `tied` directions and free ones started far from them, then halve what is large.

    Halving until all facets are of like size gives a known topic several facets as well: how alike those are is what
    a novel topic is later measured by.
    """
    n_documents = len(vectors)
    n_facets = min(max(_FACETS_A_DIRECTION * len(tied), _FEWEST_FACETS), _MOST_FACETS)
    least = float(np.clip(_MOST_OF_A_NODE * n_documents, *_LEAST_DOCUMENTS))
    target = max(least, n_documents / n_facets)
    n_free = max(2, int(min(_FREE_SHARE * n_facets, n_documents / (2 * least))))
    sample = vectors
    if n_documents > _SAMPLE:
        sample = vectors[np.random.default_rng(random_state).choice(n_documents, _SAMPLE, replace=False)]
    starts = spherical_kmeans(
        sample,
        n_free,
        fixed_centers=tied if len(tied) else None,
        n_starts=1,
        max_iterations=5,
        random_state=random_state,
    ).centers
    centers = _settle(sample, starts, tied)
    labels = nearest_centers(vectors, centers).labels
    owners = _owners(labels, centers, tied)
    return _halve(vectors, labels, owners, centers, target, random_state)


def _owners(labels: Ints1d, centers: Floats2d, tied: Floats2d) -> list[int]:
    """Tell whose each centre is: the first those of the `tied` directions, the others free.

    Of a direction that all documents have left for a free centre, the nearest free centre is the place.
    """
    owners = np.full(len(centers), FREE)
    owners[: len(tied)] = np.arange(len(tied))
    sizes = np.bincount(labels, minlength=len(centers))
    for direction in np.flatnonzero((sizes[: len(tied)] == 0) & tied.any(axis=1)):
        free = np.flatnonzero((owners == FREE) & (sizes > 0))
        if len(free):
            owners[free[(centers[free] @ tied[direction]).argmax()]] = direction
    return [int(owner) for owner in owners]


def _settle(vectors: Floats2d, centers: Floats2d, tied: Floats2d) -> Floats2d:
    """Move every centre to its documents, the tied ones (the first) on a leash to where they were given."""
    for _ in range(_ROUNDS):
        near = nearest_centers(vectors, centers)
        pull = sparse.csr_array(
            (np.maximum(near.similarities, 0.0), (near.labels, np.arange(len(vectors)))),
            shape=(len(centers), len(vectors)),
        )
        with one_blas_thread():
            moved = _units_or(np.asarray(pull @ vectors, dtype=np.float32), centers)
        moved[: len(tied)] = _units_or((1.0 - _TIE) * moved[: len(tied)] + _TIE * tied, tied)
        change = float(np.abs(moved - centers).max(initial=0.0))
        centers = moved
        if change < 1e-3:
            break
    return centers


def _units_or(rows: Floats2d, fallback: Floats2d) -> Floats2d:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(lengths > 1e-6, rows / np.maximum(lengths, 1e-6), fallback).astype(np.float32)


def _halve(
    vectors: Floats2d, labels: Ints1d, owners: list[int], centers: Floats2d, target: float, random_state: int
) -> Facets:
    labels = labels.copy()
    rows = list(centers)
    pending = list(range(len(rows)))
    while pending:
        facet = pending.pop()
        members = np.flatnonzero(labels == facet)
        if len(members) <= target:
            continue
        halves = spherical_kmeans(vectors[members], 2, n_starts=1, max_iterations=15, random_state=random_state)
        if min(np.bincount(halves.labels, minlength=2)) < target / 4:
            continue
        rows[facet] = halves.centers[0]
        rows.append(halves.centers[1])
        owners.append(owners[facet])
        labels[members[halves.labels == 1]] = len(rows) - 1
        pending += [facet, len(rows) - 1]
    return Facets(labels.astype(np.int32), np.array(owners, dtype=np.int32), np.array(rows, dtype=np.float32))
