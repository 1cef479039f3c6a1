"""Topics that are called something their documents do not say, and what to add to them."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from pathlib import Path

import numpy as np
import pytest

from taxocom.store import Project, create_project
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.text.input.documents import Document
from taxocom.workflow.tags import project_tags, topic_documents
from taxocom.workflow.weak_names import WeakName, telling_terms, weak_names
from tests.store.test_document_places import (
    BUSINESS,
    FOOTBALL,
    SPORT,
    decide,
    holds,
    read_in,
    theme_of,
    where,
    write_texts,
)
from tests.ui.fabricate import GENERAL_WORDS, THEMES, documents, seed_tree


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    # Titles name the themes; texts alone are what the tests are about.
    texts = [Document(each.document_id, each.text) for each in documents(210)]
    with create_project("News", seed=seed_tree()) as made:
        read_in(made, write_texts(tmp_path / "texts.jsonl", texts))
        yield made


@pytest.fixture
def wars(project: Project) -> tuple[str, ...]:
    """A topic with a name that nobody says holds all documents on the war."""
    own = tuple(i for i in where(project) if theme_of(i) == "war")
    decide(project, d.AddTopic(ROOT_ID, TopicNode("war", "Hostilities")), d.MoveDocuments(own, "war"))
    return own


def told_by(project: Project, document_ids: tuple[str, ...]) -> tuple[str, ...]:
    ids = project.corpus().document_ids
    rows = np.array([row for row, i in enumerate(ids) if i in document_ids], dtype=np.int32)
    return telling_terms(project, project_tags(project), rows)


def weak_of(project: Project, node_id: str) -> WeakName | None:
    return next((weak for weak in weak_names(project) if weak.node_id == node_id), None)


def test_a_name_that_few_documents_say_is_weak_and_terms_that_they_use_are_offered(
    project: Project, wars: tuple[str, ...]
) -> None:
    weak = weak_of(project, "war")
    assert weak is not None
    assert (weak.label, weak.n_documents, weak.n_saying) == ("Hostilities", len(wars), 0)
    assert len(weak.suggestions) == 5
    assert set(weak.suggestions) <= set(THEMES["war"])
    assert len(weak.documents) == 3
    assert set(weak.documents) <= set(wars)
    assert weak.said().startswith(f"0 of {len(wars)} documents mention 'Hostilities' or one of its keywords. Add ")
    assert weak.said().endswith(f"{', '.join(weak.suggestions)}?")


def test_the_documents_shown_are_the_most_typical(project: Project, wars: tuple[str, ...]) -> None:
    weak = weak_of(project, "war")
    assert weak is not None
    ids = project.corpus().document_ids
    surest = [ids[int(row)] for row in topic_documents(project, "war").documents[:3]]
    assert list(weak.documents) == surest


def test_a_name_is_strong_once_the_offered_keywords_are_added(project: Project, wars: tuple[str, ...]) -> None:
    weak = weak_of(project, "war")
    assert weak is not None
    decide(project, d.EditKeywords("war", weak.suggestions))
    assert weak_of(project, "war") is None
    assert topic_documents(project, "war").says.mean() > 0.5
    project.undo(author="Ada")
    assert weak_of(project, "war") == weak


def test_topics_whose_documents_say_their_name_are_not_weak(project: Project, wars: tuple[str, ...]) -> None:
    tree, found = project.taxonomy(), {weak.node_id for weak in weak_names(project)}
    assert found == {"war"}
    for node in tree.walk():
        held = topic_documents(project, node.node_id)
        says = held.says[~held.poor]
        is_weak = not tree.children_of(node.node_id) and len(says) >= 20 and says.mean() < 0.2
        assert (node.node_id in found) == is_weak


def test_documents_that_fit_nothing_well_are_not_held_against_a_name(project: Project, wars: tuple[str, ...]) -> None:
    """Football got what no topic fits, and none of that says its name; a topic is missing, the name is not weak."""
    held = topic_documents(project, FOOTBALL)
    assert held.poor.sum() >= 20 > (~held.poor).sum()
    assert held.says.mean() < 0.2
    assert weak_of(project, FOOTBALL) is None
    # Those that a person put there do fit, whatever they say.
    rest = tuple(i for i in sorted(holds(project, FOOTBALL)))
    decide(project, d.MoveDocuments(rest[:25], FOOTBALL))
    weak = weak_of(project, FOOTBALL)
    assert weak is not None
    assert 25 <= weak.n_documents < len(held)
    assert set(weak.documents) <= set(rest)


def test_topics_with_sub_topics_few_documents_or_a_rejection_are_not_judged(
    project: Project, wars: tuple[str, ...]
) -> None:
    decide(project, d.AddTopic("war", TopicNode("siege", "Xylophone")))
    assert weak_of(project, "war") is None
    assert weak_of(project, "siege") is None
    project.undo(author="Ada")
    assert weak_of(project, "war") is not None
    decide(project, d.MoveDocuments(wars[19:], BUSINESS))
    assert len(holds(project, "war")) == 19
    assert weak_of(project, "war") is None
    project.undo(author="Ada")
    decide(project, d.SetStatus("war", "rejected"))
    assert weak_of(project, "war") is None


def test_the_largest_topic_comes_first(project: Project, wars: tuple[str, ...]) -> None:
    crimes = tuple(i for i in where(project) if theme_of(i) == "crime")
    health = tuple(i for i in where(project) if theme_of(i) == "health")
    decide(project, d.AddTopic(SPORT, TopicNode("two", "Glockenspiel")), d.MoveDocuments((*crimes, *health), "two"))
    sizes = [weak.n_documents for weak in weak_names(project)]
    assert sizes == sorted(sizes, reverse=True)
    assert {"war", "two"} <= {weak.node_id for weak in weak_names(project)}


def test_what_is_offered_is_no_name_of_any_topic(project: Project, wars: tuple[str, ...]) -> None:
    first = told_by(project, wars)
    decide(project, d.EditKeywords(BUSINESS, first[:2]), d.EditAltLabels(SPORT, (first[2].title(),)))
    second = told_by(project, wars)
    assert not set(first[:3]) & set(second)
    assert set(second) <= set(THEMES["war"])


def test_a_word_that_a_quarter_of_all_documents_say_is_no_keyword(project: Project, wars: tuple[str, ...]) -> None:
    """Where all better terms are taken, little is offered rather than what everybody says."""
    decide(project, d.EditKeywords(BUSINESS, tuple(THEMES["war"])))
    texts = project.corpus().texts
    offered = told_by(project, wars)
    assert all(sum(term in text for text in texts) < len(texts) / 4 for term in offered)
    assert any(sum(term in text for text in texts) >= len(texts) / 4 for term in GENERAL_WORDS)


def test_terms_tell_by_members_times_the_logarithm_of_their_lift(project: Project, wars: tuple[str, ...]) -> None:
    """Against plain Python over the texts."""
    corpus = project.corpus()
    pairs = zip(corpus.document_ids, corpus.texts, strict=True)
    texts = {i: set(text.lower().replace(".", "").split()) for i, text in pairs}
    share = len(wars) / len(texts)

    def gain(term: str) -> float:
        inside, overall = (sum(term in texts[i] for i in group) for group in (wars, texts))
        return inside * log((inside + share) / (overall * share + share))

    found = told_by(project, wars)
    best = sorted(map(gain, THEMES["war"]), reverse=True)
    assert [gain(term) for term in found] == pytest.approx(best[:5])


def test_the_answer_follows_every_decision(project: Project, wars: tuple[str, ...]) -> None:
    """However many decisions there were since, no answer of an earlier step is given."""
    for number in range(12):
        label = f"Xylophone {number}"
        decide(project, d.RenameTopic("war", label))
        weak = weak_of(project, "war")
        assert weak is not None
        assert weak.label == label


def test_without_suggestions_keywords_are_asked_for() -> None:
    weak = WeakName("t", "Sport", 1_200, 3, (), ())
    assert weak.said() == "3 of 1,200 documents mention 'Sport' or one of its keywords. Add keywords that they use."
