"""Which topics are called something that their documents do not say, and what to add to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taxocom.numerics.arrays import Bools1d, Ints1d
from taxocom.store import Project
from taxocom.store.disk.memory import Memory
from taxocom.store.projects.document_places import project_witnesses
from taxocom.tagging.names import name_terms, names_of
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.terms.vocabulary import display
from taxocom.workflow.tags import ProjectTags, project_tags, tags_key, topic_documents

_SELDOM = 0.2
"""A name is weak if fewer than one in five of its topic's documents say it or a keyword."""

_FEWEST_DOCUMENTS = 20
_SUGGESTED = 5
_SHOWN = 3


_FOUND: Memory[list[WeakName]] = Memory(4)


@dataclass(frozen=True)
class WeakName:
    """A topic few of whose documents say its name, with terms to add and its most typical documents.

    Documents that fit poorly are not counted.
    """

    node_id: str
    label: str
    n_documents: int
    n_saying: int
    suggestions: tuple[str, ...]
    documents: tuple[str, ...]

    def said(self) -> str:
        """Say it in a sentence or two."""
        offer = f" Add {', '.join(self.suggestions)}?" if self.suggestions else " Add keywords that they use."
        documents = f"{self.n_saying:,} of {self.n_documents:,} documents"
        return f"{documents} mention {self.label!r} or one of its keywords.{offer}"


def weak_names(project: Project) -> list[WeakName]:
    """Return the topics whose names are weak, largest first; topics with sub-topics are judged by those."""
    tags = project_tags(project)
    return _FOUND.get(tags_key(project, tags.places), lambda: _look_for(project, tags))


def _look_for(project: Project, tags: ProjectTags) -> list[WeakName]:
    ids, counts = project.corpus().document_ids, tags.places.counts()
    found = []
    for node in tags.tree.walk():
        is_small = counts.get(node.node_id, 0) < _FEWEST_DOCUMENTS
        if is_small or tags.tree.children_of(node.node_id) or node.status == "rejected":
            continue
        held = topic_documents(project, node.node_id)
        # What fits poorly may be of a missing topic, and must not suggest keywords for this one.
        about = ~held.poor
        if about.sum() >= _FEWEST_DOCUMENTS and held.says[about].mean() < _SELDOM:
            rows = held.documents[about]
            typical = tuple(ids[int(row)] for row in rows[:_SHOWN])
            terms = telling_terms(project, tags, rows)
            n_saying = int(held.says[about].sum())
            found.append(WeakName(node.node_id, node.label, len(rows), n_saying, terms, typical))
    return sorted(found, key=lambda weak: -weak.n_documents)


def telling_terms(project: Project, tags: ProjectTags, rows: Ints1d) -> tuple[str, ...]:
    """Return the terms that some documents use most beyond their share, and that nobody gave to a topic yet."""
    return terms_beyond_names(project, tags.tree, rows)


def terms_beyond_names(project: Project, tree: Taxonomy, rows: Ints1d) -> tuple[str, ...]:
    """Return the same for a tree to which the tagger need not be fitted."""
    vocabulary = project.corpus().vocabulary
    damped = project_witnesses(project).damped
    taken = [name for node in tree.walk() for name in names_of(node)]
    gain = _gain(damped.indices, damped.indptr, damped.shape[1], rows)
    gain[name_terms(vocabulary, taken)] = 0.0
    gain[~_may_be_keywords(vocabulary.may_name, vocabulary.document_frequencies, damped.shape[0])] = 0.0
    best = np.argsort(-gain, kind="stable")[:_SUGGESTED]
    return tuple(display(vocabulary.terms[term]) for term in best if gain[term] > 0)


def parting_terms(project: Project, rows: Ints1d, among: Ints1d) -> tuple[str, ...]:
    """Return the terms that some documents use most beyond their share in a larger set; general words are left out."""
    vocabulary, damped = project.corpus().vocabulary, project_witnesses(project).damped
    whole = damped[among]
    gain = _gain(whole.indices, whole.indptr, whole.shape[1], np.flatnonzero(np.isin(among, rows)).astype(np.int32))
    gain[~_may_be_keywords(vocabulary.may_name, vocabulary.document_frequencies, damped.shape[0])] = 0.0
    best = np.argsort(-gain, kind="stable")[:_SUGGESTED]
    return tuple(display(vocabulary.terms[term]) for term in best if gain[term] > 0)


def _may_be_keywords(may_name: Bools1d, frequencies: Ints1d, n_documents: int) -> Bools1d:
    """Leave out what cannot name a topic and what a quarter of all documents say: general words are no keywords."""
    return np.asarray(may_name & (frequencies < n_documents / 4))


def _gain(columns: Ints1d, starts: Ints1d, n_terms: int, rows: Ints1d) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return members times log-lift of every term in some documents."""
    overall = np.bincount(columns, minlength=n_terms).astype(np.float64)
    inside = np.zeros(n_terms)
    for row in rows.tolist():
        inside[columns[starts[row] : starts[row + 1]]] += 1.0
    share = len(rows) / max(len(starts) - 1, 1)
    expected = np.maximum(overall * share, 1e-9)
    return np.asarray(inside * np.log(np.maximum((inside + share) / (expected + share), 1e-9)))
