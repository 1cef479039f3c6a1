"""Which topic holds each document: the one source of every count, on every page and in every export.

The seed is tagged when the texts are read; that is the ground. As long as nobody has decided anything it is the
tagger's word alone, and texts that are added tag all documents again, as if all had come at once. From the first
decision on it stays: documents that come later are tagged by the tree of that day, and every decision moves the
documents that it names, and no others. No run of the engine moves any: what it would like to move it offers
(`taxocom.workflow.moves`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from taxocom.numerics.arrays import Bools1d, Floats1d, Ints1d
from taxocom.progress import SILENT, Progress, Span
from taxocom.store.db.following import Following
from taxocom.store.disk.memory import Memory
from taxocom.store.projects.lexicon_files import find_lexicon, project_lexicon_vectors
from taxocom.store.projects.project import Project
from taxocom.taxonomy import kinds
from taxocom.taxonomy.changes import carry_out
from taxocom.taxonomy.decisions import LoggedDecision, effective
from taxocom.taxonomy.mutable_tree import Draft
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy

if TYPE_CHECKING:
    from taxocom.tagging.explanation import Explanation
    from taxocom.tagging.tagger import Teaching
    from taxocom.tagging.witnesses import Witnesses

GROUND = "tags"
"""The purpose of the arrays that say where the seed's topics had their documents."""

DIRECTIONS = "directions"
_VERSION = 1
"""Part of what the ground is made from: a better tagger tags a project again as long as nothing is decided."""

_WITNESSES: Memory[Witnesses] = Memory(2)
_PLACES: Memory[DocumentPlaces] = Memory(8)
_LEDGERS: Memory[Following[_Ledger]] = Memory(4)

TAGGED, ACCEPTED, PLACED = 0, 1, 2
"""Why a document is where it is: by the tagger, with an accepted cluster, or by a person's word on it."""


@dataclass(frozen=True, eq=False)
class DocumentPlaces:
    """Document d is in topic `node_ids[numbers[d]]`.

    `scores[d]` is how surely, not a number if a person said so; `fit[d]` how well anything fits it (0 as little as
    documents of a missing topic, 1 as well as those of a known one); `reasons[d]` is `TAGGED`, `ACCEPTED` or `PLACED`.
    """

    tree: Taxonomy
    node_ids: Sequence[str]
    numbers: Ints1d
    scores: Floats1d
    fit: Floats1d
    reasons: Ints1d

    def documents_of(self, node_id: str) -> Ints1d:
        """Return the documents of a topic and of all below it."""
        below = {node.node_id for node in self.tree.subtree_of(node_id)}
        wanted = [number for number, each in enumerate(self.node_ids) if each in below]
        return np.flatnonzero(np.isin(self.numbers, wanted)).astype(np.int32)

    def node_of(self, document: int) -> str:
        """Return the deepest topic that a document is in."""
        return self.node_ids[int(self.numbers[document])]

    def with_tree(self, tree: Taxonomy) -> DocumentPlaces:
        """Return the places in a tree that lacks some topics: their documents are those of the topic above again."""
        above = {each: [*self.tree.ancestors_of(each), each] for each in self.node_ids}
        now = {each: next(a for a in reversed(above[each]) if a in tree) for each in self.node_ids}
        node_ids = list(dict.fromkeys([ROOT_ID, *now.values()]))
        numbers = np.array([node_ids.index(now[each]) for each in self.node_ids], dtype=np.int32)[self.numbers]
        gone = np.array([now[each] != each for each in self.node_ids])[self.numbers]
        reasons = np.where(gone, TAGGED, self.reasons).astype(np.int32)
        return DocumentPlaces(tree, tuple(node_ids), numbers, self.scores, self.fit, reasons)

    def counts(self) -> dict[str, int]:
        """Return how many documents each topic has, with all below it; topics without any are left out."""
        own = np.bincount(self.numbers, minlength=len(self.node_ids))
        found: dict[str, int] = {}
        for node_id, n_documents in zip(self.node_ids, own.tolist(), strict=True):
            for each in (*self.tree.ancestors_of(node_id), node_id) if n_documents else ():
                found[each] = found.get(each, 0) + n_documents
        return found

    def may_go_to(self, node_id: str) -> Bools1d:
        """Tell which documents go along with a cluster that becomes a topic under `node_id`, or joins it.

        What a person placed stays, and what was accepted elsewhere since the cluster was found; what a topic above
        holds may go down.
        """
        above = {node_id, *self.tree.ancestors_of(node_id)} if node_id in self.tree else set()
        over = np.array([each in above for each in self.node_ids], dtype=bool)[self.numbers]
        return np.asarray((self.reasons == TAGGED) | ((self.reasons == ACCEPTED) & over))

    @property
    def told(self) -> Bools1d:
        """The documents that a person's decision put where they are."""
        return np.asarray(self.reasons != TAGGED)

    def teaching(self) -> Teaching:
        """Return what the tagger learns from people, by rows of the corpus."""
        from taxocom.tagging.tagger import Teaching

        def said(reason: int) -> dict[int, str]:
            return {int(row): self.node_of(int(row)) for row in np.flatnonzero(self.reasons == reason)}

        return Teaching(placed=said(PLACED), accepted=said(ACCEPTED))


