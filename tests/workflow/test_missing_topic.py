"""A topic that a person misses: its card says what it would hold, and once accepted it holds just that."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from taxocom.errors import DecisionError, InputError
from taxocom.store import Project, create_project
from taxocom.store.projects.document_places import PLACED, document_places
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.workflow.mentions import mentions_in_texts
from taxocom.workflow.missing_topic import MissedTopic, ask_about, changed, missing_topic
from tests.store.test_document_places import (
    BUSINESS,
    POLITICS,
    SPORT,
    decide,
    holds,
    read_in,
    theme_of,
    where,
)
from tests.ui.fabricate import THEMES

FILM = MissedTopic("Film", ("actor", "director"))


def f1(found: set[str], wanted: set[str]) -> float:
    return 2 * len(found & wanted) / max(len(found) + len(wanted), 1)


def of_theme(news: Project, theme: str) -> set[str]:
    return {each for each in news.corpus().document_ids if theme_of(each) == theme}


def test_a_name_and_words_find_most_of_a_missing_topic_and_nothing_changes(news: Project) -> None:
    before, sequence = where(news), news.sequence
    card = missing_topic(news, FILM)
    assert f1(set(card.documents), of_theme(news, "film")) > 0.6
    assert (where(news), news.sequence) == (before, sequence)
    assert {each.document_id for each in card.typical} <= set(card.documents)
    assert not {each.document_id for each in card.doubtful} & set(card.documents)
    assert all(each.highlights for each in card.typical)
    assert set(card.terms) <= set(THEMES["film"])


def test_a_card_says_what_it_would_take_from_whom(news: Project) -> None:
    card = missing_topic(news, FILM)
    held = where(news)
    wanted = Counter(held[each] for each in card.documents)
    assert {source.node_id: source.n_documents for source in card.sources} == wanted
    assert sum(source.n_documents for source in card.sources) == len(card.documents) == card.node.n_documents


def test_an_accepted_topic_holds_what_its_card_said_and_an_undo_gives_it_back(news: Project) -> None:
    before = where(news)
    card = missing_topic(news, FILM)
    decide(news, *card.decisions())
    assert holds(news, card.node.node_id) == set(card.documents)
    node = news.taxonomy()[card.node.node_id]
    assert (node.label, node.origin, node.status, node.keywords) == ("Film", "manual", "approved", FILM.words)
    assert {i: to for i, to in where(news).items() if i not in card.documents} == {
        i: to for i, to in before.items() if i not in card.documents
    }
    decide(news, d.Undo(1))
    assert where(news) == before


def test_documents_alone_tell_a_topic_and_suggest_its_terms(news: Project) -> None:
    wars = sorted(of_theme(news, "war"))
    card = missing_topic(news, MissedTopic(documents=tuple(wars[:9])))
    assert f1(set(card.documents), set(wars)) > 0.5
    assert set(wars[:9]) <= set(card.documents)
    assert set(card.terms) & set(THEMES["war"])
    with pytest.raises(DecisionError, match="name of the topic is empty"):
        card.decisions()


def test_what_a_person_decided_is_not_taken_unless_the_person_says_so(news: Project) -> None:
    film = missing_topic(news, FILM).documents
    decide(news, d.MoveDocuments(film[:4], BUSINESS))
    card = missing_topic(news, FILM)
    assert not set(film[:4]) & set(card.documents)
    if card.n_kept:
        assert any("a decision put them where they are" in said for said in card.remarks)
    told = missing_topic(news, FILM.with_answers(film[:1], ()))
    assert film[0] in told.documents
    decide(news, *told.decisions())
    assert holds(news, BUSINESS) >= set(film[1:4])
    places = document_places(news)
    assert places.reasons[list(news.corpus().document_ids).index(film[0])] == PLACED


def test_what_a_topic_above_was_accepted_with_may_go_down(news: Project) -> None:
    film = missing_topic(news, FILM)
    decide(news, *film.decisions())
    oscar = MissedTopic("Oscar", ("festival",))
    below = {each.document_id for each in ask_about(news, replace(oscar, parent_id=film.node.node_id))}
    beside = {each.document_id for each in ask_about(news, oscar)}
    assert below & set(film.documents)
    assert not beside & set(film.documents)


def test_answers_are_kept_and_teach_what_looks_alike(news: Project) -> None:
    film = of_theme(news, "film")
    # Half of the words are those of another topic: what it would hold is mixed before the answers.
    wish = MissedTopic("Screen", ("studio", "court", "judge"))
    card = missing_topic(news, wish)
    for _ in range(2):
        asked = [each.document_id for each in ask_about(news, wish)]
        assert len(set(asked)) == 10
        assert not set(asked) & {*wish.yes, *wish.no}
        wish = wish.with_answers([i for i in asked if i in film], [i for i in asked if i not in film])
    after = missing_topic(news, wish)
    assert set(wish.yes) <= set(after.documents)
    assert not set(wish.no) & set(after.documents)
    assert f1(set(after.documents), film) > f1(set(card.documents), film)
    more, fewer = changed(card, after)
    assert len(card.documents) + more - fewer == len(after.documents)


def test_a_no_stays_a_no_once_the_topic_is_added(news: Project) -> None:
    asked = [each.document_id for each in ask_about(news, FILM)]
    before = where(news)
    decide(news, *missing_topic(news, FILM.with_answers(asked[:4], asked[4:])).decisions())
    places, ids = document_places(news), list(news.corpus().document_ids)
    assert {ids[row] for row in (places.reasons == PLACED).nonzero()[0]} == set(asked)
    assert {each: where(news)[each] for each in asked[4:]} == {each: before[each] for each in asked[4:]}


def test_a_later_answer_stands_for_an_earlier_one() -> None:
    wish = MissedTopic("Film").with_answers(["a", "b"], ["c"]).with_answers(["c"], ["a"])
    assert (set(wish.yes), set(wish.no)) == ({"b", "c"}, {"a"})


def test_a_name_that_nobody_says_is_told_honestly_and_can_still_be_added(news: Project) -> None:
    card = missing_topic(news, MissedTopic("Xylophone"))
    assert card.n_saying == 0
    if card.documents:
        assert card.remarks[0].startswith("Its name or one of its words is in no document.")
    else:
        assert card.remarks[0].startswith("Hardly anything in the texts supports it")
    decide(news, *card.decisions())
    assert holds(news, card.node.node_id) == set(card.documents)


def test_near_names_say_what_to_do(news: Project) -> None:
    same, *_ = missing_topic(news, MissedTopic("sports", parent_id=POLITICS)).near
    assert (same.node_id, same.is_same) == (SPORT, True)
    assert "in the tree already" in same.said
    keyword, *_ = missing_topic(news, MissedTopic("Market")).near
    assert (keyword.node_id, keyword.is_same) == (BUSINESS, False)
    spelled, *_ = missing_topic(news, MissedTopic("Politic")).near
    assert spelled.node_id == POLITICS
    assert not missing_topic(news, FILM).near
    with pytest.raises(DecisionError, match="already a topic"):
        decide(news, *missing_topic(news, MissedTopic("Sport")).decisions())


def test_a_topic_can_be_missed_in_an_empty_tree(tmp_path: Path, news: Project) -> None:
    with create_project("Bare") as bare:
        read_in(bare, tmp_path / "texts.jsonl")
        card = missing_topic(bare, FILM)
        assert f1(set(card.documents), of_theme(bare, "film")) > 0.3
        decide(bare, *card.decisions())
        assert holds(bare, card.node.node_id) == set(card.documents)


def test_what_is_wrong_is_said(news: Project) -> None:
    with pytest.raises(InputError, match="Nothing was told"):
        missing_topic(news, MissedTopic(" "))
    with pytest.raises(InputError, match="no document 'nobody'"):
        missing_topic(news, MissedTopic("Film", documents=("nobody",)))
    with pytest.raises(DecisionError, match="no topic with the id"):
        missing_topic(news, MissedTopic("Film", parent_id="gone"))


def test_a_name_of_words_that_are_no_term_is_found_in_the_texts(news: Project) -> None:
    corpus = news.corpus()
    first, second = corpus.texts[0].split()[:2]
    found = mentions_in_texts(news, [f"{first} {second}"])
    assert found is not None
    assert found[0] >= 1
    apart = sum(f"{first} {second}".lower() in text.lower() for text in corpus.texts)
    assert (found > 0).sum() <= apart
    assert mentions_in_texts(news, ["film"]) is None


def test_a_new_topic_hangs_where_it_is_put(news: Project) -> None:
    decide(news, d.AddTopic(ROOT_ID, TopicNode("culture", "Culture")))
    card = missing_topic(news, MissedTopic("Film", ("actor",), "culture"))
    decide(news, *card.decisions())
    assert news.taxonomy().parent_of(card.node.node_id) == "culture"
    assert document_places(news).counts()["culture"] == len(card.documents)
