"""The map: topics lie apart, terms among their documents, strays are drawn in, the same input gives the same bytes."""

import numpy as np
import pytest
from scipy import sparse

from taxocom.expansion.describe import node_map
from taxocom.expansion.describe.node_map import lay_out
from taxocom.numerics.sphere import unit_rows


def planted(n_groups=3, n_each=40, n_terms=20, dim=12):
    """Return documents by terms, term vectors and the group of each; one in five terms of a document is another's."""
    rng = np.random.default_rng(0)
    of_term = np.repeat(np.arange(n_groups), n_terms)
    centers = unit_rows(rng.standard_normal((n_groups, dim)))
    vectors = unit_rows(centers[of_term] + 0.3 / np.sqrt(dim) * rng.standard_normal((len(of_term), dim)))
    of_document = np.arange(n_groups * n_each) % n_groups
    counts = np.zeros((len(of_document), len(of_term)))
    for row, group in enumerate(of_document):
        own = rng.choice(np.flatnonzero(of_term == group), 8, replace=False)
        counts[row, [*own, *rng.choice(len(of_term), 2)]] = 1
    return sparse.csr_array(counts), vectors.astype(np.float32), of_document.astype(np.int32), of_term.astype(np.int32)


def neighbours_agree(xy, groups):
    apart = ((xy[:, None] - xy[None]) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    return float((groups[apart.argmin(axis=1)] == groups).mean())


@pytest.mark.xdist_group("umap")
def test_topics_lie_apart_and_the_same_input_gives_the_same_bytes():
    counts, vectors, documents, terms = planted()
    found = lay_out(counts, vectors, documents, terms)
    assert found.documents.shape == (len(documents), 2)
    assert found.terms.shape == (len(terms), 2)
    assert found.documents.dtype == found.terms.dtype == np.float32
    assert np.isfinite(found.documents).all()
    assert neighbours_agree(found.documents, documents) > 0.98
    again = lay_out(counts, vectors, documents, terms)
    assert again.documents.tobytes() + again.terms.tobytes() == found.documents.tobytes() + found.terms.tobytes()
    assert lay_out(counts, vectors, documents, terms, random_state=1).documents.tobytes() != found.documents.tobytes()


@pytest.mark.xdist_group("umap")
def test_terms_lie_among_the_documents_of_their_topic():
    counts, vectors, documents, terms = planted()
    found = lay_out(counts, vectors, documents, terms)
    middles = np.stack([found.documents[documents == group].mean(axis=0) for group in range(3)])
    nearest = ((found.terms[:, None] - middles[None]) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == terms).mean() > 0.98


@pytest.mark.xdist_group("umap")
def test_documents_beyond_the_landmarks_go_to_their_nearest_of_the_same_topic(monkeypatch):
    monkeypatch.setattr(node_map, "_LANDMARKS", 60)
    counts, vectors, documents, terms = planted()
    found = lay_out(counts, vectors, documents, terms)
    assert neighbours_agree(found.documents, documents) > 0.98


@pytest.mark.parametrize("n", [0, 1, 2, 89])
def test_few_documents_lie_in_their_main_plane(monkeypatch, n):
    monkeypatch.setattr(node_map, "_lay_out", lambda *_: pytest.fail("UMAP was asked"))
    counts, vectors, documents, terms = planted()
    found = lay_out(counts[:n], vectors, documents[:n], terms)
    assert found.documents.shape == (n, 2)
    assert found.terms.shape == (len(terms), 2)
    assert np.isfinite(found.terms).all()


def test_strays_are_drawn_in_and_order_stays():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((500, 2)).astype(np.float32)
    strays = np.array([[40.0, 0.0], [80.0, 0.0]], dtype=np.float32)
    drawn = node_map._evened(np.concatenate([points, strays]))
    assert np.ptp(drawn[:, 0]) < 1.1 * np.ptp(drawn[:500, 0])
    assert drawn[:, 0].argmax() == 501
    assert np.array_equal(np.argsort(drawn[:500, 1]), np.argsort(points[:, 1]))


@pytest.mark.xdist_group("umap")
def test_what_umap_compiles_is_kept():
    node_map._umap()
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
    node_map._umap.cache_clear()
    assert node_map._umap().__name__ == "UMAP"
