"""How evidence about a node is gathered: training, facets, and what is confused. Read `gather_readings` first."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from scipy import sparse

from taxocom.expansion.discovery.affinity import Affinity, Outside, add_up_outside, measure_affinity
from taxocom.expansion.discovery.document_neighbours import draw_together, nearest_documents
from taxocom.expansion.discovery.facets import Facets, find_facets, name_directions
from taxocom.expansion.discovery.known_topics import KnownTopic, known_topics
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.paper.embedding import DocumentDirections, TermEmbedding, document_directions, train_local
from taxocom.expansion.paper.local_documents import select_local_documents
from taxocom.expansion.paper.novelty import topicality
from taxocom.numerics.arrays import Floats1d, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.progress import SILENT, Progress, Span
from taxocom.settings import ExpansionSettings
from taxocom.tagging.explanation import Explanation, explain
from taxocom.tagging.tagger import Teaching
from taxocom.tagging.witnesses import Witnesses, damp, read_witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.corpus import Corpus

_LEAST_DOCUMENTS_OF_A_TERM = 3
_NEXT_STATE = 1000

_Result = TypeVar("_Result")


def gather_readings(
    corpus: Corpus,
    taxonomy: Taxonomy,
    node_id: str,
    embedding: TermEmbedding,
    *,
    settings: ExpansionSettings,
    documents: Ints1d | None = None,
    terms: Ints1d | None = None,
    places: Ints1d | None = None,
    witnesses: Witnesses | None = None,
    teaching: Teaching | None = None,
    random_state: int = 0,
    threads: int = 1,
    progress: Progress = SILENT,
) -> tuple[NodeEvidence, ...]:
    """Tune the embedding to a node, find the facets of its documents, and measure how these are confused.

    `documents` are the node's own (all, by default), and `terms` those that are clustered (all that its documents use,
    by default; names and keywords of known sub-topics always are). `places` numbers for every document of the corpus
    the topic it is in, as far as that is known; documents outside the node keep a lower node's measures on the scale
    of the root's. `witnesses` are those of the whole corpus, read here if they are not given; `teaching` is what
    people said of documents, by rows of the corpus.
    Readings differ in the random start of their facets and in what follows from it; the rest is found out once and
    shared.
    """
    own = _with_terms(corpus, documents)
    taught = (teaching or Teaching.none()).among(own)
    children = known_topics(
        taxonomy, node_id, corpus.vocabulary, subtree=settings.subtree_directions, with_documents=taught.topics()
    )
    counts = rows_of(corpus.counts, own)
    node = _Node(corpus, node_id, own, terms, children, counts, settings, random_state, threads)
    watch = _Stopwatch()
    with watch.stage("embedding"):
        center = None if node_id == ROOT_ID else corpus.vocabulary.id_of(taxonomy[node_id].center_term)
        local = _tuned(node, embedding, center, Span(progress, 0.0, 0.55))
    explanation = None
    if node.by_facets:
        progress.report("Looking for what the known topics explain", 0.55)
        with watch.stage("known topics"):
            read = (witnesses or read_witnesses(corpus)).of(own)
            explanation = explain(
                read, corpus.vocabulary, taxonomy, node_id, teaching=taught, settings=settings.tagging
            )
    progress.report("Comparing documents", 0.55)
    with watch.stage("neighbours"):
        space = _document_space(node, local)
    readings = _read(node, space, local, places, watch, Span(progress, 0.6, 0.9))
    progress.report("Measuring the terms", 0.9)
    with watch.stage("terms"):
        shown = _terms_shown(node, space)
    progress.report("Measuring the terms", 1.0)
    first = _evidence(node, local, shown, readings[0], explanation, watch.seconds)
    return tuple(replace(first, facets=facets, affinity=affinity) for facets, affinity in readings)


@dataclass(frozen=True)
class _Node:
    """What is asked about a node: its documents, their terms, its known sub-topics, and by which settings."""

    corpus: Corpus
    node_id: str
    documents: Ints1d
    terms: Ints1d | None
    children: list[KnownTopic]
    counts: sparse.csr_array
    settings: ExpansionSettings
    random_state: int
    threads: int

    @property
    def by_facets(self) -> bool:
        """Whether facets of documents decide, and not the paper's split of the terms."""
        return self.settings.discovery == "facets"

    @property
    def names(self) -> list[Ints1d]:
        """The terms that each direction of a known sub-topic is drawn from."""
        return [ids for child in self.children for ids in child.directions]


