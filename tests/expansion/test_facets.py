"""Facets: which of them belong to a known direction."""

import numpy as np

from taxocom.expansion.discovery.facets import FREE, find_facets
from taxocom.numerics.sphere import unit_rows

N = 60


def bundles(*directions, random_state=0):
    """Make N documents around each direction."""
    rng = np.random.default_rng(random_state)
    return np.concatenate(
        [
            unit_rows((np.asarray(direction) + 0.1 * rng.normal(size=(N, len(direction)))).astype(np.float32))
            for direction in directions
        ]
    )


def test_documents_around_a_known_direction_are_its_own_and_others_are_free():
    vectors = bundles([1, 0, 0], [0, 1, 0], [0, 0, 1])
    facets = find_facets(vectors, np.eye(3, dtype=np.float32)[:1])
    owners = facets.owners[facets.labels]
    assert (owners[:N] == 0).all()
    assert (owners[N:] == FREE).all()


def test_a_direction_that_its_documents_have_left_is_where_the_nearest_free_centre_is():
    # The name points between its documents and nothing, and a free centre in their midst takes them all.
    vectors = bundles([1, 0.6, 0], [0, -1, 0], [0, 0, 1])
    named = unit_rows(np.array([[1, -0.3, 0], [0, -1, 0]], dtype=np.float32))
    facets = find_facets(vectors, named)
    owners = facets.owners[facets.labels]
    assert (owners[:N] == 0).all()
    assert (owners[2 * N :] == FREE).all()


def test_a_direction_without_any_term_takes_nothing():
    vectors = bundles([1, 0, 0], [0, 1, 0])
    tied = np.array([[1, 0, 0], [0, 0, 0]], dtype=np.float32)
    assert 1 not in set(find_facets(vectors, tied).owners[find_facets(vectors, tied).labels])
