"""Expanding a node of a project, splitting the proposal anew, and finding the documents of what was accepted."""

import numpy as np
import pytest

from taxocom.errors import CancelledError, JobError
from taxocom.expansion.proposals import accepting
from taxocom.expansion.proposals.proposal import Overrides, hidden_topics
from taxocom.jobs.expand_task import expand, keep_resplit, project_embedding, resplit
from taxocom.jobs.map_task import draw_maps
from taxocom.jobs.repair import repair
from taxocom.progress import SILENT
from taxocom.settings import EmbeddingSettings, ExpansionSettings
from taxocom.store.homes.lifecycle import copy_project, free_name
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import AddTopic
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document
from tests.expansion.planted import plant, without
from tests.jobs.planted_projects import planted_project

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def first_expanded(tmp_path_factory):
    planted = plant(n_parents=4, n_children=2)
    missing = planted.gold.children_of(ROOT_ID)[-1].label
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(tmp_path_factory.mktemp("home")))
        project = planted_project(planted, without(planted.gold, (missing,)))
        result = expand(project, {"settings": {"embedding": {"dim": 50}}, "threads": 1}, SILENT)
        wanted = {d for d, path in enumerate(planted.paths) if path[0] == missing}
        yield project, int(result["proposal_id"]), wanted


@pytest.fixture
def expanded(first_expanded, request):
    """Give each test a copy of its own: what one decides must not be known to the next."""
    project, proposal_id, wanted = first_expanded
    return copy_project(project, free_name(request.node.name[:60])), proposal_id, wanted


def test_a_resplit_without_changes_is_the_stored_proposal(expanded):
    project, proposal_id, _ = expanded
    again = resplit(project, proposal_id, Overrides())
    assert [c.cluster_id for c in again.novel] == [
        c["cluster_id"] for c in project.load_proposal(proposal_id).metadata["clusters"] if c["kind"] == "novel"
    ]
    # Practice is not done again, and not forgotten.
    assert len(again.practice) == 3
    assert again.practice == hidden_topics(project.load_proposal(proposal_id).metadata)


def test_the_map_comes_after_the_proposal_and_reaches_splits_kept_before_it(expanded):
    project, proposal_id, _ = expanded
    first = project.load_proposal(proposal_id)
    whole = resplit(project, proposal_id, Overrides())
    kept = keep_resplit(project, proposal_id, Overrides(split=(whole.novel[0].cluster_id,), n_novel=2))
    assert not first.arrays["documents.xy"].any()
    assert first.metadata["map_to_come"]
    assert project.load_proposal(kept).metadata["map_to_come"] == first.metadata["map_to_come"]
    draw_maps(project, {"proposal_id": proposal_id}, SILENT)
    drawn, split = project.load_proposal(proposal_id), project.load_proposal(kept)
    assert drawn.record.artifact == first.record.artifact, "the proposal itself is as it was"
    assert np.ptp(drawn.arrays["documents.xy"], axis=0).min() > 0.5
    assert np.ptp(drawn.arrays["terms.xy"], axis=0).min() > 0.5
    for name in ("terms.xy", "documents.xy", "evidence.xy", "evidence.document_xy"):
        assert np.array_equal(drawn.arrays[name], split.arrays[name])
    assert drawn.metadata["map_to_come"] == split.metadata["map_to_come"] == ""
    later = project.load_proposal(keep_resplit(project, proposal_id, Overrides(n_novel=0)))
    assert np.array_equal(later.arrays["documents.xy"], drawn.arrays["documents.xy"])


def test_a_map_that_is_cancelled_leaves_the_proposal_and_can_be_drawn_again(expanded):
    project, proposal_id, _ = expanded

    class Cancelling:
        def report(self, stage, fraction):
            if fraction > 0.3:
                raise CancelledError("Cancelled.")

    before = project.load_proposal(proposal_id)
    with pytest.raises(CancelledError):
        draw_maps(project, {"proposal_ids": [proposal_id]}, Cancelling())
    assert not project.has_map(before.metadata["map_to_come"])
    assert project.load_proposal(proposal_id).metadata == before.metadata
    draw_maps(project, {"proposal_ids": [proposal_id]}, SILENT)
    (artifact,) = (name for purpose, name in project.purposes().items() if purpose.startswith("map/"))
    draw_maps(project, {"proposal_ids": [proposal_id]}, SILENT)
    assert project.has_map(before.metadata["map_to_come"])
    # A map that is lost takes no proposal with it.
    project.artifact_path(artifact).unlink()
    (told,) = repair(project)
    assert "drawn again" in told.said
    assert project.load_proposal(proposal_id).metadata == before.metadata


