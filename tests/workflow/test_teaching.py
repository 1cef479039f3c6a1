"""Teaching a topic by example: answers are kept, speak for what looks alike, and move nothing else unasked."""

from __future__ import annotations

import pytest

from taxocom.errors import InputError
from taxocom.store import Project
from taxocom.store.projects.document_places import PLACED, document_places
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.workflow.teaching import answers, ask_about_topic, topic_lesson
from tests.store.test_document_places import BUSINESS, FOOTBALL, POLITICS, SPORT, decide, holds, theme_of, where


def judged(news: Project, node_id: str, theme: str) -> tuple[list[str], list[str]]:
    asked = [each.document_id for each in ask_about_topic(news, node_id)]
    return [i for i in asked if theme_of(i) == theme], [i for i in asked if theme_of(i) != theme]


def test_answers_are_decisions_that_keep_the_documents_where_they_were_said_to_be(news: Project) -> None:
    yes, no = judged(news, BUSINESS, "business")
    before = where(news)
    decide(news, answers(news, BUSINESS, yes, no))
    assert news.history()[-1].summary == f"Judged 10 documents for 'Business': {len(yes)} yes, {len(no)} no"
    after = where(news)
    assert all(after[each] == BUSINESS for each in yes)
    assert all(after[each] != BUSINESS for each in no)
    assert {i: to for i, to in after.items() if i not in {*yes, *no}} == {
        i: to for i, to in before.items() if i not in {*yes, *no}
    }
    places, ids = document_places(news), list(news.corpus().document_ids)
    assert {ids[row] for row in (places.reasons == PLACED).nonzero()[0]} == {*yes, *no}
    decide(news, d.Undo())
    assert where(news) == before


def test_a_no_on_a_document_of_another_topic_leaves_it_there(news: Project) -> None:
    elsewhere = sorted(holds(news, POLITICS))[:2]
    judged = answers(news, BUSINESS, [], elsewhere)
    assert judged == d.JudgeDocuments(BUSINESS, (), tuple((each, POLITICS) for each in elsewhere))
    told = answers(news, BUSINESS, [], elsewhere, other=SPORT)
    assert {to for _, to in told.placed} == {SPORT}


def test_a_yes_on_a_document_of_a_sub_topic_leaves_it_there(news: Project) -> None:
    below = sorted(holds(news, FOOTBALL))[:2]
    judged = answers(news, SPORT, below, [])
    assert judged == d.JudgeDocuments(SPORT, tuple(below), tuple((each, FOOTBALL) for each in below))


def test_what_was_learnt_is_offered_and_moves_when_a_person_lets_it(news: Project) -> None:
    assert topic_lesson(news, BUSINESS).decisions() == []
    for _ in range(2):
        decide(news, answers(news, BUSINESS, *judged(news, BUSINESS, "business")))
    before = where(news)
    lesson = topic_lesson(news, BUSINESS)
    assert lesson.n_yes + lesson.n_no == 20
    assert lesson.n_come + lesson.n_go > 0
    assert where(news) == before
    coming = {i for move in lesson.come for i in move.documents}
    going = {i for move in lesson.go for i in move.documents}
    assert not coming & holds(news, BUSINESS)
    assert going <= holds(news, BUSINESS)
    decide(news, *lesson.decisions())
    own = {i for i in before if theme_of(i) == "business"}
    held = {i for i, to in before.items() if to == BUSINESS}
    assert holds(news, BUSINESS) == (held | coming) - going
    assert len(holds(news, BUSINESS) & own) / len(holds(news, BUSINESS)) > len(held & own) / len(held)


def test_what_was_answered_is_not_asked_again(news: Project) -> None:
    yes, no = judged(news, SPORT, "sport")
    decide(news, answers(news, SPORT, yes, no))
    assert not {each.document_id for each in ask_about_topic(news, SPORT)} & {*yes, *no}


def test_answers_that_contradict_themselves_change_nothing(news: Project) -> None:
    with pytest.raises(InputError, match="answered yes and no"):
        answers(news, SPORT, ["doc-0001"], ["doc-0001"])
    with pytest.raises(InputError, match="lies below it"):
        answers(news, SPORT, [], ["doc-0001"], other=FOOTBALL)
    with pytest.raises(InputError, match="no topic to judge"):
        topic_lesson(news, ROOT_ID)
    with pytest.raises(InputError, match="no document 'x'"):
        answers(news, SPORT, ["x"], [])
