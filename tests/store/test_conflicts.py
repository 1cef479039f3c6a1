"""Conflicts are as narrow as what was decided: people on different topics do not get in each other's way."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter
from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from taxocom.errors import ConflictError
from taxocom.store import Project, StaleWriterError, open_project
from taxocom.taxonomy.decisions import AddNote, AddTopic, EditDefinition, RejectTopic, RemoveTopic, RenameTopic
from taxocom.taxonomy.tree import ROOT_ID, TopicNode

_PEOPLE, _EACH = 4, 12
_context = multiprocessing.get_context("forkserver")


def _work_on_one_topic(path: Path, address: str, person: int, refused: Queue[int]) -> None:
    """Decide as a page does: on the state that was seen before the others' last decisions."""
    os.environ["TAXOCOM_DATABASE_URL"] = address
    with Project(path) as project:
        seen = project.sequence
        for number in range(_EACH):
            decision = (
                EditDefinition(f"t{person}", f"text {number}") if number % 2 else AddNote(f"t{person}", str(number))
            )
            try:
                entry = project.record(decision, author=f"person {person}", expected=seen)
                # As a page shows its own decision and not yet those of others.
                seen = entry.sequence
            except ConflictError:
                refused.put(person)
                seen = project.sequence


def test_people_on_different_topics_are_never_refused(project: Project) -> None:
    project.record_all([AddTopic(ROOT_ID, TopicNode(f"t{n}", f"Topic {n}")) for n in range(_PEOPLE)], author="Ada")
    refused: Queue[int] = _context.Queue()
    # The server that forks for us may have been started by a test with another environment.
    address = os.environ.get("TAXOCOM_DATABASE_URL", "")
    people = [
        _context.Process(target=_work_on_one_topic, args=(project.path, address, n, refused)) for n in range(_PEOPLE)
    ]
    for each in people:
        each.start()
    for each in people:
        each.join()
    assert [each.exitcode for each in people] == [0] * _PEOPLE
    assert refused.empty()
    authors = Counter(entry.author for entry in project.log()[_PEOPLE:])
    assert authors == {f"person {n}": _EACH for n in range(_PEOPLE)}


def test_a_writer_behind_on_other_topics_is_let_through_and_one_on_the_same_is_told(project: Project) -> None:
    with open_project("News") as other:
        other.record_all([RenameTopic("sport", "Sports"), RemoveTopic("soccer")], author="Ben")
        project.record(EditDefinition("politics", "of the state"), author="Ada", expected=0)
        for mine in (
            EditDefinition("sport", "games"),
            AddTopic("soccer", TopicNode("x", "X")),
            RenameTopic("politics", "Sports"),
        ):
            before = project.taxonomy()
            with pytest.raises(StaleWriterError, match="conflicts with it") as caught:
                project.record(mine, author="Ada", expected=0)
            assert [entry.logged.author for entry in caught.value.changes] == ["Ben", "Ben", "Ada"]
            assert project.taxonomy() == before
            assert project.sequence == 3
        project.record(EditDefinition("sport", "games"), author="Ada", expected=3)
        assert other.taxonomy()["sport"].definition == "games"


def test_an_undo_is_meant_for_the_decision_that_was_last_on_show(project: Project) -> None:
    project.record(RenameTopic("sport", "Sports"), author="Ada")
    with open_project("News") as other:
        other.record(AddNote("politics", "mine"), author="Ben")
    with pytest.raises(StaleWriterError, match="an undo takes back what was decided last"):
        project.undo(author="Ada", expected=1)
    assert project.taxonomy()["politics"].notes == ("mine",)


def test_a_verdict_on_a_cluster_that_others_judged_is_told_even_if_it_was_dropped(project: Project) -> None:
    with open_project("News") as other:
        other.record(RejectTopic(ROOT_ID, "c1", "film"), author="Ben")
    mine = [RejectTopic(ROOT_ID, "c2", "war")]
    with pytest.raises(StaleWriterError, match="Ben: Rejected 'film'"):
        project.record_all(mine, author="Ada", expected=0, judged=["c1", "c2"])
    project.record_all(mine, author="Ada", expected=0, judged=["c2"])