@pytest.mark.parametrize(
    ("change", "trained_again"),
    [({"keywords_grown": 3, "local_epochs": 1, "discriminative": False}, False), ({"epochs": 1}, True)],
)
def test_the_projects_vectors_are_made_anew_only_if_their_own_settings_change(expanded, change, trained_again):
    project, _, _ = expanded
    embedding = EmbeddingSettings(**({"dim": 50} | change))
    stages = []

    class Listener:
        def report(self, stage, fraction):
            stages.append(stage)

    settings = ExpansionSettings(embedding=embedding)
    project_embedding(project, settings, random_state=0, threads=1, progress=Listener())
    assert ("Training vectors" in stages) == trained_again


def test_what_is_accepted_from_a_resplit_finds_its_documents(expanded):
    project, proposal_id, wanted = expanded
    whole = resplit(project, proposal_id, Overrides())
    asked = Overrides(split=(whole.novel[0].cluster_id,), n_novel=2)
    first = resplit(project, proposal_id, asked).novel[0]
    kept = keep_resplit(project, proposal_id, asked)
    project.record(accepting.accept(first, ROOT_ID), author="Ann")
    topic = accepting.accepted_id(ROOT_ID, first.cluster_id)
    documents = set(document_places(project).documents_of(topic).tolist())
    assert kept != proposal_id
    assert len(documents) == first.n_documents
    assert len(documents & wanted) >= 0.9 * len(documents)


def test_a_lower_topic_is_expanded_by_itself_even_after_the_texts_were_read_anew(expanded):
    project, _, _ = expanded
    above = project.proposals(ROOT_ID)
    corpus = project.corpus()
    with project.working_place("corpus") as place:
        place.mkdir()
        texts = zip(corpus.document_ids, corpus.texts, strict=True)
        seeds = [node.label for node in project.taxonomy().walk()]
        build_corpus((Document(f"{d} again", text) for d, text in texts), place, seed_phrases=seeds)
        project.use("corpus", project.publish_directory(place, "corpus"))
    child = project.taxonomy().children_of(ROOT_ID)[0].node_id
    params = {"node_id": child, "settings": {"embedding": {"dim": 50}}, "threads": 1}
    result = expand(project, params, SILENT)
    assert project.proposals(ROOT_ID) == above
    held = document_places(project).documents_of(child)
    stored = project.load_proposal(int(result["proposal_id"]))
    assert len(held) > 0
    assert stored.metadata["corpus_fingerprint"] == project.corpus().fingerprint
    assert set(stored.arrays["documents.documents"].tolist()) == set(held.tolist()), "those that the topic holds"


def test_by_the_papers_rule_a_topic_has_the_anchor_terms_of_the_expansion_above_it(expanded):
    project, proposal_id, _ = expanded
    above = project.load_proposal(proposal_id)
    names = [cluster["cluster_id"] for cluster in above.metadata["clusters"]]
    child = project.taxonomy().children_of(ROOT_ID)[0]
    own = above.arrays["terms.is_anchor"] & (above.arrays["terms.cluster"] == names.index(child.node_id))
    handed = set(above.arrays["terms.term_ids"][own].tolist())
    settings = {"embedding": {"dim": 50}, "discovery": "terms", "hand_down_terms": True}
    result = expand(project, {"node_id": child.node_id, "settings": settings, "threads": 1}, SILENT)
    stored = project.load_proposal(int(result["proposal_id"]))
    below = [project.corpus().vocabulary.id_of(node.label) for node in project.taxonomy().children_of(child.node_id)]
    assert handed & set(stored.arrays["terms.term_ids"].tolist())
    assert set(stored.arrays["terms.term_ids"].tolist()) <= handed | set(below)


def test_a_topic_without_documents_is_not_expanded_and_says_what_to_do(expanded):
    project, _, _ = expanded
    before = len(project.proposals())
    project.record(AddTopic(ROOT_ID, TopicNode("empty", "Empty")), author="Ann")
    with pytest.raises(JobError, match=r"No document belongs to 'Empty'.*keywords.*move documents"):
        expand(project, {"node_id": "empty", "settings": {"embedding": {"dim": 50}}, "threads": 1}, SILENT)
    project.undo(author="Ann")
    assert len(project.proposals()) == before


def test_a_group_that_was_left_out_and_accepted_keeps_its_documents_in_later_splits(expanded):
    project, proposal_id, _ = expanded
    none = resplit(project, proposal_id, Overrides(n_novel=0))
    group = none.left_out[0]
    included = Overrides(n_novel=0, included=(group.cluster_id,))
    (cluster,) = resplit(project, proposal_id, included).novel
    kept = keep_resplit(project, proposal_id, included)
    project.record(accepting.accept(cluster, ROOT_ID), author="Ann")
    again = keep_resplit(project, kept, Overrides(n_novel=0))
    topic = accepting.accepted_id(ROOT_ID, cluster.cluster_id)
    assert again != kept
    assert len(document_places(project).documents_of(topic)) == cluster.n_documents
