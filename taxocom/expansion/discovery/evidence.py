"""What is found out about a node once, by training and counting; every split of it is then a matter of arithmetic."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from taxocom.expansion.discovery.admission import OtherReadings
from taxocom.expansion.discovery.affinity import Affinity, Outside, add_up_outside, measure_affinity
from taxocom.expansion.discovery.facets import Facets, find_facets, name_directions
from taxocom.expansion.discovery.known import KnownTopic, known_topics
from taxocom.expansion.discovery.likeness import draw_together, nearest_documents
from taxocom.expansion.paper.embedding import TermEmbedding, document_directions, train_local
from taxocom.expansion.paper.local_documents import select_local_documents
from taxocom.expansion.paper.novelty import topicality
from taxocom.expansion.paper.term_map import map_terms
from taxocom.numerics.arrays import Bools1d, Floats1d, Floats2d, Ints1d, read_only
from taxocom.numerics.blas import one_blas_thread
from taxocom.progress import SILENT, Progress, Span
from taxocom.settings import ExpansionSettings
from taxocom.tagging.explanation import Explanation, explain
from taxocom.tagging.tagger import Teaching
from taxocom.tagging.witnesses import Witnesses, damp, read_witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.corpus import Corpus

_LEAST_DOCUMENTS_OF_A_TERM = 3
_SPOKEN_OF = 100
_NEXT_STATE = 1000

_Result = TypeVar("_Result")


@dataclass(frozen=True, eq=False)
class NodeEvidence:
    """The local embedding of a node and what was measured in it.

    `children` are the known sub-topics; `direction_child[i]` tells whose direction the i-th tied facet owner is.
    `vectors` (n_terms, dim) are the local directions of `term_ids`, `topics` (n_children, dim) those of the children,
    `directions` (n_directions, dim) those of their sub-trees. `documents` are rows of the corpus. The facets and their
    affinity are one reading of the node; `others` is what is kept of the rest. `explanation` is what the tagger says of
    the documents, None where the paper's rule is followed.
    """

    node_id: str
    children: tuple[str, ...]
    documents: Ints1d
    term_ids: Ints1d
    vectors: Floats2d
    topics: Floats2d
    directions: Floats2d
    direction_child: Ints1d
    is_leaf: Bools1d
    topicality: Floats1d
    xy: Floats2d
    facets: Facets
    affinity: Affinity
    explanation: Explanation | None = None
    others: OtherReadings | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def n_known(self) -> int:
        """The number of known sub-topics."""
        return len(self.children)

    def parts(self, owners: Ints1d | None = None) -> list[list[tuple[int, ...]]]:
        """Return for each child the facets of each of its directions, by their `owners` if these are given."""
        owners = self.facets.owners if owners is None else owners
        facets_of = [tuple(np.flatnonzero(owners == owner)) for owner in range(len(self.direction_child))]
        return [
            [tuple(int(f) for f in facets_of[owner]) for owner in np.flatnonzero(self.direction_child == child)]
            for child in range(self.n_known)
        ]

    def to_arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return everything as named arrays, for the store."""
        others = {}
        if self.others is not None:
            others = {"other_groups": self.others.groups, "other_explained": self.others.explained}
        if self.explanation is not None:
            others |= self.explanation.to_arrays()
        return {
            "documents": self.documents,
            "term_ids": self.term_ids,
            "vectors": self.vectors,
            "topics": self.topics,
            "directions": self.directions,
            "direction_child": self.direction_child,
            "is_leaf": self.is_leaf,
            "topicality": self.topicality,
            "xy": self.xy,
            "facet_labels": self.facets.labels,
            "facet_owners": self.facets.owners,
            "facet_centers": self.facets.centers,
            "links": self.affinity.links,
            "document_evidence": self.affinity.evidence.astype(np.float16),
            "facet_sizes": self.affinity.sizes,
            **others,
        }

    @classmethod
    def from_arrays(
        cls, node_id: str, children: tuple[str, ...], arrays: Mapping[str, np.ndarray[Any, Any]]
    ) -> NodeEvidence:
        """Rebuild evidence from what `to_arrays` returned."""
        for array in arrays.values():
            read_only(array)
        others = None
        if "other_groups" in arrays:
            others = OtherReadings(arrays["other_groups"], arrays["other_explained"])
        return cls(
            node_id=node_id,
            children=children,
            documents=arrays["documents"],
            term_ids=arrays["term_ids"],
            vectors=arrays["vectors"],
            topics=arrays["topics"],
            directions=arrays["directions"],
            direction_child=arrays["direction_child"],
            is_leaf=arrays["is_leaf"],
            topicality=arrays["topicality"],
            xy=arrays["xy"],
            facets=Facets(arrays["facet_labels"], arrays["facet_owners"], arrays["facet_centers"]),
            affinity=Affinity(arrays["links"], arrays["document_evidence"].astype(np.float32), arrays["facet_sizes"]),
            explanation=Explanation.from_arrays(arrays) if "explained" in arrays else None,
            others=others,
        )


class _Stopwatch:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


