"""Where a node's terms lie on the map."""

from __future__ import annotations

import warnings
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

from taxocom.numerics.arrays import Floats1d, Floats2d
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.sphere import unit_rows

_LANDMARKS = 3_000
_NEIGHBOURS = 15
_CARRIERS = 3


def map_terms(vectors: Floats2d, weights: Floats1d, *, random_state: int = 0) -> Floats2d:
    """Lay unit `vectors` out in the plane by UMAP, shape (n, 2); the same input gives the same bytes.

    UMAP with a fixed random state runs on one core, so beyond a few thousand terms only landmarks, those of greatest
    `weights`, are laid out by it and every other term goes to the middle of its nearest landmarks. With topical terms
    as landmarks general words, which are near everything, do not pull the topics together.
    """
    n_terms = len(vectors)
    if n_terms < 3 * _NEIGHBOURS:
        return _principal_plane(vectors)
    chosen = np.arange(n_terms)
    if n_terms > _LANDMARKS:
        chosen = np.sort(np.argsort(-weights, kind="stable")[:_LANDMARKS])
    placed = _lay_out(vectors[chosen], random_state)
    if len(chosen) == n_terms:
        return placed
    return _carried(vectors, vectors[chosen], placed)


def warm_up() -> None:
    """Have UMAP imported and compiled, on a few made-up points, which can pass while vectors are being trained."""
    _lay_out(unit_rows(np.random.default_rng(0).standard_normal((4 * _NEIGHBOURS, 8), dtype=np.float32)), 0)


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


def _lay_out(vectors: Floats2d, random_state: int) -> Floats2d:
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
            min_dist=0.1,
            metric="cosine",
            n_epochs=200,
            init=_principal_plane(vectors) * 10.0,
            random_state=random_state,
            n_jobs=1,
            precomputed_knn=(order.astype(np.int32), np.maximum(distances, 0.0).astype(np.float32), None),
        ).fit_transform(vectors)
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


def _carried(vectors: Floats2d, landmarks: Floats2d, placed: Floats2d) -> Floats2d:
    """Place every vector at the weighted middle of its nearest landmarks; a landmark stays where it is."""
    found = np.empty((len(vectors), 2), dtype=np.float32)
    with one_blas_thread():
        for start in range(0, len(vectors), 2_000):
            near = vectors[start : start + 2_000] @ landmarks.T
            top = np.argpartition(-near, _CARRIERS, axis=1)[:, :_CARRIERS]
            closeness = np.take_along_axis(near, top, axis=1).astype(np.float64)
            weights = 1.0 / np.maximum(1.0 - closeness, 1e-5) ** 2
            weights /= weights.sum(axis=1, keepdims=True)
            found[start : start + 2_000] = (placed[top] * weights[:, :, None]).sum(axis=1)
    return found
