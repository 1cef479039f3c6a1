"""Teaching a topic of the tree by example: which documents to judge, what the answers are, and what would move then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.errors import InputError
from taxocom.numerics.arrays import Ints1d
from taxocom.store import Project
from taxocom.store.disk.memory import Memory
from taxocom.store.projects.document_places import PLACED, DocumentPlaces, document_places, project_witnesses
from taxocom.tagging.lesson import CLEAR, Lesson, answered, lesson_on, to_ask
from taxocom.tagging.names import names_of
from taxocom.taxonomy.decisions import JudgeDocuments, MoveDocuments
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.text.terms.vocabulary import normal_term
from taxocom.workflow.moves import SuggestedMove
from taxocom.workflow.shown_documents import ShownDocument, document_rows, show_documents
from taxocom.workflow.tags import project_tags, tags_key

_MOST_ANSWERS = 400
"""Answers that the topic learns from: those nearest its border. Thousands placed by hand would take too long."""

_LESSONS: Memory[Lesson] = Memory(2)


@dataclass(frozen=True)
class TopicLesson:
    """What a topic has learnt from answers: how many there are, and what would come to it and go from it by them."""

    node_id: str
    n_yes: int
    n_no: int
    come: tuple[SuggestedMove, ...]
    go: tuple[SuggestedMove, ...]

    @property
    def n_come(self) -> int:
        """How many documents would come."""
        return sum(len(move.documents) for move in self.come)

    @property
    def n_go(self) -> int:
        """How many documents would go."""
        return sum(len(move.documents) for move in self.go)

    def decisions(self) -> list[MoveDocuments]:
        """Return what lets all of them move."""
        return [move.let_go() for move in (*self.come, *self.go)]


def topic_lesson(project: Project, node_id: str) -> TopicLesson:
    """Return what a topic learnt from the documents that people placed in it and elsewhere. Nothing moves by itself."""
    places = document_places(project)
    lesson = _lesson(project, places, node_id)
    if not (lesson.yes or lesson.no):
        return TopicLesson(node_id, 0, 0, (), ())
    lead, inside = lesson.lead, _inside(places, node_id)
    free = places.reasons != PLACED
    come = np.flatnonzero((lead > CLEAR) & free & ~inside).astype(np.int32)
    go = np.flatnonzero((lead < -CLEAR) & free & inside).astype(np.int32)
    now = [places.node_of(int(row)) for row in come]
    others = lesson.others
    better = [lesson.node_ids[int(others[row])] for row in go]
    return TopicLesson(
        node_id,
        len(lesson.yes),
        len(lesson.no),
        _grouped(project, come, [(each, node_id) for each in now]),
        _grouped(project, go, [(places.node_of(int(row)), to) for row, to in zip(go, better, strict=True)]),
    )


def ask_about_topic(project: Project, node_id: str, n: int = 10) -> list[ShownDocument]:
    """Return the documents whose yes or no would tell most of a topic; those that a person placed are not asked."""
    places = document_places(project)
    lesson = _lesson(project, places, node_id)
    rows = to_ask(lesson, project_witnesses(project), np.asarray(places.reasons != PLACED), n)
    node = places.tree[node_id]
    terms = [normal_term(name) for name in names_of(node)] + [anchor.term for anchor in node.anchors]
    return show_documents(project, rows, [term for term in terms if term])


def answers(
    project: Project, node_id: str, yes: Sequence[str], no: Sequence[str], *, other: str | None = None
) -> JudgeDocuments:
    """Return the one decision that answers are: yes puts a document in the topic for good, no puts it elsewhere.

    Elsewhere is `other`; else the topic it is in now, or the likeliest other one if it is in this topic.
    """
    if both := sorted(set(yes) & set(no)):
        raise InputError(f"Document {both[0]!r} is answered yes and no. Say one of them.")
    places = document_places(project)
    if other is not None and other in {below.node_id for below in places.tree.subtree_of(node_id)}:
        raise InputError(f"{places.tree[other].label!r} is this topic or lies below it. Name another topic.")
    lesson = _lesson(project, places, node_id)
    ids, inside = project.corpus().document_ids, _inside(places, node_id)
    placed: dict[str, str] = {}
    for row in document_rows(project, yes).tolist():
        # What is in a sub-topic is in the topic, and stays as deep as it is.
        placed[ids[row]] = places.node_of(row) if inside[row] else node_id
    own = tuple(placed)
    others = lesson.others
    for row in document_rows(project, no).tolist():
        likeliest = int(others[row])
        elsewhere = lesson.node_ids[likeliest] if likeliest >= 0 else ROOT_ID
        placed[ids[row]] = other or (elsewhere if inside[row] else places.node_of(row))
    return JudgeDocuments(node_id, own, tuple(placed.items()))


def _lesson(project: Project, places: DocumentPlaces, node_id: str) -> Lesson:
    if node_id == ROOT_ID:
        raise InputError("The whole tree is no topic to judge documents for. Name one of its topics.")
    key = (tags_key(project, places), node_id)
    return _LESSONS.get(key, lambda: _learn(project, places, node_id))


def _learn(project: Project, places: DocumentPlaces, node_id: str) -> Lesson:
    lesson = lesson_on(project_tags(project).tags, [below.node_id for below in places.tree.subtree_of(node_id)])
    inside, placed = _inside(places, node_id), places.reasons == PLACED
    nearest = np.argsort(np.abs(lesson.lead), kind="stable")
    judged = nearest[placed[nearest]][:_MOST_ANSWERS]
    return answered(
        lesson, project_witnesses(project), judged[inside[judged]].tolist(), judged[~inside[judged]].tolist()
    )


def _inside(places: DocumentPlaces, node_id: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    inside = np.zeros(len(places.numbers), dtype=bool)
    inside[places.documents_of(node_id)] = True
    return inside


def _grouped(project: Project, rows: Ints1d, ways: Sequence[tuple[str, str]]) -> tuple[SuggestedMove, ...]:
    ids = project.corpus().document_ids
    found: dict[tuple[str, str], list[str]] = {}
    for row, way in zip(rows.tolist(), ways, strict=True):
        found.setdefault(way, []).append(ids[row])
    moves = [SuggestedMove(held, to, tuple(documents)) for (held, to), documents in found.items()]
    return tuple(sorted(moves, key=lambda move: (-len(move.documents), move.from_id, move.to_id)))