def project_witnesses(project: Project, progress: Progress = SILENT) -> Witnesses:
    """Return what the tagger knows of a project's texts, making it if the texts or the lexicon changed since."""
    lexicon = find_lexicon()
    key = (project.path, project.corpus().fingerprint, lexicon.fingerprint if lexicon else "")
    return _WITNESSES.get(key, lambda: _read_witnesses(project, progress))


def document_places(project: Project, *, at: int | None = None, progress: Progress = SILENT) -> DocumentPlaces:
    """Return where every document is, now or after a step of the log (`at`)."""
    lay_ground(project, progress)
    ground = project.used_for(GROUND)
    sequence = project.sequence if at is None else at
    key = (project.path, project.corpus().fingerprint, ground and ground.name, _seed_digest(project.seed()))
    return _PLACES.get((*key, sequence), lambda: _read_places(project, sequence, key))


def free_to_move(project: Project, documents: Sequence[str], node_id: str) -> tuple[str, ...]:
    """Return those of a cluster's documents that go along when it becomes a topic under `node_id`, or joins it."""
    may_go = document_places(project).may_go_to(node_id)
    rows = {document_id: row for row, document_id in enumerate(project.corpus().document_ids)}
    return tuple(each for each in documents if each in rows and may_go[rows[each]])


def counted_tree(tree: Taxonomy, places: DocumentPlaces) -> Taxonomy:
    """Return a tree in which every topic has the number of documents it holds, with those of all below it."""
    return tree.with_counts(places.counts())


def lay_ground(project: Project, progress: Progress = SILENT) -> None:
    """Tag the texts by the seed, if that was not done: all of them before the first decision, later only new ones.

    Those are tagged by the tree as it is when they come, and by all that people said until then.
    """
    corpus = project.corpus()
    made_from = f"{_VERSION}/{corpus.fingerprint}/{_seed_digest(project.seed())}"
    artifact = project.used_for(GROUND)
    if artifact is not None and artifact.made_from == made_from:
        return
    is_settled = artifact is not None and bool(project.sequence or project.releases())
    if is_settled and artifact is not None and artifact.made_from.split("/")[1] == corpus.fingerprint:
        return
    kept = _ground(project) if is_settled else {}
    found = _arrived(project, kept, progress) if kept else _tagged(project, progress)
    fresh = found.rows
    ids = list(corpus.document_ids)
    for document_id, first in repeats(project).items() if kept else ():
        if document_id in kept:
            kept.setdefault(first, kept[document_id])
    rows = [kept.get(document_id) or fresh[row] for row, document_id in enumerate(ids)]
    node_ids = list(dict.fromkeys(row.node_id for row in rows))
    number_of = {node_id: number for number, node_id in enumerate(node_ids)}
    project.save_arrays(
        GROUND,
        {"node_ids": node_ids, "practice": found.practice},
        {
            "documents": np.array([document_id.encode() for document_id in ids]),
            "numbers": np.array([number_of[row.node_id] for row in rows], dtype=np.int32),
            "scores": np.array([row.score for row in rows], dtype=np.float32),
            "fit": np.array([row.fit for row in rows], dtype=np.float32),
        },
        made_from=made_from,
    )


@dataclass(frozen=True)
class _Tagged:
    node_id: str
    score: float
    fit: float


_NOWHERE = _Tagged(ROOT_ID, float("nan"), 0.0)


@dataclass(frozen=True)
class _Answer:
    """What the tagger said of every document; in `practice` how many topics there were at the top, and the level found.

    The level is what names say of documents of hidden topics.
    """

    rows: list[_Tagged]
    practice: tuple[int, float] | None = None


def _tagged(project: Project, progress: Progress) -> _Answer:
    """Ask the tagger about every document, with the tree as the seed has it."""
    from taxocom.tagging.explanation import explain

    corpus, seed = project.corpus(), project.seed()
    level = _practised(project, seed) if _grew(project) else None
    witnesses = project_witnesses(project, Span(progress, 0.0, 0.7))
    if not len(seed):
        return _Answer([_NOWHERE] * corpus.n_documents)
    progress.report("Giving the documents to the topics", 0.7)
    return _answer(explain(witnesses, corpus.vocabulary, seed, ROOT_ID, hidden_level=level), seed)


