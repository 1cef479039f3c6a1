"""A tagger that is fitted once and then asked about texts that it has never seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from taxocom.errors import InputError
from taxocom.numerics.arrays import Bools1d, Floats1d, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.progress import SILENT, Progress, Span
from taxocom.tagging.explanation import POOR_FIT
from taxocom.tagging.model import Labels, Taught, softmax, teach
from taxocom.tagging.names import TopicClass, TopicNames, topic_names
from taxocom.tagging.practice import Practice, heard_by_branch, practise
from taxocom.tagging.tagger import Tags, Teaching, branch_shares, tag
from taxocom.tagging.witnesses import Witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.terms.vocabulary import Vocabulary

_SMOOTHING = 1.0


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What the documents around a place in the main directions are like, by ridge regression.

    `branches` (n_directions + 1, n_branches) foretells how surely they belong to each first-level topic, `explained`
    (n_directions + 1,) how well they are explained.
    """

    branches: Floats2d
    explained: Floats1d

    def fit(self, directions: Floats2d) -> Floats1d:
        """Return how well anything fits texts at these places (n_texts, n_directions).

        As in `explanation.explain`: as well as what lies around them is explained, and less between two topics.
        """
        with one_blas_thread():
            rows = _with_constant(directions)
            agreement = np.clip((rows @ self.branches).max(axis=1), 0.0, 1.0)
            found = (rows @ self.explained) * agreement
        return np.asarray(found, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class FittedTagger:
    """The tagger of a tree, without the documents that taught it.

    `tree` are the topics, `classes` those of them that are answers; `names` and `taught` (None with a single class)
    are what each is known by, `surroundings` is what lies around a text.
    """

    tree: Taxonomy
    classes: tuple[TopicClass, ...]
    names: TopicNames
    taught: Taught | None
    surroundings: Surroundings

    def ask(self, witnesses: Witnesses) -> Answers:
        """Say where texts belong."""
        evidence = self.names.evidence(witnesses)
        scores = evidence if self.taught is None else evidence + self.taught.scores(witnesses)
        tags = Tags(self.tree, ROOT_ID, self.classes, evidence, scores, Labels.none(witnesses.n_documents))
        fit = self.surroundings.fit(witnesses.directions.documents)
        fit[witnesses.lengths == 0] = 0.0
        return Answers(self, witnesses, tags, fit)


@dataclass(frozen=True, eq=False)
class Answers:
    """What the tagger says of some texts; `fit` (n_texts,) is how well anything fits each."""

    tagger: FittedTagger
    witnesses: Witnesses
    tags: Tags
    fit: Floats1d

    def fits_nowhere(self) -> Bools1d:
        """Tell which texts fit no topic well."""
        return np.asarray(self.fit < POOR_FIT)

    def telling_terms(self, text: int, number: int, most: int) -> Ints1d:
        """Return the terms of a text that speak most for a class, the strongest first."""
        damped, taught = self.witnesses.damped, self.tagger.taught
        part = slice(damped.indptr[text], damped.indptr[text + 1])
        terms, weights = damped.indices[part], damped.data[part]
        speaks = self.tagger.names.weights[terms].toarray()[:, number]
        if taught is not None:
            speaks = speaks + taught.log_ratios[terms, number].astype(np.float32)
        gain = weights * speaks
        best = np.argsort(-gain, kind="stable")[:most]
        return np.asarray(terms[best][gain[best] > 0], dtype=np.int32)


def fit_tagger(
    witnesses: Witnesses,
    vocabulary: Vocabulary,
    tree: Taxonomy,
    *,
    teaching: Teaching | None = None,
    with_documents: frozenset[str] = frozenset(),
    progress: Progress = SILENT,
) -> FittedTagger:
    """Fit the tagger to a tree and the documents of a corpus, so that it can be asked about others."""
    n_branches = len(tree.children_of(ROOT_ID))
    if not n_branches:
        raise InputError("There is no topic to tag by. Give the project a tree first, or accept some topics.")
    tags = tag(
        witnesses,
        vocabulary,
        tree,
        teaching=teaching,
        with_documents=with_documents,
        progress=Span(progress, 0.0, 0.6),
    )
    names = topic_names(witnesses, vocabulary, tree, [each.node_id for each in tags.classes])
    taught = None
    if len(tags.classes) > 1:
        found = teach(witnesses, tags.branches, tags.scores, tags.labels)
        taught = Taught(halved(found.log_ratios), found.directions)
    progress.report("Practising on the known topics", 0.6)
    practice = practise(witnesses, tags, n_branches)
    progress.report("Looking at what fits nowhere", 0.9)
    return FittedTagger(tree, tags.classes, names, taught, _surroundings(witnesses, tags, practice))


def _surroundings(witnesses: Witnesses, tags: Tags, practice: Practice) -> Surroundings:
    n_branches = len(tags.tree.children_of(ROOT_ID))
    branch = branch_shares(softmax(tags.scores), tags.branches, n_branches).argmax(axis=1).astype(np.int32)
    heard = heard_by_branch(tags, n_branches)[np.arange(len(branch)), branch]
    explained = practice.explained(heard, branch)
    explained[tags.labels.topics >= 0] = np.maximum(explained[tags.labels.topics >= 0], 1.0)
    surely = branch_shares(tags.probabilities(), tags.branches, n_branches)
    with one_blas_thread():
        rows = _with_constant(witnesses.directions.documents)
        inverse = np.linalg.inv(rows.T @ rows + _SMOOTHING * np.eye(rows.shape[1])).astype(np.float32)
        foretold = inverse @ (rows.T @ np.hstack([surely, explained[:, None]]))
    return Surroundings(
        np.ascontiguousarray(foretold[:, :n_branches], dtype=np.float32),
        np.ascontiguousarray(foretold[:, n_branches], dtype=np.float32),
    )


def halved(values: Floats2d) -> Floats2d:
    """Round to what sixteen bits hold: a tagger in a file is half as large, and answers the same as the one here."""
    return np.asarray(values.astype(np.float16), dtype=np.float32)


def _with_constant(rows: Floats2d) -> Floats2d:
    return np.hstack([rows, np.ones((len(rows), 1), dtype=np.float32)])


def shares_above(tags: Tags, topics: Sequence[str]) -> Floats2d:
    """Return how surely each text belongs to each of some topics or below them, shape (n_texts, n_topics)."""
    column = {node_id: number for number, node_id in enumerate(topics)}
    members = sparse.lil_array((len(tags.classes), len(topics)), dtype=np.float32)
    for number, each in enumerate(tags.classes):
        for node_id in (*tags.tree.ancestors_of(each.node_id), each.node_id):
            if node_id in column:
                members[number, column[node_id]] = 1.0
    return np.asarray(tags.probabilities() @ members.tocsr(), dtype=np.float32)