def gather_readings(
    corpus: Corpus,
    taxonomy: Taxonomy,
    node_id: str,
    embedding: TermEmbedding,
    *,
    settings: ExpansionSettings,
    documents: Ints1d | None = None,
    places: Ints1d | None = None,
    witnesses: Witnesses | None = None,
    teaching: Teaching | None = None,
    random_state: int = 0,
    threads: int = 1,
    draw_map: bool = True,
    progress: Progress = SILENT,
) -> tuple[NodeEvidence, ...]:
    """Tune the embedding to a node, find the facets of its documents, and measure how these are confused.

    `documents` are the node's own (all, by default). `places` numbers for every document of the corpus the topic it
    is in, as far as that is known; those outside the node keep a lower node's measures on the scale of the root's.
    `witnesses` are those of the whole corpus, read here if they are not given; `teaching` is what people said of
    documents, by rows of the corpus.
    Without `draw_map` all terms lie at the origin, which nobody minds who looks at no map. Readings differ in the
    random start of their facets and in what follows from it; the rest is found out once and shared.
    """
    watch = _Stopwatch()
    own = _with_terms(corpus, documents)
    taught = (teaching or Teaching.none()).among(own)
    children = known_topics(
        taxonomy,
        node_id,
        corpus.vocabulary,
        subtree=settings.subtree_directions,
        with_documents=taught.topics(),
    )
    center = None if node_id == ROOT_ID else corpus.vocabulary.id_of(taxonomy[node_id].center_term)
    with watch.stage("embedding"):
        local = embedding
        if settings.local_embedding:
            selected = select_local_documents(
                corpus, embedding, own, center, n_retrieval_terms=settings.n_retrieval_terms
            )
            local = train_local(
                corpus,
                embedding,
                selected,
                [child.keywords for child in children],
                settings.embedding,
                random_state=random_state,
                threads=threads,
                progress=Span(progress, 0.0, 0.55),
            )
    counts = rows_of(corpus.counts, own)
    n_readings = settings.n_readings if settings.discovery == "facets" else 1
    explanation = None
    if settings.discovery == "facets":
        progress.report("Looking for what the known topics explain", 0.55)
        with watch.stage("known topics"):
            explanation = explain(
                (witnesses or read_witnesses(corpus)).of(own),
                corpus.vocabulary,
                taxonomy,
                node_id,
                teaching=taught,
                settings=settings.tagging,
            )
    states = [random_state + _NEXT_STATE * reading for reading in range(n_readings)]
    columns = counts.tocsc()
    names = [ids for child in children for ids in child.directions]
    progress.report("Comparing documents", 0.55)
    with watch.stage("neighbours"):
        space = document_directions(counts, local.terms)
        if settings.n_neighbours and settings.discovery == "facets":
            nearest = nearest_documents(
                counts, _rarity(corpus), settings.n_neighbours, threads=threads, random_state=random_state
            )
            space = replace(space, vectors=draw_together(space.vectors, nearest))
    # One hold for all threads: a call that let go of its own would give more threads to one that is still at work.
    with one_blas_thread(), _pool(threads) as pool:
        with watch.stage("facets"):
            tied = name_directions(names, columns, space, local.terms)
            damped = damp(counts)
            finding = [pool.submit(find_facets, space.vectors, tied, random_state=state) for state in states]
            # Queued behind all facets, so that none waits for what has not begun.
            outside = pool.submit(_outside, corpus, own, places)
            measuring = [
                pool.submit(_measure, damped, found, outside, state)
                for found, state in zip(finding, states, strict=True)
            ]
            facets = _results(finding, Span(progress, 0.6, 0.7), "Finding facets of the documents")
        with watch.stage("affinity"):
            affinities = _results(measuring, Span(progress, 0.7, 0.8), "Measuring which facets are confused")
    progress.report("Drawing the map", 0.8)
    with watch.stage("map"):
        document_frequencies = np.bincount(counts.indices, minlength=len(corpus.vocabulary))
        present = document_frequencies >= _LEAST_DOCUMENTS_OF_A_TERM
        for child in children:
            present[child.keywords] |= document_frequencies[child.keywords] > 0
        term_ids = np.flatnonzero(present).astype(np.int32)
        pointed = topicality(counts, space.vectors)[term_ids]
        xy = np.zeros((len(term_ids), 2), dtype=np.float32)
        if draw_map:
            weights = pointed * np.minimum(document_frequencies[term_ids], _SPOKEN_OF) ** 0.5
            xy = map_terms(local.terms[term_ids], weights.astype(np.float32), random_state=random_state)
    progress.report("Drawing the map", 1.0)
    vectors, topics = local.terms[term_ids], _topic_vectors(children, local)
    directions = _directions(names, local.terms)
    direction_child = np.repeat(np.arange(len(children)), [len(child.directions) for child in children])
    return tuple(
        NodeEvidence(
            node_id=node_id,
            children=tuple(child.node_id for child in children),
            documents=own,
            term_ids=term_ids,
            vectors=vectors,
            topics=topics,
            directions=directions,
            direction_child=direction_child.astype(np.int32),
            is_leaf=np.array([child.is_leaf for child in children], dtype=bool),
            topicality=pointed,
            xy=xy,
            facets=found,
            affinity=affinity,
            explanation=explanation,
            seconds=watch.seconds,
        )
        for found, affinity in zip(facets, affinities, strict=True)
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
