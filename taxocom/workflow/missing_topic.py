"""A topic that a person misses: what it would hold, before it is added. Its name, a few words or documents suffice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from taxocom.errors import InputError
from taxocom.numerics.arrays import Bools1d, Ints1d
from taxocom.store import Project
from taxocom.store.disk.memory import Memory
from taxocom.store.projects.document_places import ACCEPTED, TAGGED, DocumentPlaces, document_places, project_witnesses
from taxocom.tagging.lesson import CLEAR, Lesson, answered_together, learn_new_topics, to_ask
from taxocom.tagging.names import names_of, says_a_name
from taxocom.tagging.tagger import Teaching
from taxocom.taxonomy.decisions import AcceptTopic, Decision, JudgeDocuments
from taxocom.taxonomy.mutable_tree import one_line
from taxocom.taxonomy.tree import ROOT_ID, TopicNode, topic_id
from taxocom.text.terms.vocabulary import normal_term
from taxocom.workflow.mentions import mentions_in_texts
from taxocom.workflow.near_names import NearTopic, near_topics
from taxocom.workflow.shown_documents import ShownDocument, document_rows, show_documents
from taxocom.workflow.tags import tags_key
from taxocom.workflow.weak_names import terms_beyond_names

_TYPICAL, _DOUBTFUL = 5, 5
_TYPICAL_AMONG = 40
_MOST_OF_IT = 2 / 3
_LARGER_THAN_LEAVES = 2.0
_HARDLY_ANYTHING = 5
_SELDOM = 0.1
_BORDER = 3.0
"""Documents that lead or trail by less than this beyond `CLEAR` are on the border: about two in three or one in three
sure."""


@dataclass(frozen=True)
class MissedTopic:
    """What a person tells of a topic that is missing: a name, words, documents, and answers to what was asked.

    `beside` are others that are told at once and go to the same place: all are learnt together, from all answers.
    """

    label: str = ""
    words: tuple[str, ...] = ()
    parent_id: str = ROOT_ID
    documents: tuple[str, ...] = ()
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    beside: tuple[MissedTopic, ...] = ()

    @property
    def own(self) -> tuple[str, ...]:
        """The documents that the person says are of it."""
        return tuple(dict.fromkeys([*(each for each in self.documents if each not in self.no), *self.yes]))

    def with_answers(self, yes: Sequence[str], no: Sequence[str]) -> MissedTopic:
        """Return the same with more documents judged; a later answer on a document stands for an earlier one."""
        said = dict.fromkeys(self.yes, True) | dict.fromkeys(self.no, False)
        said |= dict.fromkeys(yes, True) | dict.fromkeys(no, False)
        return replace(self, yes=tuple(d for d in said if said[d]), no=tuple(d for d in said if not said[d]))


@dataclass(frozen=True)
class Source:
    """A topic that documents would come from, and how many; the root stands for no topic."""

    node_id: str
    label: str
    n_documents: int


@dataclass(frozen=True)
class TopicCard:
    """What a missing topic would be.

    `documents` are those that it would hold, the surest first; `sources` where they are now. `n_kept` would fit too,
    but stay where a person put them. `fits_under` is a topic that it may belong under. `remarks` are sentences to read
    before it is accepted. `refused` are the documents with no, each with the topic that it is in. `n_border` are so
    near its border, on either side, that a few answers may settle them.
    """

    wish: MissedTopic
    node: TopicNode
    documents: tuple[str, ...]
    typical: tuple[ShownDocument, ...]
    doubtful: tuple[ShownDocument, ...]
    terms: tuple[str, ...]
    sources: tuple[Source, ...]
    near: tuple[NearTopic, ...]
    fits_under: str | None
    n_saying: int
    n_kept: int
    remarks: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()
    n_border: int = 0

    @property
    def doubt(self) -> float:
        """How many documents are on the border for each that the topic would hold."""
        return self.n_border / max(len(self.documents), 1)

    def decisions(self) -> list[Decision]:
        """Return what adds the topic with its documents; what the person judged, yes or no, stays where it was said."""
        one_line(self.node.label, "The name of the topic")
        found: list[Decision] = [AcceptTopic(self.wish.parent_id, self.node, documents=self.documents)]
        own = tuple((document, self.node.node_id) for document in self.wish.own)
        if own or self.refused:
            found.append(JudgeDocuments(self.node.node_id, self.wish.own, (*own, *self.refused)))
        return found


@dataclass(frozen=True, eq=False)
class _Looked:
    card: TopicCard
    lesson: Lesson


_LOOKED: Memory[_Looked] = Memory(40)
_LESSONS: Memory[Mapping[str, Lesson]] = Memory(4)
_ANSWERED: Memory[Mapping[str, Lesson]] = Memory(4)


def missing_topic(project: Project, wish: MissedTopic) -> TopicCard:
    """Look at what a topic would hold if it were in the tree. Nothing is changed."""
    return _look(project, wish).card


def ask_about(project: Project, wish: MissedTopic, n: int = 10) -> list[ShownDocument]:
    """Return the documents whose yes or no would tell most of the topic."""
    looked, places = _look(project, wish), document_places(project)
    may = _free(places, wish.parent_id)
    rows = to_ask(looked.lesson, project_witnesses(project), may, n)
    return show_documents(project, rows, _marked(looked.card))


def _look(project: Project, wish: MissedTopic) -> _Looked:
    places = document_places(project)
    return _LOOKED.get((tags_key(project, places), wish), lambda: _make(project, places, wish))


def _make(project: Project, places: DocumentPlaces, wish: MissedTopic) -> _Looked:
    tree, corpus = places.tree, project.corpus()
    parent = tree[wish.parent_id]
    if not (wish.label.strip() or wish.words or wish.own):
        raise InputError("Nothing was told of the topic. Give its name, some words, or documents that are of it.")
    yes, no = document_rows(project, wish.own), document_rows(project, wish.no)
    node = _node(project, wish)
    lesson = _lesson(project, places, wish)
    lead = lesson.lead
    free = _free(places, parent.node_id)
    free[yes] = True
    order = np.argsort(-lead, kind="stable").astype(np.int32)
    wanted = order[lead[order] > CLEAR]
    held = wanted[free[wanted]]
    beyond = order[(lead[order] <= CLEAR) & free[order]]
    beyond = beyond[~np.isin(beyond, lesson.no)][:_DOUBTFUL]
    terms = terms_beyond_names(project, tree.with_topic(node, parent.node_id), held) if len(held) else ()
    saying = says_a_name(project_witnesses(project), corpus.vocabulary, names_of(node))
    ids = corpus.document_ids
    card = TopicCard(
        wish=wish,
        node=node.but(n_documents=len(held)),
        documents=tuple(ids[int(row)] for row in held),
        typical=(),
        doubtful=(),
        terms=terms,
        sources=_sources(places, held),
        near=near_topics(tree, node),
        fits_under=_fits_under(places, held) if parent.node_id == ROOT_ID else None,
        n_saying=int(saying.sum()),
        n_kept=len(wanted) - len(held),
        remarks=_remarks(places, node, held, saying, len(wanted) - len(held)),
        refused=tuple((ids[row], places.node_of(row)) for row in no.tolist()),
        n_border=int((np.abs(lead[free] - CLEAR) < _BORDER).sum()),
    )
    marked = _marked(card)
    card = replace(
        card,
        typical=tuple(_typical(project, held, marked)),
        doubtful=tuple(show_documents(project, beyond.tolist(), marked)),
    )
    return _Looked(card, lesson)


def _node(project: Project, wish: MissedTopic) -> TopicNode:
    label = " ".join(wish.label.split())
    return TopicNode(
        topic_id("missed", wish.parent_id, label, str(project.sequence)),
        label,
        center_term=normal_term(label),
        keywords=tuple(dict.fromkeys(wish.words)),
        origin="manual",
    )


def _lesson(project: Project, places: DocumentPlaces, wish: MissedTopic) -> Lesson:
    """Return what is learnt of a topic, together with those that are told beside it and from the answers on all."""
    told = {_node(project, each).node_id: each for each in (replace(wish, beside=()), *wish.beside)}
    told = dict(sorted(told.items()))
    key = (tags_key(project, places), tuple(told.values()))
    return _ANSWERED.get(key, lambda: _taught(project, places, told))[_node(project, wish).node_id]


def _taught(project: Project, places: DocumentPlaces, told: Mapping[str, MissedTopic]) -> Mapping[str, Lesson]:
    nodes = [_node(project, each) for each in told.values()]
    parent_id = next(iter(told.values())).parent_id
    key = (tags_key(project, places), parent_id, tuple(nodes))
    named = _LESSONS.get(key, lambda: _learn(project, places, nodes, parent_id))
    rows = [
        (document_rows(project, each.own).tolist(), document_rows(project, each.no).tolist()) for each in told.values()
    ]
    lessons = answered_together([named[node_id] for node_id in told], project_witnesses(project), rows)
    return dict(zip(told, lessons, strict=True))


def _learn(
    project: Project, places: DocumentPlaces, nodes: Sequence[TopicNode], parent_id: str
) -> Mapping[str, Lesson]:
    tree = places.tree
    for node in nodes:
        tree = tree.with_topic(node, parent_id)
    told = places.teaching()
    above = {parent_id, *places.tree.ancestors_of(parent_id)}
    # What was accepted as part of the topic above may be what the new one below it is made of.
    accepted = {row: topic for row, topic in told.accepted.items() if topic not in above}
    broad = frozenset(each for each in places.node_ids if each != ROOT_ID and places.tree.children_of(each))
    found = {node.node_id: mentions_in_texts(project, names_of(node)) for node in nodes}
    lessons = learn_new_topics(
        project_witnesses(project),
        project.corpus().vocabulary,
        tree,
        list(found),
        teaching=Teaching(told.placed, accepted),
        with_documents=broad,
        mentions={node_id: mentions for node_id, mentions in found.items() if mentions is not None},
    )
    return dict(zip(found, lessons, strict=True))


def _free(places: DocumentPlaces, parent_id: str) -> Bools1d:
    """Tell which documents may go to a new topic: those that no decision put where they are, or only above it."""
    above = {parent_id, *places.tree.ancestors_of(parent_id)}
    over = np.array([each in above for each in places.node_ids], dtype=bool)[places.numbers]
    return np.asarray((places.reasons == TAGGED) | ((places.reasons == ACCEPTED) & over))


def _marked(card: TopicCard) -> list[str]:
    """Return the terms to mark in what is quoted."""
    own = [normal_term(name) for name in names_of(card.node)]
    return [term for term in [*own, *map(normal_term, card.terms)] if term]


def _typical(project: Project, held: Ints1d, marked: Sequence[str]) -> list[ShownDocument]:
    """Return documents that are surely of the topic, those first whose sentence shows it best."""
    shown = show_documents(project, held[:_TYPICAL_AMONG].tolist(), marked)
    return sorted(shown, key=lambda each: -each.n_marked)[:_TYPICAL]


def _sources(places: DocumentPlaces, held: Ints1d) -> tuple[Source, ...]:
    numbers, counts = np.unique(places.numbers[held], return_counts=True)
    found = [(places.node_ids[number], n) for number, n in zip(numbers.tolist(), counts.tolist(), strict=True)]
    found.sort(key=lambda pair: -pair[1])
    return tuple(
        Source(node_id, "no topic" if node_id == ROOT_ID else places.tree[node_id].label, n) for node_id, n in found
    )


def _fits_under(places: DocumentPlaces, held: Ints1d) -> str | None:
    """Return the topic with sub-topics that most of the documents come from, if the new one is of the size of these."""
    tree, counts = places.tree, places.counts()
    for branch in tree.children_of(ROOT_ID):
        below = tree.children_of(branch.node_id)
        if not below or not len(held):
            continue
        share = np.isin(held, places.documents_of(branch.node_id)).mean()
        typical = float(np.median([counts.get(each.node_id, 0) for each in below]))
        if share >= _MOST_OF_IT and len(held) <= _LARGER_THAN_LEAVES * typical:
            return branch.node_id
    return None


def _remarks(places: DocumentPlaces, node: TopicNode, held: Ints1d, saying: Bools1d, n_kept: int) -> tuple[str, ...]:
    found = []
    n_held, n_saying = len(held), int(saying.sum())
    if n_held < _HARDLY_ANYTHING <= n_saying:
        found.append(
            f"It would hold {_documents(n_held)}, although {n_saying:,} say its name or one of its words: most of them "
            "fit another topic as well. Answer yes or no for ten documents, or give it more words."
        )
    elif n_held < _HARDLY_ANYTHING:
        found.append(
            f"Hardly anything in the texts supports it: it would hold {_documents(n_held)}, and its name or one of its "
            f"words is in {_documents(n_saying)}. Give it words that its documents use, or name some of its documents."
        )
    elif node.label and n_saying < _HARDLY_ANYTHING:
        n_says = f"only {_documents(n_saying)}" if n_saying else "no document"
        found.append(
            f"Its name or one of its words is in {n_says}. The {n_held:,} documents it would hold are a guess from "
            "what they are about. Read some and answer yes or no before you add it, or give it words that they use."
        )
    elif node.label and saying[held].mean() < _SELDOM:
        found.append(
            f"Only {int(saying[held].sum())} of its {n_held} documents say its name or one of its words. Read some "
            "and answer yes or no before you add it."
        )
    if n_kept:
        found.append(f"{_documents(n_kept)} more would fit, but a decision put them where they are. They stay there.")
    for node_id, total in places.counts().items():
        rows = places.documents_of(node_id) if node_id != ROOT_ID else np.empty(0, dtype=np.int32)
        n_taken = int(np.isin(rows, held).sum())
        if n_taken >= _HARDLY_ANYTHING and n_taken > total / 2:
            label = places.tree[node_id].label
            found.append(
                f"It would take {n_taken} of the {total} documents of {label!r}. If the two are the same topic, give "
                f"{label!r} this name as another name instead."
            )
    return tuple(found)


def _documents(n: int) -> str:
    return f"{n:,} document" if n == 1 else f"{n:,} documents"


def changed(before: TopicCard, after: TopicCard) -> tuple[int, int]:
    """Return how many documents a card gained and how many it lost."""
    return len(set(after.documents) - set(before.documents)), len(set(before.documents) - set(after.documents))
