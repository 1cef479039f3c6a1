"""What the Quality page measures of a tree without labels, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from taxocom.expansion.proposals import accepting
from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.store import Project
from taxocom.store.projects.document_places import ACCEPTED, TAGGED, DocumentPlaces, document_places
from taxocom.tagging.explanation import POOR_FIT
from taxocom.taxonomy.decisions import RemoveTopic, SetStatus
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.ui.quality.quality_tree import TopicQuality, TreeQuality, alike_topics, measure_tree, node_gaps
from taxocom.ui.quality.quality_words import COHERENCY, STABILITY, tree_advice
from tests.ui.fabricate import Fabricated, fabricate_project


def tree() -> Taxonomy:
    made = Taxonomy.empty("News")
    for label, parent, origin in [
        ("sport", ROOT_ID, "seed"),
        ("film", ROOT_ID, "novel"),
        ("tennis", "sport", "seed"),
        ("golf", "sport", "novel"),
    ]:
        made = made.with_topic(TopicNode(label, label.title(), origin=origin), parent)
    return made


def placed(topics: list[str], *, accepted: set[int] = frozenset()) -> DocumentPlaces:
    """Say by hand where documents are, and which of them came with an accepted cluster."""
    node_ids = tuple(dict.fromkeys([ROOT_ID, *topics]))
    numbers = np.array([node_ids.index(topic) for topic in topics], dtype=np.int32)
    reasons = np.array([ACCEPTED if d in accepted else TAGGED for d in range(len(topics))], dtype=np.int32)
    ones = np.ones(len(topics), dtype=np.float32)
    return DocumentPlaces(tree(), node_ids, numbers, ones, ones, reasons)


def test_gaps_are_shares_of_the_node_that_fit_nothing_with_and_without_what_was_found():
    # 10 documents: 3 came with film, 2 are in sport itself, 1 in tennis, 4 in golf, of which 3 came with it.
    places = placed(["film"] * 3 + ["sport"] * 2 + ["tennis"] + ["golf"] * 4, accepted={0, 1, 2, 6, 7, 8})
    poor = np.isin(np.arange(10), [3, 5])
    gaps = {gap.node_id: gap for gap in node_gaps(tree(), places, poor, [ROOT_ID, "sport"])}
    assert (gaps[ROOT_ID].n_documents, gaps["sport"].n_documents) == (10, 7)
    assert gaps[ROOT_ID].before == pytest.approx(8 / 10)
    assert gaps[ROOT_ID].after == pytest.approx(2 / 10)
    assert gaps["sport"].before == pytest.approx(5 / 7)
    assert gaps["sport"].after == pytest.approx(2 / 7)


def test_a_topic_without_documents_has_no_gap():
    assert node_gaps(tree(), placed(["film"]), np.array([True]), ["sport"]) == ()


def test_topics_are_alike_at_one_depth_only():
    terms = {"sport": ["a", "b", "c", "d", "e"], "film": ["d", "c", "b", "a", "x"], "golf": ["a", "b", "c", "d", "e"]}
    (pair,) = alike_topics(tree(), terms)
    assert (pair.first, pair.second, pair.parent_id) == ("Sport", "Film", ROOT_ID)
    assert pair.terms == ("a", "b", "c", "d")
    assert not alike_topics(tree(), {"sport": ["a", "b", "c", "x"], "film": ["a", "b", "c", "y"]})


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fabricated]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    fabricated = fabricate_project("measured")
    yield fabricated
    fabricated.project.close()


def load(project: Project, proposal_id: int) -> NodeExpansion:
    stored = project.load_proposal(proposal_id)
    return NodeExpansion.from_parts(stored.metadata, stored.arrays)


def test_accepting_a_topic_closes_its_part_of_the_gap(made: Fabricated):
    before = measure_tree(made.project, load)
    assert before.gap_after == before.gap_before
    film = made.expansion.novel[0]
    made.project.record(accepting.accept(film, ROOT_ID), author="Ada")
    after = measure_tree(made.project, load)
    assert after.gap_before == pytest.approx(before.gap_before)
    assert after.gap_before - after.gap_after == pytest.approx(film.n_documents / 280)
    topic = next(topic for topic in after.topics if topic.origin == "novel")
    assert topic.n_documents == film.n_documents
    assert topic.top_terms == tuple(anchor.term for anchor in film.anchors[:10])
    # Its words were planted together and apart from all others.
    assert COHERENCY.verdict(topic.coherency) == "good"
    assert topic.intrusion is not None
    assert topic.intrusion > 0.9


def test_the_gap_is_the_share_of_documents_that_fit_no_topic_well(made: Fabricated):
    # Four of the seven themes that documents speak of are not known.
    fit = document_places(made.project).fit
    measured = measure_tree(made.project, load)
    assert measured.gap_after == pytest.approx(float((fit < POOR_FIT).mean()))
    assert 0.3 < measured.gap_after <= 4 / 7


@pytest.mark.parametrize("undone", [RemoveTopic, lambda node_id: SetStatus(node_id, "rejected")])
def test_a_topic_that_was_accepted_and_taken_out_again_closes_no_gap(made: Fabricated, undone):
    before = measure_tree(made.project, load)
    accepted = accepting.accept(made.expansion.novel[0], ROOT_ID)
    made.project.record(accepted, author="Ada")
    made.project.record(undone(accepted.node.node_id), author="Ada")
    assert measure_tree(made.project, load).gap_after >= before.gap_after


def test_a_rejected_topic_is_not_measured_and_its_documents_fit_nothing(made: Fabricated):
    sport = topic_id("sport")
    before = document_places(made.project)
    fitted = int((before.fit[before.documents_of(sport)] >= POOR_FIT).sum())
    gap = measure_tree(made.project, load).gap_after
    made.project.record(SetStatus(sport, "rejected"), author="Ada")
    after = measure_tree(made.project, load)
    assert sport not in {topic.node_id for topic in after.topics}
    assert after.gap_after - gap == pytest.approx(fitted / 280)


def quality(**changed: object) -> TreeQuality:
    values: dict[str, object] = {
        "coherency": 0.3, "intrusion": 0.9, "diversity": 1.0, "gap_before": 0.1, "gap_after": 0.1, "n_documents": 10,
        "topics": (), "gaps": (), "alike": (),
    }  # fmt: skip
    return TreeQuality(**{**values, **changed})  # type: ignore[arg-type]  # the test names the fields


def topic(node_id: str, **changed: object) -> TopicQuality:
    values: dict[str, object] = {
        "node_id": node_id, "path": (node_id.title(),), "origin": "seed", "n_documents": 5, "share": 0.5,
        "coherency": 0.3, "intrusion": 0.9, "top_terms": ("a", "b"),
    }  # fmt: skip
    return TopicQuality(**{**values, **changed})  # type: ignore[arg-type]  # the test names the fields


def test_advice_leads_to_the_topic_above_and_leaves_good_ones_alone():
    poor = quality(topics=(topic("film"), topic("golf", coherency=0.0), topic("sport", coherency=0.0, is_broad=True)))
    (advice,) = tree_advice(poor, tree())
    assert advice.node_id == "sport"
    assert "Golf" in advice.text
    assert advice.button == "Expand Sport"
    assert tree_advice(quality(topics=(topic("film"),)), tree()) == []
    (empty,) = tree_advice(quality(topics=(topic("film", n_documents=0), topic("golf", is_placed=False))), tree())
    assert "holds no document" in empty.text


def test_words_begin_where_the_scale_says():
    assert [STABILITY.verdict(value) for value in (0.6, 0.59, 1 / 3, 0.33, None)] == [
        "good",
        "fair",
        "fair",
        "poor",
        None,
    ]
