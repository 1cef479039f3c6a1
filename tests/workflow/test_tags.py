"""What the tagger says of a project's documents now, and the documents of one topic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from taxocom.errors import StoreError
from taxocom.store import Project, create_project
from taxocom.store.projects.document_places import document_places
from taxocom.tagging.explanation import POOR_FIT
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.workflow.tags import project_tags, topic_documents
from tests.store.test_document_places import (
    BUSINESS,
    FOOTBALL,
    N_DOCUMENTS,
    POLITICS,
    SPORT,
    decide,
    mixed_documents,
    read_in,
    theme_of,
    where,
    write_texts,
)
from tests.ui.fabricate import seed_tree


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    with create_project("News", seed=seed_tree()) as made:
        read_in(made, write_texts(tmp_path / "texts.jsonl", mixed_documents()))
        yield made


def ids_of(project: Project, rows: np.ndarray) -> list[str]:
    return [project.corpus().document_ids[int(row)] for row in rows]


def words_by_document(project: Project) -> dict[str, set[str]]:
    corpus = project.corpus()
    texts = zip(corpus.document_ids, corpus.texts, strict=True)
    return {i: set(text.lower().replace(".", " ").replace(",", " ").split()) for i, text in texts}


def test_the_answer_is_kept_until_somebody_decides_something(project: Project, tmp_path: Path) -> None:
    tags = project_tags(project)
    assert project_tags(project) is tags
    decide(project, d.MoveDocument("doc-0000", BUSINESS))
    after = project_tags(project)
    assert after is not tags
    assert project_tags(project) is after
    read_in(project, tmp_path / "texts.jsonl", min_count=6)
    assert project_tags(project) is not after


def test_before_any_decision_the_tagger_agrees_with_where_documents_are(project: Project) -> None:
    tags = project_tags(project)
    assert [tags.node_ids[number] for number in tags.best()] == list(where(project).values())


def test_asking_the_tagger_moves_nothing(project: Project) -> None:
    decide(project, d.AddTopic(ROOT_ID, TopicNode("film", "Film", keywords=("actor", "director"))))
    before = where(project)
    tags = project_tags(project)
    would_be = [tags.node_ids[number] for number in tags.best()]
    assert would_be.count("film") > 10
    assert where(project) == before
    assert "film" not in before.values()


def test_the_probability_of_a_topic_is_that_of_all_below_it(project: Project) -> None:
    tags = project_tags(project)
    np.testing.assert_allclose(tags.probability(ROOT_ID), 1.0, rtol=1e-5)
    shares = dict(zip(tags.node_ids, tags.shares.T, strict=True))
    np.testing.assert_allclose(tags.probability(SPORT), shares[SPORT] + shares[FOOTBALL], rtol=1e-5)
    np.testing.assert_allclose(tags.probability(FOOTBALL), shares[FOOTBALL])
    total = sum(tags.probability(node.node_id) for node in tags.tree.children_of(ROOT_ID))
    np.testing.assert_allclose(total, 1.0, rtol=1e-5)


def test_a_topic_that_holds_documents_is_an_answer_whatever_lies_below_it(project: Project) -> None:
    decide(project, d.AddTopic(SPORT, TopicNode("golf", "Golf")))
    # It held documents of its own already, and has two sub-topics now.
    assert SPORT in where(project).values()
    assert SPORT in project_tags(project).node_ids
    decide(project, d.AddTopic(BUSINESS, TopicNode("oil", "Oil")), d.AddTopic(BUSINESS, TopicNode("bank", "Bank")))
    own = tuple(i for i, node_id in where(project).items() if node_id == BUSINESS)
    decide(project, d.MoveDocuments(own, "oil"))
    assert BUSINESS not in project_tags(project).node_ids


def test_what_people_said_teaches_the_tagger(project: Project) -> None:
    """A topic whose name nobody says gets those that are like the documents a person put there."""
    decide(project, d.AddTopic(ROOT_ID, TopicNode("blank", "Xylophone")))
    wars = [i for i in where(project) if theme_of(i) == "war"]
    rest = [row for row, i in enumerate(project.corpus().document_ids) if i in wars[12:]]
    before = project_tags(project).probability("blank")[rest].mean()
    decide(project, d.MoveDocuments(tuple(wars[:12]), "blank"))
    assert project_tags(project).probability("blank")[rest].mean() > before + 0.3


def test_a_topic_has_the_documents_it_holds_the_surest_first(project: Project) -> None:
    decide(project, d.MoveDocuments(("doc-0000", "doc-0001", "doc-0003"), BUSINESS))
    tags, places = project_tags(project), document_places(project)
    for node_id in (POLITICS, SPORT, FOOTBALL, BUSINESS):
        found = topic_documents(project, node_id)
        assert sorted(found.documents.tolist()) == places.documents_of(node_id).tolist()
        np.testing.assert_array_equal(found.score, tags.probability(node_id)[found.documents])
        assert (np.diff(found.score) <= 0).all()
        assert len(found) == places.counts()[node_id]
        np.testing.assert_array_equal(found.poor, places.fit[found.documents] < POOR_FIT)
        np.testing.assert_array_equal(found.told, places.reasons[found.documents] != 0)
    held = topic_documents(project, BUSINESS)
    told = {i for i, is_told in zip(ids_of(project, held.documents), held.told, strict=True) if is_told}
    assert told == {"doc-0000", "doc-0001", "doc-0003"}


def test_the_margin_is_the_lead_over_the_next_topic_beside_it(project: Project) -> None:
    tags = project_tags(project)
    found = topic_documents(project, POLITICS)
    for row, score, margin in zip(found.documents, found.score, found.margin, strict=True):
        others = max(tags.probability(node_id)[row] for node_id in (SPORT, BUSINESS))
        assert margin == pytest.approx(score - others, abs=1e-5)
    alone = topic_documents(project, FOOTBALL)
    np.testing.assert_array_equal(alone.margin, alone.score)


def test_who_says_the_name_is_counted_in_the_topic_and_in_the_corpus(project: Project) -> None:
    decide(project, d.EditKeywords(BUSINESS, ("profit",)), d.EditAltLabels(BUSINESS, ("trade",)))
    said = {"business", "businesses", "profit", "profits", "trade", "trades"}
    saying = {i for i, words in words_by_document(project).items() if said & words}
    found = topic_documents(project, BUSINESS)
    held = ids_of(project, found.documents)
    assert {i for i, says in zip(held, found.says, strict=True) if says} == saying & set(held)
    assert found.n_saying == len(saying)
    assert found.n_saying_held == len(saying & set(held)) == int(found.says.sum())


def test_a_topic_is_said_by_the_names_of_its_sub_topics(project: Project) -> None:
    before = topic_documents(project, POLITICS)
    decide(project, d.AddTopic(POLITICS, TopicNode("vaccine", "Vaccine", keywords=("virus",))))
    found = topic_documents(project, POLITICS)
    named = {"politics", "election", "elections", "senate", "senates", "minister", "ministers"}
    assert set(project.taxonomy()[POLITICS].keywords) <= named
    saying = {i for i, words in words_by_document(project).items() if words & {*named, "vaccine", "virus"}}
    assert found.n_saying == len(saying) > before.n_saying
    held = ids_of(project, found.documents)
    assert {i for i, says in zip(held, found.says, strict=True) if says} == saying & set(held)


def test_a_topic_without_documents_and_the_root_can_be_looked_at(project: Project) -> None:
    decide(project, d.AddTopic(ROOT_ID, TopicNode("film", "Film")))
    empty = topic_documents(project, "film")
    assert len(empty) == len(empty.says) == len(empty.margin) == 0
    assert empty.n_saying > 0 == empty.n_saying_held
    assert len(topic_documents(project, ROOT_ID)) == N_DOCUMENTS


def test_a_project_without_topics_or_without_texts_is_answered(tmp_path: Path, project: Project) -> None:
    with create_project("Bare") as bare:
        with pytest.raises(StoreError, match="no corpus yet"):
            topic_documents(bare, ROOT_ID)
        read_in(bare, tmp_path / "texts.jsonl")
        assert project_tags(bare).node_ids == ()
        found = topic_documents(bare, ROOT_ID)
        assert len(found) == N_DOCUMENTS
        assert not found.score.any()
