"""Several missing topics told at once: judged one by one before anything is added, and an answer on one teaches all."""

from __future__ import annotations

import pytest

from taxocom.errors import InputError
from taxocom.store import Project
from taxocom.store.projects.document_places import PLACED, document_places
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.workflow.missing_topic import MissedTopic, ask_about, missing_topic
from taxocom.workflow.told_together import decisions_of, taught_together, together, told_together
from tests.store.test_document_places import decide, holds, theme_of


def cards_of(news: Project, wishes: list[MissedTopic]) -> dict[str, set[str]]:
    return {each.label: set(missing_topic(news, each).documents) for each in wishes}


def judged(news: Project, wish: MissedTopic, theme: str) -> tuple[list[str], list[str]]:
    asked = [each.document_id for each in ask_about(news, wish)]
    yes = [each for each in asked if theme_of(each) == theme]
    return yes, [each for each in asked if each not in yes]


def test_names_are_told_once_in_their_order_and_know_of_each_other() -> None:
    told = told_together([" Film", "war ", "", "film", "War zone"], "x")
    assert [each.label for each in told] == ["Film", "war", "War zone"]
    assert {each.parent_id for each in told} == {"x"}
    assert [each.label for each in told[1].beside] == ["Film", "War zone"]
    assert all(each.beside == () for each in told[1].beside)


def test_answers_on_one_stand_for_it_and_speak_to_the_others(news: Project) -> None:
    told = told_together(["Film", "War"])
    before = cards_of(news, told)
    yes, no = judged(news, told[1], "war")
    taught = taught_together(told, "War", yes, no)
    after = cards_of(news, taught)
    assert set(yes) <= after["War"]
    assert not set(no) & after["War"]
    assert not set(yes) & after["Film"]
    assert not after["War"] & after["Film"]
    assert after["War"] != before["War"]
    asked = {each.document_id for wish in taught for each in ask_about(news, wish)}
    assert not set(yes) & asked, "whose a document is was said, so nobody is asked again"


def test_the_last_word_on_a_document_counts(news: Project) -> None:
    document = news.corpus().document_ids[0]
    first = taught_together(told_together(["Film", "War"]), "Film", [document], [])
    second = taught_together(first, "War", [document], [])
    assert [each.yes for each in second] == [(), (document,)]
    assert document in cards_of(news, second)["War"]
    with pytest.raises(InputError, match="'Golf' is none of the topics"):
        taught_together(second, "Golf", [document], [])


def test_what_is_added_holds_what_the_cards_said_and_answers_are_kept(news: Project) -> None:
    told = told_together(["Film", "War"])
    for label, theme in (("War", "war"), ("Film", "film")):
        wish = next(each for each in told if each.label == label)
        told = taught_together(told, label, *judged(news, wish, theme))
    cards = [missing_topic(news, each) for each in told]
    decide(news, *decisions_of(cards))
    for card in cards:
        assert holds(news, card.node.node_id) == set(card.documents)
    places, ids = document_places(news), news.corpus().document_ids
    answered = {each for wish in told for each in (*wish.yes, *wish.no)}
    assert answered == {ids[row] for row in range(len(ids)) if places.reasons[row] == PLACED}


def test_one_of_several_that_is_left_out_is_not_learnt_beside_the_rest(news: Project) -> None:
    told = told_together(["Film", "War"])
    (alone,) = together(told[:1])
    assert alone == MissedTopic("Film", parent_id=ROOT_ID)


def test_a_card_counts_what_is_on_its_border(news: Project) -> None:
    card = missing_topic(news, MissedTopic("Film"))
    assert card.doubt == card.n_border / max(len(card.documents), 1)
    taught = missing_topic(news, MissedTopic("Film").with_answers(*judged(news, MissedTopic("Film"), "film")))
    assert 0 <= taught.n_border < news.corpus().n_documents
