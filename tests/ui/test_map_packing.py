"""What travels to the map can be read back as what was meant."""

import base64
import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from taxocom.store.projects.document_places import document_places
from taxocom.ui import map as node_map
from taxocom.ui.map import NodePoints, pack_node, pack_state
from taxocom.workflow.node_picture import node_picture
from tests.ui.fabricate import Fabricated, fabricate_project


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Fabricated:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(tmp_path_factory.mktemp("home")))
        return fabricate_project("map")


@pytest.fixture
def points(made: Fabricated) -> NodePoints:
    return pack_node(made.expansion, made.project.corpus(), {"d1": "A title"})


def packed_state(made: Fabricated, points: NodePoints, names=None, **options):
    places = document_places(made.project)
    picture = node_picture(made.expansion, places, settled=(), names=names or {}, slots={})
    return pack_state(made.expansion, picture, points, **options)


def unpacked(packed: bytes):
    n, n_text, n_digest = struct.unpack("<III", packed[:12])
    body = packed[12:]
    assert n_digest == len(body[18 * n + n_text :])
    return {
        "xy": np.frombuffer(body, "<f4", 2 * n).reshape(n, 2),
        "ids": np.frombuffer(body, "<i4", n, offset=8 * n),
        "counts": np.frombuffer(body, "<i4", n, offset=12 * n),
        "names": json.loads(body[18 * n : 18 * n + n_text]),
        "digest": body[18 * n + n_text :].decode(),
    }


def decoded(text: str, dtype: str):
    return np.frombuffer(base64.b64decode(text), dtype)


def test_points_unpack_to_terms_places_and_documents(made: Fabricated, points: NodePoints):
    vocabulary, terms = made.project.corpus().vocabulary, made.expansion.terms
    found = unpacked(points.terms.packed)
    np.testing.assert_array_equal(found["xy"], terms.xy)
    np.testing.assert_array_equal(found["counts"], vocabulary.document_frequencies[terms.term_ids])
    assert found["names"] == vocabulary.select(terms.term_ids)
    assert found["digest"] == points.terms.digest


def test_documents_go_by_their_title_or_by_how_they_begin(made: Fabricated, points: NodePoints):
    corpus, documents = made.project.corpus(), made.expansion.documents
    found = unpacked(points.documents.packed)
    np.testing.assert_array_equal(found["xy"], documents.xy)
    np.testing.assert_array_equal(found["ids"], documents.documents)
    first = corpus.document_ids[int(documents.documents[0])]
    titled = pack_node(made.expansion, corpus, {first: "A title"})
    assert unpacked(titled.documents.packed)["names"][0] == "A title"
    assert corpus.texts[int(documents.documents[0])].startswith(found["names"][0].rstrip("…"))


def test_a_large_node_shows_a_part_of_its_documents(made: Fabricated, monkeypatch):
    monkeypatch.setattr(node_map, "DOCUMENTS_DRAWN", 50)
    some = pack_node(made.expansion, made.project.corpus(), {})
    assert len(unpacked(some.documents.packed)["ids"]) == 50
    state = packed_state(made, some)
    assert len(decoded(state["documents"]["cluster"], "<i2")) == 50
    assert state["documents"]["nAll"] == len(made.expansion.documents)


def test_a_proposal_from_before_documents_had_places_shows_its_terms(made: Fabricated):
    documents = replace(made.expansion.documents, xy=np.zeros_like(made.expansion.documents.xy))
    old = replace(made.expansion, documents=documents)
    points = pack_node(old, made.project.corpus(), {})
    assert points.documents is None
    assert packed_state(made, points)["points"] == {"terms": points.terms.digest, "documents": ""}


def test_the_state_carries_topics_names_and_pins(made: Fabricated, points: NodePoints):
    vocabulary = made.project.corpus().vocabulary
    first = made.expansion.clusters[0]
    state = packed_state(made, points, {first.cluster_id: "Government"}, pinned=[int(vocabulary.id_of("goal"))])
    assert state["clusters"][0]["label"] == "Government"
    np.testing.assert_array_equal(decoded(state["terms"]["cluster"], "<i2"), made.expansion.terms.cluster)
    flags = decoded(state["terms"]["flags"], "u1")
    assert np.flatnonzero(flags & 4).tolist() == [vocabulary.id_of("goal")]
    low, high = state["scales"]["novelty"]
    novelty = low + decoded(state["terms"]["novelty"], "<u2") / 65535 * (high - low)
    np.testing.assert_allclose(novelty, made.expansion.terms.novelty, atol=1e-4)


def test_a_name_changes_the_state_and_leaves_the_points(made: Fabricated, points: NodePoints):
    first = made.expansion.clusters[0].cluster_id
    states = [packed_state(made, points, names) for names in ({}, {first: "Government"})]
    assert states[0]["state"] != states[1]["state"]
    assert states[0]["points"] == states[1]["points"]