def _answer(found: Explanation, tree: Taxonomy) -> _Answer:
    best, shares = found.best(), found.probabilities().max(axis=1)
    rows = [
        _Tagged(found.node_ids[number], score, fit)
        for number, score, fit in zip(best.tolist(), shares.tolist(), found.fit.tolist(), strict=True)
    ]
    return _Answer(rows, (len(tree.children_of(ROOT_ID)), found.hidden_level))


def _grew(project: Project) -> bool:
    """Tell whether the ground is that of the same seed, and of texts that the project's were added to."""
    texts, ground = project.used_for("corpus"), project.used_for(GROUND)
    if texts is None or ground is None or not texts.details.get("batches"):
        return False
    return ground.made_from.split("/")[2:] == [_seed_digest(project.seed())]


def _practised(project: Project, tree: Taxonomy) -> float | None:
    """Return what the last practice heard of hidden topics; None if there were not as many topics at the top."""
    ground = project.load_arrays(GROUND)
    n_topics, level = (ground.metadata.get("practice") if ground else None) or (0, None)
    return level if n_topics == len(tree.children_of(ROOT_ID)) else None


def _arrived(project: Project, kept: Mapping[str, _Tagged], progress: Progress) -> _Answer:
    """Ask the tagger about the documents that came since the ground was laid; what it says of others is not used."""
    from taxocom.tagging.explanation import explain

    witnesses = project_witnesses(project, Span(progress, 0.0, 0.7))
    ledger = _Ledger(project, kept)
    for entry in effective(project.log()):
        ledger.follow(entry, project)
    places = ledger.places(project.taxonomy())
    if not len(places.tree):
        return _Answer([_NOWHERE] * len(places.numbers))
    progress.report("Giving the new documents to the topics", 0.7)
    broad = frozenset(each for each in places.node_ids if each != ROOT_ID and places.tree.children_of(each))
    vocabulary = project.corpus().vocabulary
    found = explain(
        witnesses,
        vocabulary,
        places.tree,
        ROOT_ID,
        teaching=places.teaching(),
        with_documents=broad,
        hidden_level=_practised(project, places.tree),
    )
    return _answer(found, places.tree)


def _ground(project: Project) -> dict[str, _Tagged]:
    stored = project.load_arrays(GROUND)
    if stored is None:
        return {}
    node_ids, arrays = stored.metadata["node_ids"], stored.arrays
    rows = zip(arrays["numbers"].tolist(), arrays["scores"].tolist(), arrays["fit"].tolist(), strict=True)
    tagged = (_Tagged(node_ids[number], score, fit) for number, score, fit in rows)
    return dict(zip((each.decode() for each in arrays["documents"].tolist()), tagged, strict=True))


def _seed_digest(seed: Taxonomy) -> str:
    """Return a digest of what the tagger reads of a seed: names, keywords, and where each topic hangs."""
    said = [(n.node_id, seed.parent_of(n.node_id), n.label, n.alt_labels, n.keywords) for n in seed.walk()]
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def _read_witnesses(project: Project, progress: Progress) -> Witnesses:
    from taxocom.tagging.witnesses import MainDirections, read_witnesses

    corpus, lexicon = project.corpus(), find_lexicon()
    meanings = project_lexicon_vectors(project, lexicon, Span(progress, 0.0, 0.7)) if lexicon else None
    artifact, kept = project.used_for(DIRECTIONS), project.load_arrays(DIRECTIONS)
    if kept is not None and artifact is not None and artifact.made_from == corpus.fingerprint:
        directions = MainDirections(kept.arrays["documents"], kept.arrays["terms"])
        return read_witnesses(corpus, directions=directions, lexicon=lexicon, meanings=meanings)
    found = read_witnesses(corpus, lexicon=lexicon, meanings=meanings, progress=Span(progress, 0.7, 1.0))
    arrays = {"documents": found.directions.documents, "terms": found.directions.terms}
    project.save_arrays(DIRECTIONS, {}, arrays, made_from=corpus.fingerprint)
    return found


def _read_places(project: Project, sequence: int, key: Hashable) -> DocumentPlaces:
    in_force = effective(project.log(up_to=sequence))
    # The next decision is most likely made on the newest state; a look at the past starts from the seed.
    ledger: Following[_Ledger] = _LEDGERS.get(key, Following) if sequence == project.sequence else Following()
    return ledger.ask(
        in_force,
        make=lambda: _Ledger(project, _ground(project)),
        follow=lambda state, entry: state.follow(entry, project),
        answer=lambda state: state.places(project.taxonomy_at(sequence)),
    )