@dataclass(frozen=True)
class _Terms:
    """The terms of a node that are shown, and how topical each is."""

    ids: Ints1d
    topicality: Floats1d


class _Stopwatch:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


def _tuned(node: _Node, embedding: TermEmbedding, center: int | None, progress: Progress) -> TermEmbedding:
    """Return the embedding trained on the documents about the node; the project's own, if the settings say so."""
    settings = node.settings
    if not settings.local_embedding:
        return embedding
    return train_local(
        node.corpus,
        embedding,
        select_local_documents(
            node.corpus, embedding, node.documents, center, n_retrieval_terms=settings.n_retrieval_terms
        ),
        [child.keywords for child in node.children],
        settings.embedding,
        random_state=node.random_state,
        threads=node.threads,
        progress=progress,
    )


def _document_space(node: _Node, local: TermEmbedding) -> DocumentDirections:
    """Return the directions of the documents, drawn to their nearest neighbours where the settings ask for it."""
    space = document_directions(node.counts, local.terms)
    if not (node.settings.n_neighbours and node.by_facets):
        return space
    nearest = nearest_documents(
        node.counts,
        _rarity(node.corpus),
        node.settings.n_neighbours,
        threads=node.threads,
        random_state=node.random_state,
    )
    return replace(space, vectors=draw_together(space.vectors, nearest))


def _read(
    node: _Node,
    space: DocumentDirections,
    local: TermEmbedding,
    places: Ints1d | None,
    watch: _Stopwatch,
    progress: Progress,
) -> list[tuple[Facets, Affinity]]:
    """Cut the documents into facets once for each reading and measure which are confused, side by side."""
    n_readings = node.settings.n_readings if node.by_facets else 1
    states = [node.random_state + _NEXT_STATE * reading for reading in range(n_readings)]
    # One hold for all threads: a call that let go of its own would give more threads to one that is still at work.
    with one_blas_thread(), _pool(node.threads) as pool:
        with watch.stage("facets"):
            tied = name_directions(node.names, node.counts.tocsc(), space, local.terms)
            damped = damp(node.counts)
            finding = [pool.submit(find_facets, space.vectors, tied, random_state=state) for state in states]
            # Queued behind all facets, so that none waits for what has not begun.
            outside = pool.submit(_outside, node.corpus, node.documents, places)
            measuring = [
                pool.submit(_measure, damped, found, outside, state)
                for found, state in zip(finding, states, strict=True)
            ]
            facets = _results(finding, Span(progress, 0.0, 0.5), "Finding facets of the documents")
        with watch.stage("affinity"):
            affinities = _results(measuring, Span(progress, 0.5, 1.0), "Measuring which facets are confused")
    return list(zip(facets, affinities, strict=True))


def _terms_shown(node: _Node, space: DocumentDirections) -> _Terms:
    """Choose the terms that enough documents have, and those of the known sub-topics."""
    frequencies = np.bincount(node.counts.indices, minlength=len(node.corpus.vocabulary))
    present = frequencies >= _LEAST_DOCUMENTS_OF_A_TERM
    if node.terms is not None:
        present &= np.isin(np.arange(len(present)), node.terms)
    for child in node.children:
        present[child.keywords] |= frequencies[child.keywords] > 0
    ids = np.flatnonzero(present).astype(np.int32)
    return _Terms(ids, topicality(node.counts, space.vectors)[ids])


