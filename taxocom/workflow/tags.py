"""What the tagger says of a project's documents now: its answer to the tree and to all that people decided."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from taxocom.numerics.arrays import Bools1d, Floats1d, Floats2d, Ints1d
from taxocom.store import Project
from taxocom.store.disk.memory import Memory
from taxocom.store.projects.document_places import DocumentPlaces, document_places, project_witnesses
from taxocom.tagging.explanation import POOR_FIT
from taxocom.tagging.names import names_of, says_a_name
from taxocom.tagging.tagger import Tags, tag
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy

_TAGS: Memory[ProjectTags] = Memory(4)


@dataclass(frozen=True, eq=False)
class ProjectTags:
    """The documents as they are held (`places`) and as the tagger sees them (`tags`), with one tree."""

    tree: Taxonomy
    places: DocumentPlaces
    tags: Tags
    shares: Floats2d

    @property
    def node_ids(self) -> tuple[str, ...]:
        """The topics that the tagger can answer with."""
        return tuple(each.node_id for each in self.tags.classes)

    def probability(self, node_id: str) -> Floats1d:
        """Return how surely each document belongs to a topic or one below it, in the tagger's eyes."""
        below = {node.node_id for node in self.tree.subtree_of(node_id)}
        members = [number for number, each in enumerate(self.node_ids) if each in below]
        return np.asarray(self.shares[:, members].sum(axis=1), dtype=np.float32)

    def best(self) -> Ints1d:
        """Return the class that the tagger would choose for every document, whatever people said."""
        return np.asarray(self.tags.scores.argmax(axis=1), dtype=np.int32)


def project_tags(project: Project) -> ProjectTags:
    """Fit the tagger to the tree as it is; the answer is kept until a decision changes something that it reads.

    How well documents are explained is not asked: without practice a page waits less after a decision.
    """
    places = document_places(project)
    return _TAGS.get(tags_key(project, places), lambda: _fit(project, places))


def tags_key(project: Project, places: DocumentPlaces) -> Hashable:
    """Return what the tagger's answer depends on: names, keywords and places of topics, and where documents are.

    A definition or a note changes none of them, and must not cost a fit.
    """
    tree = places.tree
    read = [(n.node_id, tree.parent_of(n.node_id), n.status, n.label, n.alt_labels, n.keywords) for n in tree.walk()]
    held = (places.node_ids, places.numbers.tobytes(), places.reasons.tobytes())
    return (project.path, project.corpus().fingerprint, hashlib.sha256(repr((read, held)).encode()).hexdigest())


def _fit(project: Project, places: DocumentPlaces) -> ProjectTags:
    tree = places.tree
    broad = {node_id for node_id in places.node_ids if node_id != ROOT_ID and tree.children_of(node_id)}
    tags = tag(
        project_witnesses(project),
        project.corpus().vocabulary,
        tree,
        teaching=places.teaching(),
        with_documents=frozenset(broad),
    )
    return ProjectTags(tree, places, tags, tags.probabilities())


@dataclass(frozen=True)
class TopicDocuments:
    """The documents that a topic holds, with those of all below it, the surest first.

    `score` is how surely each belongs there in the tagger's eyes and `margin` how far the topic leads the next one
    beside it. `says` tells which say its name or a keyword; `told` which a person's decision put there, `poor` which
    fit nothing well. `n_saying` counts the documents of the whole corpus that say it, `n_saying_held` those it holds.
    """

    documents: Ints1d
    score: Floats1d
    margin: Floats1d
    says: Bools1d
    told: Bools1d
    poor: Bools1d
    n_saying: int
    n_saying_held: int

    def __len__(self) -> int:
        return len(self.documents)


def topic_documents(project: Project, node_id: str) -> TopicDocuments:
    """Look a topic's documents up."""
    tags = project_tags(project)
    tree, places = tags.tree, tags.places
    rows = places.documents_of(node_id)
    score = tags.probability(node_id)[rows]
    beside = [other for other in tree.children_of(tree.parent_of(node_id) or ROOT_ID) if other.node_id != node_id]
    next_best = np.max([tags.probability(other.node_id)[rows] for other in beside], axis=0, initial=0.0)
    saying = _saying(project, tree, node_id)
    order = np.argsort(-score, kind="stable")
    rows, margin = rows[order], (score - next_best)[order]
    return TopicDocuments(
        documents=rows,
        score=score[order],
        margin=np.asarray(margin, dtype=np.float32),
        says=saying[rows],
        told=places.told[rows],
        poor=np.asarray(places.fit[rows] < POOR_FIT),
        n_saying=int(saying.sum()),
        n_saying_held=int(saying[rows].sum()),
    )


def _saying(project: Project, tree: Taxonomy, node_id: str) -> Bools1d:
    names = [name for node in tree.subtree_of(node_id) for name in names_of(node)]
    return says_a_name(project_witnesses(project), project.corpus().vocabulary, names)