class _Ledger:
    """The place of every document, as one decision after another moves some."""

    def __init__(self, project: Project, ground: Mapping[str, _Tagged]) -> None:
        ids = list(project.corpus().document_ids)
        self._row_of = {document_id: row for row, document_id in enumerate(ids)}
        # What is said of a repetition is said of the document that stands for it.
        self._row_of |= {each: self._row_of[first] for each, first in repeats(project).items() if first in self._row_of}
        found = [ground.get(document_id, _NOWHERE) for document_id in ids]
        self._node_ids = list(dict.fromkeys([ROOT_ID, *(each.node_id for each in found)]))
        self._number_of = {node_id: number for number, node_id in enumerate(self._node_ids)}
        self._numbers = np.array([self._number_of[each.node_id] for each in found], dtype=np.int32)
        self._scores = np.array([each.score for each in found], dtype=np.float32)
        self._fit = np.array([each.fit for each in found], dtype=np.float32)
        self._reasons = np.full(len(found), TAGGED, dtype=np.int32)
        self._draft = Draft(project.seed())

    def follow(self, entry: LoggedDecision, project: Project) -> None:
        """Move what a decision moves: the documents that it names, or those of topics that go."""
        decision, draft = entry.decision, self._draft
        going = isinstance(decision, (kinds.MergeTopics, kinds.SplitTopic, kinds.RemoveTopic))
        above = dict(draft.parents) if going else {}
        carry_out(draft, decision)
        for gone in [each for each in above if each not in draft.nodes]:
            self._leave(gone, above)
        match decision:
            case kinds.AcceptTopic(_, node):
                documents = decision.documents or project.cluster_documents(decision.cluster_id, entry.sequence)
                self._move(documents, node.node_id, ACCEPTED)
            case kinds.MoveDocuments(documents, node_id):
                self._move(documents, node_id, PLACED)
            case kinds.JudgeDocuments(_, _, placed):
                for document_id, node_id in placed:
                    self._move((document_id,), node_id, PLACED)
            case kinds.MoveDocument(document_id, node_id):
                self._move((document_id,), node_id, PLACED)
            case _:
                pass

    def _leave(self, gone: str, above: Mapping[str, str]) -> None:
        """Give the documents of a topic that is gone to the one it went into, or to the nearest that is left above."""
        rows = self._numbers == self._number(gone)
        into = self._draft.successor(gone)
        if into is None:
            # Nobody said that they belong there; the tagger may offer them to others.
            self._reasons[rows] = TAGGED
            into = above[gone]
            while into not in self._draft.nodes:
                into = above[into]
        self._numbers[rows] = self._number(into)

    def _move(self, documents: Iterable[str], node_id: str, reason: int) -> None:
        rows = [self._row_of[document_id] for document_id in documents if document_id in self._row_of]
        self._numbers[rows], self._reasons[rows], self._scores[rows] = self._number(node_id), reason, np.nan
        self._fit[rows] = np.maximum(self._fit[rows], 1.0)

    def _number(self, node_id: str) -> int:
        if node_id not in self._number_of:
            self._number_of[node_id] = len(self._node_ids)
            self._node_ids.append(node_id)
        return self._number_of[node_id]

    def places(self, tree: Taxonomy) -> DocumentPlaces:
        """Return the places in the tree that the decisions made; a rejected topic leaves its own to the one above."""
        held = np.unique(self._numbers)
        now = {number: _standing(self._node_ids[number], tree) for number in held.tolist()}
        node_ids = list(dict.fromkeys([ROOT_ID, *now.values()]))
        renumbered = np.zeros(len(self._node_ids), dtype=np.int32)
        position = {node_id: number for number, node_id in enumerate(node_ids)}
        renumbered[held] = [position[now[number]] for number in held.tolist()]
        numbers = renumbered[self._numbers]
        kept = self._scores.copy(), self._fit.copy(), self._reasons.copy()
        return DocumentPlaces(tree, tuple(node_ids), numbers, *kept)


def _standing(node_id: str, tree: Taxonomy) -> str:
    current: str | None = node_id if node_id in tree else ROOT_ID
    while current is not None and tree[current].status == "rejected":
        current = tree.parent_of(current)
    return current or ROOT_ID


def repeats(project: Project) -> Mapping[str, str]:
    """Return the documents that were read as repetitions, each with the id of the one that stands for it."""
    artifact = project.used_for("corpus")
    loading = artifact.details.get("loading", {}) if artifact else {}
    return dict(loading.get("repeats", {}))