def _evidence(
    node: _Node,
    local: TermEmbedding,
    terms: _Terms,
    reading: tuple[Facets, Affinity],
    explanation: Explanation | None,
    seconds: Mapping[str, float],
) -> NodeEvidence:
    facets, affinity = reading
    children = node.children
    direction_child = np.repeat(np.arange(len(children)), [len(child.directions) for child in children])
    return NodeEvidence(
        node_id=node.node_id,
        children=tuple(child.node_id for child in children),
        documents=node.documents,
        term_ids=terms.ids,
        vectors=local.terms[terms.ids],
        topics=_topic_vectors(children, local),
        directions=_directions(node.names, local.terms),
        direction_child=direction_child.astype(np.int32),
        is_leaf=np.array([child.is_leaf for child in children], dtype=bool),
        topicality=terms.topicality,
        # Places on the map follow from the proposal.
        xy=np.zeros((len(terms.ids), 2), dtype=np.float32),
        document_xy=np.zeros((len(node.documents), 2), dtype=np.float32),
        facets=facets,
        affinity=affinity,
        explanation=explanation,
        seconds=seconds,
    )


def rows_of(matrix: sparse.csr_array, rows: Ints1d) -> sparse.csr_array:
    """Return some rows of a matrix; the matrix itself, if they are all of them."""
    return matrix if len(rows) == matrix.shape[0] else matrix[rows]


def _with_terms(corpus: Corpus, documents: Ints1d | None) -> Ints1d:
    """Return the documents that have any term at all; the others can be evidence of nothing."""
    lengths = np.diff(corpus.counts.indptr)
    chosen = np.arange(corpus.n_documents) if documents is None else np.asarray(documents)
    return chosen[lengths[chosen] > 0].astype(np.int32)


@contextmanager
def _pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Give a queue of calls for some threads; what has not begun when an error passes is dropped."""
    with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="readings") as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _results(futures: Sequence[Future[_Result]], progress: Progress, stage: str) -> list[_Result]:
    """Wait for the calls of a stage, one for each reading."""
    progress.report(stage, 0.0)
    results = []
    for future in futures:
        results.append(future.result())
        progress.report(stage, len(results) / len(futures))
    return results


def _rarity(corpus: Corpus) -> Floats1d:
    """Return the logarithmic inverse document frequency of every term in the whole corpus."""
    frequencies = np.bincount(corpus.counts.indices, minlength=len(corpus.vocabulary))
    return np.log(corpus.n_documents / np.maximum(frequencies, 1)).astype(np.float32)


def _outside(corpus: Corpus, own: Ints1d, places: Ints1d | None) -> Outside | None:
    """Add up what is known of the documents that are not the node's own; nothing, if there are none."""
    if places is None:
        return None
    elsewhere = np.ones(corpus.n_documents, dtype=bool)
    elsewhere[own] = False
    rows = _with_terms(corpus, np.flatnonzero(elsewhere).astype(np.int32))
    if len(rows) == 0:
        return None
    groups = np.unique(places[rows], return_inverse=True)[1].astype(np.int32)
    return add_up_outside(damp(rows_of(corpus.counts, rows)), groups)


def _measure(
    damped: sparse.csr_array, facets: Future[Facets], outside: Future[Outside | None], random_state: int
) -> Affinity:
    found = facets.result()
    return measure_affinity(damped, found.labels, len(found), outside=outside.result(), random_state=random_state)


def _topic_vectors(children: list[KnownTopic], local: TermEmbedding) -> Floats2d:
    if local.topics is not None and len(local.topics) == len(children):
        return local.topics
    return _directions([child.keywords for child in children], local.terms)


def _directions(names: list[Ints1d], terms: Floats2d) -> Floats2d:
    """Return the mean direction of each set of terms; zero for an empty set."""
    found = np.zeros((len(names), terms.shape[1]), dtype=np.float32)
    for row, ids in enumerate(names):
        if len(ids):
            mean = terms[ids].mean(axis=0)
            found[row] = mean / max(float(np.linalg.norm(mean)), 1e-6)
    return found
