"""What travels to the map can be read back as what was meant."""

import base64
import json
import struct

import numpy as np
import pytest

from taxocom.ui.map import MapPoints, pack_points, pack_state
from tests.ui.fabricate import Fabricated, fabricate_project


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Fabricated:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(tmp_path_factory.mktemp("home")))
        return fabricate_project("map")


@pytest.fixture
def points(made: Fabricated) -> MapPoints:
    return pack_points(made.expansion, made.project.corpus().vocabulary)


def test_points_unpack_to_terms_places_and_documents(made: Fabricated, points: MapPoints):
    n, n_text, n_digest = struct.unpack("<III", points.packed[:12])
    body = points.packed[12:]
    vocabulary = made.project.corpus().vocabulary
    assert n == len(made.expansion.terms)
    np.testing.assert_array_equal(np.frombuffer(body, "<f4", 2 * n).reshape(n, 2), made.expansion.terms.xy)
    documents = np.frombuffer(body, "<i4", n, offset=12 * n)
    np.testing.assert_array_equal(documents, vocabulary.document_frequencies[made.expansion.terms.term_ids])
    text = body[18 * n : 18 * n + n_text]
    assert json.loads(text) == vocabulary.select(made.expansion.terms.term_ids)
    assert body[18 * n + n_text :] == points.digest.encode()
    assert n_digest == len(points.digest)


def test_the_state_carries_clusters_names_and_pins(made: Fabricated, points: MapPoints):
    vocabulary = made.project.corpus().vocabulary
    first = made.expansion.clusters[0]
    state = pack_state(
        made.expansion,
        vocabulary,
        points,
        labels={first.cluster_id: "Government"},
        pinned=[int(vocabulary.id_of("goal"))],
    )
    assert state["clusters"][0]["label"] == "Government"
    cluster = np.frombuffer(base64.b64decode(state["cluster"]), "<i2")
    np.testing.assert_array_equal(cluster, made.expansion.terms.cluster)
    flags = np.frombuffer(base64.b64decode(state["flags"]), np.uint8)
    assert np.flatnonzero(flags & 4).tolist() == [vocabulary.id_of("goal")]
    low, high = state["scales"]["novelty"]
    novelty = low + np.frombuffer(base64.b64decode(state["novelty"]), "<u2") / 65535 * (high - low)
    np.testing.assert_allclose(novelty, made.expansion.terms.novelty, atol=1e-4)


def test_a_name_changes_the_state_and_leaves_the_points(made: Fabricated, points: MapPoints):
    vocabulary = made.project.corpus().vocabulary
    states = [
        pack_state(made.expansion, vocabulary, points, labels=labels)
        for labels in ({}, {made.expansion.clusters[0].cluster_id: "Government"})
    ]
    assert states[0]["state"] != states[1]["state"]
    assert states[0]["points"] == states[1]["points"] == points.digest
