"""Where a node's documents and terms lie on the map: one geography for both."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from taxocom.numerics.arrays import Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.sphere import unit_rows

_LANDMARKS = 3_000
"""UMAP with a fixed random state runs on one core: beyond this many documents it lays out a part of them."""
_NEIGHBOURS = 30
_APART = 0.8
"""How close neighbours may lie: far enough apart that a topic is an area, as wide as it has documents, and no heap."""
_CARRIERS = 3
_TARGET_WEIGHT = 0.5
"""How much of the graph is the clusters' word: half of it, the rest is the likeness of the texts
(`benchmarks/results/map_places.md` has other weights beside it)."""
_EVENED = 0.6
"""How far the points are spread evenly over either axis: gaps between topics, and strays beyond them, take no more of
the frame than that leaves them. What lies left or above stays so."""
_STRAYS = 0.01
_WIDE = 1.35
"""Wide by high: the frame of the map on a laptop."""


@dataclass(frozen=True)
class NodeMap:
    """Coordinates of a node's documents (n_documents, 2) and of its terms (n_terms, 2), in the same plane."""

    documents: Floats2d
    terms: Floats2d


def lay_out(
    counts: sparse.csr_array,
    vectors: Floats2d,
    document_cluster: Ints1d,
    term_cluster: Ints1d,
    *,
    random_state: int = 0,
) -> NodeMap:
    """Lay a node's documents out by UMAP, and its terms among them; the same input gives the same bytes.

    `counts` (n_documents, n_terms) and the unit `vectors` of the terms place each document in the node's own space;
    its exact neighbours there and, as a target, its cluster (-1: none) decide where it lies. Of many documents evenly
    spread landmarks are laid out so, and every other goes to the middle of its nearest landmarks, of its own cluster if
    it has one. So does every term, among the documents: a topic's terms and its documents have one place.
    """
    documents, own = _directions(counts, vectors)
    landmarks = _landmarks(len(documents))
    placed = _evened(_placed(documents[landmarks], document_cluster[landmarks], random_state))
    if len(landmarks) == len(documents):
        xy = placed
    else:
        xy = _carried(documents, document_cluster, documents[landmarks], document_cluster[landmarks], placed)
        xy[landmarks] = placed
    terms = _carried(own, term_cluster, documents[landmarks], document_cluster[landmarks], placed)
    return NodeMap(xy, terms)


def _directions(counts: sparse.csr_array, vectors: Floats2d) -> tuple[Floats2d, Floats2d]:
    """Return unit vectors of documents and terms: damped, rare terms counting more, less what all documents share."""
    damped = counts.astype(np.float32)
    damped.data = np.log1p(damped.data)
    frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log(max(counts.shape[0], 1) / np.maximum(frequencies, 1)).astype(np.float32)
    raw = unit_rows(np.asarray(damped @ (vectors * rarity[:, None]), dtype=np.float32))
    middle = raw.mean(axis=0) if len(raw) else np.zeros(vectors.shape[1], dtype=np.float32)
    return unit_rows(raw - middle), unit_rows(vectors - middle)


def _landmarks(n_documents: int) -> Ints1d:
    chosen = np.linspace(0, n_documents - 1, min(n_documents, _LANDMARKS))
    return np.unique(chosen.astype(np.int32)).astype(np.int32)


def _placed(vectors: Floats2d, clusters: Ints1d, random_state: int) -> Floats2d:
    if len(vectors) < 3 * _NEIGHBOURS:
        return _principal_plane(vectors)
    return _lay_out(vectors, clusters, random_state)


def _evened(xy: Floats2d) -> Floats2d:
    """Return the points with the gaps between them narrowed and strays drawn in, the longer axis lying across."""
    if len(xy) < 2:
        return xy
    places = np.empty(xy.shape)
    for axis in range(2):
        low, high = np.quantile(xy[:, axis], [_STRAYS, 1 - _STRAYS])
        scaled = np.clip((xy[:, axis] - low) / max(float(high - low), 1e-9), -_STRAYS, 1 + _STRAYS)
        rank = np.argsort(np.argsort(xy[:, axis], kind="stable"), kind="stable") / (len(xy) - 1)
        places[:, axis] = (1 - _EVENED) * scaled + _EVENED * rank - 0.5
    if np.ptp(xy[:, 1]) > np.ptp(xy[:, 0]):
        places = places[:, ::-1]
    return np.asarray(places * [_WIDE, 1.0], dtype=np.float32)


