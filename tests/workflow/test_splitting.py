"""A topic is split into as many parts as asked for, as they were shown; no general word goes along."""

from __future__ import annotations

import pytest

from taxocom.errors import InputError
from taxocom.store import Project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.workflow.splitting import parts_of, renamed, split
from tests.store.test_document_places import SPORT, decide, holds, theme_of, where
from tests.ui.fabricate import GENERAL_WORDS, THEMES

MIXED = "mixed"


@pytest.fixture
def mixed(news: Project) -> Project:
    """A topic of two themes beside the others."""
    own = tuple(each for each in news.corpus().document_ids if theme_of(each) in ("film", "war"))
    decide(news, d.AddTopic(ROOT_ID, TopicNode(MIXED, "Mixed")), d.MoveDocuments(own, MIXED))
    return news


def test_a_preview_changes_nothing_and_tells_the_themes_apart(mixed: Project) -> None:
    before = where(mixed)
    parts = parts_of(mixed, MIXED, 2)
    assert where(mixed) == before
    assert sorted(document for part in parts for document in part.documents) == sorted(holds(mixed, MIXED))
    for part in parts:
        themes = [theme_of(each) for each in part.documents]
        theme = max(set(themes), key=themes.count)
        assert themes.count(theme) / len(themes) > 0.85
        assert set(part.terms) <= set(THEMES[theme])
        assert not set(part.terms) & set(GENERAL_WORDS)


def test_a_split_does_what_was_shown_and_is_undone(mixed: Project) -> None:
    before, tree = where(mixed), mixed.taxonomy()
    parts = renamed(parts_of(mixed, MIXED, 2), ["One", "Two"])
    made = split(tree, MIXED, parts)
    decide(mixed, *made)
    after = mixed.taxonomy()
    labels = {node.label: node.node_id for node in after.children_of(ROOT_ID)}
    assert "Mixed" not in labels
    assert labels["One"] == MIXED, "the larger part goes on as the topic"
    for part in parts:
        assert holds(mixed, labels[part.label]) == set(part.documents)
        assert after[labels[part.label]].keywords == part.terms
    others = {each for each in before if before[each] != MIXED}
    assert {each: where(mixed)[each] for each in others} == {each: before[each] for each in others}
    decide(mixed, d.Undo(len(made)))
    assert (where(mixed), mixed.taxonomy()) == (before, tree)


def test_parts_may_stand_below_the_topic(mixed: Project) -> None:
    parts = parts_of(mixed, MIXED, 3)
    decide(mixed, *split(mixed.taxonomy(), MIXED, parts, below=True))
    below = mixed.taxonomy().children_of(MIXED)
    assert [node.label for node in below] == [part.label for part in parts]
    assert len({node.label.casefold() for node in below}) == 3
    counts = document_places(mixed).counts()
    assert sum(counts.get(node.node_id, 0) for node in below) == counts[MIXED]


def test_what_cannot_be_split_is_said(mixed: Project) -> None:
    for n in (1, 7):
        with pytest.raises(InputError, match="2 to 6 parts"):
            parts_of(mixed, SPORT, n)
    with pytest.raises(InputError, match="whole tree cannot be split"):
        parts_of(mixed, ROOT_ID, 2)
    decide(mixed, d.AddTopic(ROOT_ID, TopicNode("bare", "Bare")))
    with pytest.raises(InputError, match="'Bare' has 0 documents of its own, too few for 2 parts"):
        parts_of(mixed, "bare", 2)
    with pytest.raises(InputError, match="no lexicon"):
        parts_of(mixed, MIXED, 2, by="meaning")
    with pytest.raises(InputError, match="1 names were given for 2 parts"):
        renamed(parts_of(mixed, MIXED, 2), ["One"])
