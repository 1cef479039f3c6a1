"""The map: terms that belong together lie together, the same input gives the same bytes, few terms need no UMAP."""

import numpy as np
import pytest

from taxocom.expansion.paper import term_map
from taxocom.expansion.paper.term_map import map_terms
from taxocom.numerics.sphere import unit_rows


def planted(n_groups=3, n_each=40, dim=12, noise=0.3):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(n_groups), n_each)
    centers = unit_rows(rng.standard_normal((n_groups, dim)))
    vectors = unit_rows(centers[groups] + noise / np.sqrt(dim) * rng.standard_normal((len(groups), dim)))
    return vectors, groups


def neighbours_agree(xy, groups):
    apart = ((xy[:, None] - xy[None]) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    return float((groups[apart.argmin(axis=1)] == groups).mean())


@pytest.mark.xdist_group("umap")
def test_groups_lie_apart_and_the_same_input_gives_the_same_bytes():
    vectors, groups = planted()
    weights = np.ones(len(vectors), dtype=np.float32)
    xy = map_terms(vectors, weights)
    assert xy.shape == (len(vectors), 2)
    assert xy.dtype == np.float32
    assert np.isfinite(xy).all()
    assert neighbours_agree(xy, groups) > 0.98
    assert map_terms(vectors, weights).tobytes() == xy.tobytes()
    assert map_terms(vectors, weights, random_state=1).tobytes() != xy.tobytes()


@pytest.mark.xdist_group("umap")
def test_terms_beyond_the_landmarks_go_to_the_middle_of_their_nearest(monkeypatch):
    monkeypatch.setattr(term_map, "_LANDMARKS", 90)
    vectors, groups = planted()
    weights = np.ones(len(vectors), dtype=np.float32)
    weights[::4] = 0.1
    xy = map_terms(vectors, weights)
    assert neighbours_agree(xy, groups) > 0.98
    landmarks = np.flatnonzero(weights == 1.0)
    alone = map_terms(vectors[landmarks], weights[landmarks])
    np.testing.assert_allclose(xy[landmarks], alone, atol=1e-2)


@pytest.mark.xdist_group("umap")
def test_what_umap_compiles_is_kept():
    term_map._umap()
    from umap import layouts

    kept = layouts._nb_optimize_layout_euclidean_single_epoch._cache
    assert type(kept).__name__ == "FunctionCache"


@pytest.mark.xdist_group("umap")
def test_umap_is_made_ready_while_another_layout_adds_to_its_modules(monkeypatch):
    from umap import layouts

    class Warned:
        def enable_caching(self):
            monkeypatch.setattr(layouts, "added_meanwhile", {}, raising=False)

    monkeypatch.setattr(layouts, "warned", Warned(), raising=False)
    term_map._umap.cache_clear()
    assert term_map._umap().__name__ == "UMAP"


@pytest.mark.parametrize("n", [0, 1, 2, 44])
def test_few_terms_lie_in_their_main_plane(monkeypatch, n):
    monkeypatch.setattr(term_map, "_lay_out", lambda *_: pytest.fail("UMAP was asked"))
    vectors = planted()[0][:n]
    xy = map_terms(vectors, np.ones(n, dtype=np.float32))
    assert xy.shape == (n, 2)
    assert np.abs(xy).max(initial=0.0) <= 1.0
