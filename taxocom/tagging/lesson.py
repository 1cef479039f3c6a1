"""How one topic is learnt beside the others: from its name and words, and from a person's yes and no on documents.

A topic that a person misses has no documents yet, so all topics are learnt again with it among them: those beside it
must unlearn what they held for want of a better one. An answer is a label, and it speaks for the documents that look
like the one that was judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from taxocom.numerics.arrays import UNASSIGNED, Bools1d, Floats1d, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.tagging.model import Labels, learn, softmax
from taxocom.tagging.names import classes_under, name_evidence, name_terms, names_of
from taxocom.tagging.tagger import SURENESS, Tags, Teaching, labels_from
from taxocom.tagging.witnesses import Witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.terms.vocabulary import Vocabulary

CLEAR = 1.0
"""How far a topic must lead the next one to take a document unasked. At 0 and 2 the mean F1 over 57 topics named is the
same within 0.01; at 6 it falls."""

_HANDICAP = 0.5
"""What a new topic's evidence is lowered by, so that small topics do not take what their names hardly speak for. With 0
topics of 100 documents lose 0.02 of their mean F1; with 1 a topic of 1,000 ("hockey") falls from 0.90 to 0.39."""

_SAID = 12.0
"""What an answer adds to the score of a document that looks just like the one judged; 10 is as good, 20 is worse."""

_IN_DIRECTIONS = 0.7
"""How much of the likeness of two documents is that in the main directions; the rest is that in the lexicon."""

_BEYOND_DOUBT = 1e3
_DOUBT = 0.3
_ROUNDS = 2
_WEIGHT = 2.0
_ASKED_AMONG = 600


@dataclass(frozen=True, eq=False)
class Lesson:
    """What is known of one topic beside the others.

    `node_ids` (n_classes) are the answers that the tagger can give, `own` (n_classes,) those that are the topic or lie
    below it. `evidence` (what the names say) and `scores` have the shape (n_documents, n_classes). `labels` are what
    people said before, `yes` and `no` the documents that they judged for this topic.
    """

    node_ids: tuple[str, ...]
    own: Bools1d
    branches: Ints1d
    evidence: Floats2d
    scores: Floats2d
    labels: Labels
    yes: tuple[int, ...] = ()
    no: tuple[int, ...] = ()

    @property
    def lead(self) -> Floats1d:
        """How far the topic leads the likeliest other in every document, negative where it trails; `CLEAR` is clear."""
        lead = self.scores[:, self.own].max(axis=1, initial=-_BEYOND_DOUBT)
        if not self.own.all():
            lead = lead - self.scores[:, ~self.own].max(axis=1)
        lead[list(self.yes)], lead[list(self.no)] = _BEYOND_DOUBT, -_BEYOND_DOUBT
        return np.asarray(lead, dtype=np.float32)

    @property
    def others(self) -> Ints1d:
        """The likeliest class of every document that is not the topic; -1 if there is no other."""
        if self.own.all():
            return np.full(len(self.scores), -1, dtype=np.int32)
        return np.asarray(np.where(self.own, -np.inf, self.scores).argmax(axis=1), dtype=np.int32)


def learn_new_topics(
    witnesses: Witnesses,
    vocabulary: Vocabulary,
    tree: Taxonomy,
    new: Sequence[str],
    *,
    teaching: Teaching | None = None,
    with_documents: frozenset[str] = frozenset(),
    mentions: Mapping[str, Floats1d] | None = None,
) -> tuple[Lesson, ...]:
    """Learn topics that are new in a tree from their names, all at once; return a lesson on each.

    What is told together is learnt together: a topic that is learnt before its sibling holds much of what is the
    sibling's. `mentions` are more of them by topic, each of shape (n_documents,).
    """
    teaching = teaching or Teaching.none()
    classes = classes_under(tree, ROOT_ID, with_documents | teaching.topics() | set(new))
    node_ids = tuple(each.node_id for each in classes)
    columns = [node_ids.index(node_id) for node_id in new]
    evidence = name_evidence(witnesses, vocabulary, tree, node_ids)
    said = _mentions(witnesses, vocabulary, tree, node_ids)
    for node_id, more in (mentions or {}).items():
        said[:, node_ids.index(node_id)] += more
        evidence[:, node_ids.index(node_id)] += np.log1p(more)
    evidence[:, columns] -= _HANDICAP
    branches = np.array([each.branch for each in classes], dtype=np.int32)
    labels = labels_from(teaching, classes, tree, witnesses.n_documents)
    own = np.eye(len(node_ids), dtype=bool)[columns]
    first = Lesson(node_ids, own[0], branches, evidence, evidence, labels)
    if len(classes) == 1:
        return (_by_name_alone(first),)
    # Who says the new name, and no other as often, teaches it; else a narrow topic drifts to what lies beside it.
    taught = labels.topics.copy()
    for column in columns:
        beside = said * ~_parts_of(vocabulary, tree, node_ids, column)
        teachers = (said[:, column] > 0) & (said[:, column] >= beside.max(axis=1))
        taught[teachers & (labels.topics == UNASSIGNED)] = column
    scores = learn(witnesses, evidence, branches, labels=Labels(taught, labels.weights))
    return tuple(replace(first, own=each, scores=scores) for each in own)


def lesson_on(tags: Tags, own: Sequence[str]) -> Lesson:
    """Return what the tagger knows of a topic that is in the tree: `own` are the topic and those below it."""
    held = frozenset(own)
    node_ids = tuple(each.node_id for each in tags.classes)
    told = tags.labels.topics
    return Lesson(
        node_ids=node_ids,
        own=np.array([each in held for each in node_ids], dtype=bool),
        branches=tags.branches,
        evidence=tags.evidence,
        scores=tags.scores,
        labels=Labels(told, np.ones(len(told), dtype=np.float32)),
    )


def answered(lesson: Lesson, witnesses: Witnesses, yes: Sequence[int], no: Sequence[int]) -> Lesson:
    """Learn from answers: these documents are of the topic, those are not. Earlier answers to the lesson stay."""
    return answered_together([lesson], witnesses, [(yes, no)])[0]


def answered_together(
    lessons: Sequence[Lesson], witnesses: Witnesses, said: Sequence[tuple[Sequence[int], Sequence[int]]]
) -> tuple[Lesson, ...]:
    """Learn from answers on topics that were told together, a pair of yes and no for each lesson.

    Their lessons are of one learning, so what is said of one teaches all: a yes to one is a no to the others.
    """
    pairs = zip(lessons, said, strict=True)
    taught = [replace(each, yes=(*each.yes, *yes), no=(*each.no, *no)) for each, (yes, no) in pairs]
    heard = [each for each in taught if (each.yes or each.no) and each.own.any()]
    if not heard:
        return tuple(taught)
    first = lessons[0]
    evidence, scores = first.evidence.copy(), first.scores.copy()
    for each in heard:
        spread = _spread(each, witnesses)
        evidence[:, each.own] += spread[:, None]
        scores[:, each.own] += spread[:, None]
    if first.own.all():
        return tuple(replace(each, scores=scores) for each in taught)
    labels = _labels_of(heard, first)
    scores = learn(witnesses, evidence, first.branches, labels=labels, guess=softmax(scores), rounds=_ROUNDS)
    claimed = [row for each in heard for row in each.yes]
    return tuple(
        replace(
            each, no=tuple(dict.fromkeys((*each.no, *(row for row in claimed if row not in each.yes)))), scores=scores
        )
        for each in taught
    )


def _spread(lesson: Lesson, witnesses: Witnesses) -> Floats1d:
    """Return what the answers to a lesson say of every document: as much as it looks like those that were judged."""
    judged = np.array([*lesson.yes, *lesson.no], dtype=np.int32)
    said = np.where(np.arange(len(judged)) < len(lesson.yes), _SAID, -_SAID)
    weights = np.linalg.solve(likeness(witnesses, judged, judged) + _DOUBT * np.eye(len(judged)), said)
    return np.asarray(likeness(witnesses, None, judged) @ weights, dtype=np.float32)


def _labels_of(taught: Sequence[Lesson], before: Lesson) -> Labels:
    """Return the answers as labels: yes is the topic, no the likeliest topic that was not said no to."""
    labels = Labels(before.labels.topics.copy(), before.labels.weights.copy())
    refused: dict[int, Bools1d] = {}
    for each in taught:
        for row in each.no:
            refused[row] = refused.get(row, False) | each.own
    for row, own in refused.items():
        labels.topics[row] = UNASSIGNED if own.all() else np.where(own, -np.inf, before.scores[row]).argmax()
    for each in taught:
        rows = list(each.yes)
        labels.topics[rows] = np.where(each.own, before.scores[rows], -np.inf).argmax(axis=1)
        labels.weights[[*each.yes, *each.no]] = _WEIGHT
    return labels


def to_ask(lesson: Lesson, witnesses: Witnesses, among: Bools1d, n: int = 10) -> list[int]:
    """Return the documents whose answers would settle most, most telling first.

    An answer settles what it says of the documents that look alike, as far as these are in doubt. `among`
    (n_documents,) are those that may be asked about; what was answered is left out.
    """
    lead = lesson.lead - CLEAR
    may = among.copy()
    judged = np.array([*lesson.yes, *lesson.no], dtype=np.int32)
    may[judged] = False
    pool = np.flatnonzero(may).astype(np.int32)
    pool = pool[np.argsort(-lead[pool], kind="stable")][:_ASKED_AMONG]
    if not len(pool):
        return []
    sure = 1.0 / (1.0 + np.exp(-SURENESS * lead[pool].clip(-30, 30)))
    doubt = 4.0 * sure * (1.0 - sure)
    open_questions = likeness(witnesses, pool, pool).astype(np.float64)
    if len(judged):
        beside = likeness(witnesses, pool, judged)
        known = likeness(witnesses, judged, judged) + _DOUBT * np.eye(len(judged))
        open_questions -= beside @ np.linalg.solve(known, beside.T)
    chosen: list[int] = []
    for _ in range(min(n, len(pool))):
        settled = (open_questions**2 @ doubt) / (np.maximum(np.diag(open_questions), 0.0) + _DOUBT)
        settled[chosen] = -1.0
        best = int(settled.argmax())
        chosen.append(best)
        column = open_questions[:, best].copy()
        open_questions -= np.outer(column, column) / (max(column[best], 0.0) + _DOUBT)
    return [int(pool[each]) for each in chosen]


def likeness(witnesses: Witnesses, rows: Ints1d | None, columns: Ints1d) -> Floats2d:
    """Return how much documents look alike, from 0 to 1: the square of a cosine, so that only what is near counts."""
    directions = witnesses.directions.documents
    with one_blas_thread():
        found = (directions if rows is None else directions[rows]) @ directions[columns].T
        if witnesses.meanings is not None:
            vectors = witnesses.meanings.vectors
            meant = witnesses.meanings if rows is None else replace(witnesses.meanings, vectors=vectors[rows])
            cosines = meant.cosines(vectors[columns].astype(np.float32))
            found = _IN_DIRECTIONS * found + (1.0 - _IN_DIRECTIONS) * cosines
    return np.asarray(np.maximum(found, 0.0) ** 2, dtype=np.float32)


def _mentions(witnesses: Witnesses, vocabulary: Vocabulary, tree: Taxonomy, node_ids: Sequence[str]) -> Floats2d:
    """Count how often each document mentions every topic's names, shape (n_documents, n_topics)."""
    found = np.zeros((witnesses.n_documents, len(node_ids)), dtype=np.float32)
    for column, node_id in enumerate(node_ids):
        terms = name_terms(vocabulary, names_of(tree[node_id]))
        found[:, column] = np.expm1(witnesses.damped[:, terms].toarray()).sum(axis=1)
    return found


def _parts_of(vocabulary: Vocabulary, tree: Taxonomy, node_ids: Sequence[str], new: int) -> Bools1d:
    """Tell which topics' names are a part of a new one's, and which is the new one itself.

    What says "space shuttle" says "space" as well, and oftener, and is about the shuttle all the same.
    """
    terms = [name_terms(vocabulary, names_of(tree[node_id])) for node_id in node_ids]
    own = terms[new]
    parts = [len(np.intersect1d(each, own)) > 0 and len(np.setdiff1d(each, own)) > 0 for each in terms]
    parts[new] = True
    return np.array(parts, dtype=bool)


def _by_name_alone(lesson: Lesson) -> Lesson:
    """Return the lesson where there is no other topic: what its names say of a document must be out of the common."""
    common = lesson.evidence.mean(axis=0) + 2.0 * lesson.evidence.std(axis=0)
    return replace(lesson, scores=np.asarray(CLEAR + lesson.evidence - common, dtype=np.float32))
