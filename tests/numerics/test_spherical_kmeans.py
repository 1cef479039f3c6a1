"""Clusters on the sphere: planted ones found, the objective only ever raised, nothing left to chance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from taxocom.numerics.sphere import unit_rows
from taxocom.numerics.spherical_kmeans import nearest_centers, spherical_kmeans


def planted(k=6, n=300, dim=20, noise=0.5, seed=0):
    rng = np.random.default_rng(seed)
    centers = unit_rows(rng.standard_normal((k, dim)))
    labels = rng.integers(0, k, n)
    return unit_rows(centers[labels] + noise / np.sqrt(dim) * rng.standard_normal((n, dim))), labels, centers


def same_partition(labels, others):
    pairs = set(zip(labels.tolist(), others.tolist(), strict=True))
    return len(pairs) == len(set(labels.tolist())) == len(set(others.tolist()))


def test_planted_clusters_are_found():
    vectors, labels, centers = planted()
    result = spherical_kmeans(vectors, 6)
    assert same_partition(result.labels, labels)
    assert (result.centers @ centers.T).max(axis=1).min() > 0.98
    assert result.sizes.sum() == len(vectors)


def test_by_hand():
    vectors = np.array([[1, 0.1], [1, -0.1], [-1, 0.1], [-1, -0.1]], np.float32)
    result = spherical_kmeans(vectors, 2)
    order = np.argsort(result.centers[:, 0])
    np.testing.assert_allclose(result.centers[order], [[-1, 0], [1, 0]], atol=1e-6)
    assert result.objective == pytest.approx(4 / np.sqrt(1.01), rel=1e-5)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 5))
def test_laws(n, k, seed):
    rng = np.random.default_rng([n, k, seed])
    vectors = unit_rows(rng.standard_normal((n, 4)))
    weights = rng.random(n) + 0.1
    last = -np.inf
    for iterations in (1, 2, 5, 50):
        result = spherical_kmeans(vectors, k, weights=weights, n_starts=1, max_iterations=iterations, random_state=seed)
        assert result.objective >= last - 1e-5
        last = result.objective
    np.testing.assert_allclose(np.linalg.norm(result.centers, axis=1), 1.0, atol=1e-5)
    cosines = vectors @ result.centers.T
    np.testing.assert_allclose(cosines.max(axis=1), result.similarities, atol=1e-5)
    assert result.objective == pytest.approx(float(weights @ cosines.max(axis=1)), rel=1e-4)
    assert (result.sizes > 0).sum() == min(n, k)


def test_more_starts_are_never_worse():
    vectors, _, _ = planted(k=8, noise=1.5)
    objectives = [spherical_kmeans(vectors, 8, n_starts=n).objective for n in (1, 3, 10)]
    assert objectives == sorted(objectives)


def test_same_bytes_however_many_blas_threads():
    vectors, _, _ = planted(n=9000, dim=50)
    results = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            results.append(spherical_kmeans(vectors, 5, n_starts=2))
    np.testing.assert_array_equal(results[0].centers, results[1].centers)
    np.testing.assert_array_equal(results[0].labels, results[1].labels)


def test_clusters_do_not_depend_on_the_order_of_vectors():
    vectors, _, _ = planted()
    order = np.random.default_rng(3).permutation(len(vectors))
    assert same_partition(spherical_kmeans(vectors, 6).labels[order], spherical_kmeans(vectors[order], 6).labels)


def test_weights_count_like_copies():
    vectors, _, _ = planted(n=40)
    weights = np.where(np.arange(40) < 10, 3.0, 1.0)
    start = vectors[[0, 20]]
    weighted = spherical_kmeans(vectors, 0, weights=weights, fixed_centers=start, update_fixed=True)
    copied = spherical_kmeans(
        np.repeat(vectors, weights.astype(int), axis=0), 0, fixed_centers=start, update_fixed=True
    )
    np.testing.assert_allclose(weighted.centers, copied.centers, atol=1e-5)


def test_held_centers_stay_and_free_ones_go_elsewhere():
    vectors, labels, centers = planted(noise=0.4)
    result = spherical_kmeans(vectors, 3, fixed_centers=centers[:3])
    np.testing.assert_allclose(result.centers[:3], centers[:3], atol=1e-6)
    assert (result.centers[3:] @ centers[3:].T).max(axis=0).min() > 0.98
    assert set(result.labels[labels == 0].tolist()) == {0}


def test_updated_centers_move_to_their_members():
    vectors, labels, centers = planted(k=2, noise=0.4)
    off = unit_rows(centers + 0.3 * centers[::-1])
    result = spherical_kmeans(vectors, 0, fixed_centers=off, update_fixed=True)
    assert ((result.centers * centers).sum(axis=1) > 0.99).all()
    assert ((off * centers).sum(axis=1) < 0.99).all()
    np.testing.assert_array_equal(result.labels, labels)


def test_more_clusters_than_distinct_vectors_are_reported_empty():
    vectors = np.repeat(np.eye(3, dtype=np.float32)[:2], 4, axis=0)
    result = spherical_kmeans(vectors, 4)
    assert sorted(result.sizes.tolist()) == [0, 0, 4, 4]
    assert np.isfinite(result.centers).all()


def test_an_empty_free_cluster_is_given_members():
    """Both fixed centres hold a group each; the free one must still find its own vector."""
    vectors = unit_rows(np.array([[1, 0, 0], [1, 0.1, 0], [0, 1, 0], [0.1, 1, 0], [0.7, 0.7, 0.3]]))
    result = spherical_kmeans(vectors, 1, fixed_centers=vectors[[0, 2]])
    assert result.sizes[2] >= 1


def test_ties_go_to_the_first():
    result = nearest_centers(np.array([[1, 0]], np.float32), np.array([[0, 1], [0, 1]], np.float32))
    assert result.labels.tolist() == [0]


def test_bad_arguments():
    vectors, _, _ = planted(n=5)
    with pytest.raises(ValueError, match="at least one centre"):
        spherical_kmeans(vectors, 0)
    with pytest.raises(ValueError, match="no vectors"):
        spherical_kmeans(vectors[:0], 2)
    with pytest.raises(ValueError, match="weights for 5 vectors"):
        spherical_kmeans(vectors, 2, weights=np.array([1, 1, 1, 1, -1]))


def test_a_sample_finds_the_start_and_all_vectors_go_on_from_it():
    vectors, labels, _ = planted(k=4, n=600)
    whole = spherical_kmeans(vectors, 4)
    sampled = spherical_kmeans(vectors, 4, sample=60)
    assert len(sampled.labels) == 600
    assert same_partition(sampled.labels, labels)
    assert sampled.objective == pytest.approx(whole.objective, rel=1e-4)
    same = spherical_kmeans(vectors, 4, sample=600)
    np.testing.assert_array_equal(same.centers, whole.centers)


def test_a_sample_is_decided_by_the_random_state_and_weighs_as_the_whole_does():
    vectors, labels, _ = planted(k=3, n=300)
    weights = np.where(labels == 0, 0.0, 1.0)
    one, same = (spherical_kmeans(vectors, 2, weights=weights, sample=50, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(one.centers, same.centers)
    kept = labels > 0
    assert same_partition(one.labels[kept], labels[kept])


def test_a_tolerance_stops_before_the_last_labels_settle():
    vectors, _, _ = planted(k=8, n=2000, noise=3.0)
    exact = spherical_kmeans(vectors, 8, n_starts=1)
    early = spherical_kmeans(vectors, 8, n_starts=1, tolerance=1e-3)
    assert early.iterations < exact.iterations
    assert exact.objective * 0.99 < early.objective <= exact.objective
