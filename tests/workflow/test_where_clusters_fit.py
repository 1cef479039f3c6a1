"""A cluster that fits best under a sub-topic is the same thing there, whoever asks about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from taxocom.expansion.pipeline import Expansion
from taxocom.expansion.proposals.accepting import accept, fitting_parent, reject
from taxocom.expansion.proposals.proposal import TopicCluster
from taxocom.store import Project
from taxocom.store.projects.exporting import export_of
from taxocom.taxonomy.tree import ROOT_ID, topic_id
from taxocom.workflow.tags import topic_documents
from tests.ui.fabricate import fabricate_expansion, fabricate_project, save

SPORT = topic_id("sport")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    with fabricate_project("fits", propose=False).project as made:
        yield made


@pytest.fixture
def cluster(project: Project) -> TopicCluster:
    """The first of the clusters proposed for the root; it fits under Sport."""
    made = fabricate_expansion(project.corpus(), project.taxonomy())
    first = replace(made.proposal.novel[0], fits_under=SPORT)
    clusters = tuple(first if each.cluster_id == first.cluster_id else each for each in made.proposal.clusters)
    save(project, Expansion(replace(made.proposal, clusters=clusters), made.evidence))
    return first


def test_it_is_proposed_where_it_would_go_in_an_export_too(project: Project, cluster: TopicCluster):
    tree = export_of(project, statuses=("approved", "proposed")).taxonomy
    (exported,) = (node for node in tree.walk() if node.label == cluster.label)
    assert tree.parent_of(exported.node_id) == fitting_parent(cluster, ROOT_ID, project.taxonomy()) == SPORT


def test_once_accepted_there_it_holds_its_documents_and_its_rejection_is_lifted(
    project: Project, cluster: TopicCluster
):
    project.record(reject(cluster, ROOT_ID, "too broad"), author="Ada")
    assert project.curation().rejected
    decision = accept(cluster, ROOT_ID, parent_id=SPORT)
    project.record(decision, author="Ada")
    assert len(topic_documents(project, decision.node.node_id)) == cluster.n_documents > 0
    assert not project.curation().rejected
    exported = export_of(project, statuses=("approved", "proposed", "rejected")).taxonomy
    assert [node.status for node in exported.walk() if node.label == cluster.label] == ["approved"]