def warm_up() -> None:
    """Have UMAP imported and compiled, on a few made-up points, which can pass while vectors are being trained."""
    vectors = unit_rows(np.random.default_rng(0).standard_normal((4 * _NEIGHBOURS, 8), dtype=np.float32))
    _lay_out(vectors, (np.arange(len(vectors)) % 3 - 1).astype(np.int32), 0)


@cache
def _umap() -> Any:
    """Import UMAP, and have what it compiles kept on disk: it asks for no such cache itself, and takes seconds."""
    # Imported here: UMAP brings numba's compiler along, which no other part of a page needs.
    from umap import UMAP, layouts, umap_, utils

    for module in (layouts, umap_, utils):
        # As a list: a first layout that runs beside this one adds to the module, which remembers what it warned of.
        for function in list(vars(module).values()):
            if hasattr(function, "enable_caching"):
                # Where nothing may be written it is compiled again each time, as before.
                with suppress(RuntimeError):
                    function.enable_caching()
    return UMAP


def _lay_out(vectors: Floats2d, clusters: Ints1d, random_state: int) -> Floats2d:
    with one_blas_thread():
        near = vectors @ vectors.T
    order = np.argsort(-near, axis=1, kind="stable")[:, :_NEIGHBOURS]
    distances = 1.0 - np.take_along_axis(near, order, axis=1)
    with warnings.catch_warnings():
        # UMAP warns that it could not transform further points, which nobody asks it to.
        warnings.filterwarnings("ignore", message="precomputed_knn")
        warnings.filterwarnings("ignore", message="n_jobs value")
        layout = _umap()(
            n_neighbors=_NEIGHBOURS,
            min_dist=_APART,
            metric="cosine",
            n_epochs=200,
            init=_principal_plane(vectors) * 10.0,
            random_state=random_state,
            n_jobs=1,
            precomputed_knn=(order.astype(np.int32), np.maximum(distances, 0.0).astype(np.float32), None),
            target_weight=_TARGET_WEIGHT,
        ).fit_transform(vectors, y=clusters if len(np.unique(clusters)) > 1 else None)
    return np.asarray(layout, dtype=np.float32)


def _principal_plane(vectors: Floats2d) -> Floats2d:
    """Return the two main coordinates, scaled to [-1, 1]."""
    if len(vectors) < 2:
        return np.zeros((len(vectors), 2), dtype=np.float32)
    rows = (vectors - vectors.mean(axis=0)).astype(np.float64)
    with one_blas_thread():
        axes = np.linalg.eigh(rows.T @ rows)[1][:, ::-1][:, :2]
        axes *= np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1.0, 1.0)
        plane = rows @ axes
    return np.asarray(plane / max(float(np.abs(plane).max()), 1e-9), dtype=np.float32)


def _carried(
    vectors: Floats2d, clusters: Ints1d, landmarks: Floats2d, landmark_clusters: Ints1d, placed: Floats2d
) -> Floats2d:
    """Place every vector at the weighted middle of its nearest landmarks, of its own cluster where that has any."""
    found = np.zeros((len(vectors), 2), dtype=np.float32)
    for cluster in np.unique(clusters):
        rows = np.flatnonzero(clusters == cluster)
        own = np.flatnonzero(landmark_clusters == cluster) if cluster >= 0 else np.arange(0)
        among = own if len(own) else np.arange(len(landmarks))
        for start in range(0, len(rows), 2_000):
            some = rows[start : start + 2_000]
            found[some] = _middle_of_nearest(vectors[some], landmarks[among], placed[among])
    return found


def _middle_of_nearest(vectors: Floats2d, landmarks: Floats2d, placed: Floats2d) -> Floats2d:
    n_carriers = min(_CARRIERS, len(landmarks))
    if not n_carriers:
        return np.zeros((len(vectors), 2), dtype=np.float32)
    with one_blas_thread():
        near = vectors @ landmarks.T
    top = np.argpartition(-near, n_carriers - 1, axis=1)[:, :n_carriers]
    closeness = np.take_along_axis(near, top, axis=1).astype(np.float64)
    weights = 1.0 / np.maximum(1.0 - closeness, 1e-5) ** 2
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray((placed[top] * weights[:, :, None]).sum(axis=1), dtype=np.float32)
