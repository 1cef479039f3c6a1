"""What can be judged, under the name that people gave it; and what no longer can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from taxocom.expansion.proposals.accepting import name
from taxocom.store.projects.exporting import export_of
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Taxonomy, TopicNode
from taxocom.workflow.open_proposals import open_proposals, waiting_clusters
from taxocom.workflow.seed_changes import replace_seed
from tests.ui.fabricate import Fabricated, fabricate_project


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fabricated]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    fabricated = fabricate_project("waiting")
    with fabricated.project:
        yield fabricated


def test_a_cluster_named_before_it_is_judged_has_that_name_everywhere(made: Fabricated):
    project, cluster = made.project, made.expansion.novel[0]
    project.record(name(cluster, ROOT_ID, "Cinema"), author="Ada")
    found = open_proposals(project).by_node
    waiting = next(w for w in waiting_clusters(found, project.taxonomy()) if w.cluster.cluster_id == cluster.cluster_id)
    assert waiting.label == waiting.accepted().node.label == "Cinema"
    exported = export_of(project, statuses=("approved", "proposed")).taxonomy
    assert "Cinema" in {node.label for node in exported.walk()}


def test_another_seed_leaves_the_proposals_for_the_old_one_out_of_date(made: Fabricated):
    project = made.project
    assert not replace_seed(project, project.seed(), author="Ada")
    assert list(open_proposals(project).by_node) == [ROOT_ID]
    assert replace_seed(project, Taxonomy.empty().with_topic(TopicNode("a", "Art"), ROOT_ID), author="Ada")
    found = open_proposals(project)
    assert (dict(found.by_node), found.outdated) == ({}, {ROOT_ID})


def test_keywords_of_an_accepted_topic_are_words_as_people_write_them(made: Fabricated):
    waiting = waiting_clusters(open_proposals(made.project).by_node, made.project.taxonomy())
    phrase = next(w for w in waiting if w.cluster.anchors)
    anchors = (AnchorTerm("le_pen", 1.0), *phrase.cluster.anchors)
    decision = replace(phrase, cluster=replace(phrase.cluster, anchors=anchors)).accepted()
    assert decision.node.keywords[0] == "le pen"
    assert decision.node.anchors[0].term == "le_pen"
