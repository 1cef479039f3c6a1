"""Simulated people complete a tree through the functions of the workbench, and their gestures are counted."""

from __future__ import annotations

from itertools import pairwise

import pytest

from taxocom.evaluation.curator_tables import curve_table, cut_table, scenario_table, speed_line
from taxocom.evaluation.scenarios import Scenario, removal_scenario
from taxocom.evaluation.simulated_curator import CuratorRun, CurvePoint
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.input.documents import Document
from taxocom.workflow.curator_runs import CuratorTask, run_answers, run_person
from tests.store.test_document_places import mixed_documents, theme_of

_KNOWN = {"sport": "football", "politics": "government", "business": "market", "film": "cinema", "war": "army"}


@pytest.fixture(autouse=True)
def without_lexicon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")


@pytest.fixture(scope="module")
def gold() -> Taxonomy:
    tree = Taxonomy.empty("News")
    for theme, word in _KNOWN.items():
        tree = tree.with_topic(TopicNode(topic_id(theme), theme, keywords=(word,)), ROOT_ID)
    return tree


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return [
        Document(each.document_id, each.text.replace("actor", "film"), labels=(theme_of(each.document_id),))
        for each in mixed_documents()
        if theme_of(each.document_id) in _KNOWN
    ]


def lacking(gold: Taxonomy, *themes: str) -> Scenario:
    return removal_scenario("without " + ", ".join(themes), gold, [(theme,) for theme in themes])


def test_names_told_together_reach_more_with_fewer_gestures(gold: Taxonomy, documents: list[Document]) -> None:
    task = CuratorTask(lacking(gold, "film", "war"), documents)
    hand, names = run_person(task, "by hand"), run_person(task, "names")
    assert hand.points[0] == names.points[0]
    assert (hand.points[0].n_topics, hand.points[0].n_gestures) == (0, 0)
    # Two names and a click, where by hand it is a name and a click twice.
    assert [point.n_gestures for point in names.points[1:3]] == [2, 3]
    assert [point.n_gestures for point in hand.points[1:5]] == [1, 2, 3, 4]
    assert names.at(3).n_right > names.at(2).n_right == names.points[0].n_right
    assert names.points[-1].n_right >= names.at(3).n_right
    for run in (hand, names):
        assert run.points[-1].n_gestures <= 10 * run.n_missing
        assert run.n_documents == len(documents)


@pytest.mark.slow
def test_what_is_proposed_is_judged_before_names_are_told(gold: Taxonomy, documents: list[Document]) -> None:
    run = run_person(CuratorTask(lacking(gold, "film"), documents), "curator")
    assert run.points[1] == CurvePoint(1, 0, run.points[0].n_right)
    assert dict(run.f1)[("film",)] > 0.5
    assert run.at(5).n_right > run.points[0].n_right


def test_every_single_document_put_right_is_a_gesture(gold: Taxonomy, documents: list[Document]) -> None:
    hand = run_person(CuratorTask(lacking(gold, "film"), documents), "by hand")
    later = hand.points[2:]
    assert [after.n_right - before.n_right for before, after in pairwise(later)] == [1] * (len(later) - 1)


def test_one_topic_is_named_and_answered_for(gold: Taxonomy, documents: list[Document]) -> None:
    run = run_answers(CuratorTask(lacking(gold, "film"), documents), 20)
    assert [point.n_gestures for point in run.points] == [0, 1, 11, 21, 22]
    assert run.at(21).n_right == run.points[0].n_right
    assert dict(run.f1)[("film",)] > 0.5
    assert "F1 of 0.5 or more: 1 of 1." in cut_table([run], 100).caption


def curve(person: str, *right: int, scenario: str = "s") -> CuratorRun:
    points = tuple(CurvePoint(n, min(n, 1), n_right) for n, n_right in enumerate(right))
    return CuratorRun(scenario, person, 1, 100, points)


def test_tables_say_how_much_sooner_the_same_is_reached() -> None:
    hand, quick = curve("by hand", 10, 20, 30, 40, 50, 60, 61), curve("names", 10, 20, 60, 70, 80, 90, 90)
    assert hand.at(5).n_right == 60
    assert (quick.gestures_to(60), quick.gestures_to(95)) == (2, None)
    assert speed_line([hand, quick], "names").startswith(
        "names: 2.5 times as fast (median); at least 2 times in 1 of 1"
    )
    never = [curve("by hand", 10, 50, scenario="t"), curve("names", 10, 20, scenario="t")]
    assert "never in 1" in speed_line([hand, quick, *never], "names")
    assert ("names", "documents", "10.0", "20.0", "60.0", "70.0", "90.0", "90.0") in curve_table([hand, quick]).rows
    assert scenario_table([hand, quick]).rows[1] == ("s", "names", "1 of 1", 90, 100, "2 to 5")
