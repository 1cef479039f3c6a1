"""BERTopic (Grootendorst 2022), what a practitioner would pick today: its hierarchical and its zero-shot form.

The zero-shot form comes twice: with our terms and a threshold chosen in its favour, and as it is shipped, on the raw
texts with the library's own settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer

from taxocom.errors import InputError
from taxocom.evaluation.baselines.common import Growing, Sentences, class_terms, library, name_ids, tf_idf
from taxocom.evaluation.coherence import N_TOP_TERMS
from taxocom.evaluation.systems import SystemResult
from taxocom.numerics.arrays import Floats2d, Ints1d
from taxocom.numerics.sphere import unit_rows
from taxocom.progress import Progress
from taxocom.tagging.lexicon import Lexicon
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.corpus import Corpus

_NOTE = (
    "on TF-IDF reduced by SVD to 100 dimensions, in the place of a sentence embedding; outliers go to the nearest topic"
)


@dataclass(frozen=True)
class BertopicHierarchical:
    """Unsupervised: UMAP, HDBSCAN and c-TF-IDF, then BERTopic's own hierarchy of topics.

    The hierarchy is cut into as many first-level topics as the seed has, which is all that is used of the seed. The
    smallest topic is half a per cent of the corpus, at least ten documents.
    """

    dim: int = 100
    name: str = "BERTopic, hierarchical"
    note: str = _NOTE

    def run(self, corpus: Corpus, seed: Taxonomy, *, random_state: int, progress: Progress) -> SystemResult:
        """Fit topics and arrange them on two levels."""
        fitted = _fit(corpus, self.dim, random_state, progress, zero_shot=())
        groups = _cut(fitted.merges, fitted.n_topics, max(2, len(seed.children_of(ROOT_ID))))
        growing = Growing.bare("bertopic-hierarchical")
        upper = class_terms(corpus.counts, _mapped(fitted.topics, groups), int(groups.max()) + 1)
        lower = class_terms(corpus.counts, fitted.topics, fitted.n_topics)
        above = [growing.add_novel(f"group {g}", _best_terms(corpus, row)) for g, row in enumerate(upper)]
        nodes = [
            growing.add_novel(f"topic {t}", _best_terms(corpus, row), above[groups[t]]) for t, row in enumerate(lower)
        ]
        assigned = [nodes[topic] if topic >= 0 else ROOT_ID for topic in fitted.topics]
        return SystemResult(growing.tree, assigned, growing.top_terms, growing.suggestions(), seeded=False)


@dataclass(frozen=True)
class BertopicZeroShot:
    """Weakly supervised: documents near the name of a leaf of the seed go to it, the others are clustered.

    A new topic is put under the first-level topic with whose leaves BERTopic's hierarchy joins it first, under the root
    if these leaves belong to several. `min_similarity` is not the library's 0.7, which suits sentence embeddings: of
    0.15, 0.2, 0.3 and 0.4 it is the best in mean F1 on removed topics over 2,000 labelled posts of 20 Newsgroups (seeds
    a and c), so it was chosen with labels, in this system's favour.
    """

    dim: int = 100
    min_similarity: float = 0.2
    name: str = "BERTopic, zero-shot"
    note: str = _NOTE + "; its threshold was chosen with labels, on 2,000 posts of 20 Newsgroups, in its favour"

    def run(self, corpus: Corpus, seed: Taxonomy, *, random_state: int, progress: Progress) -> SystemResult:
        """Fit topics around the seed's names and add what was found besides."""
        leaves = _leaves(corpus, seed)
        fitted = _fit(
            corpus, self.dim, random_state, progress, zero_shot=tuple(leaves), min_similarity=self.min_similarity
        )
        return _completed(corpus, seed, fitted, leaves, "bertopic-zero-shot")


@dataclass(frozen=True)
class BertopicAsShipped:
    """Zero-shot with the library's own settings, on raw texts: what one gets by following its documentation.

    Only the sentence encoder is another, the static vectors of the `lexicon`: a transformer takes a tenth of a second
    a document here. What BERTopic calls an outlier belongs to no topic.
    """

    lexicon: Callable[[], Lexicon | None]
    name: str = "BERTopic, zero-shot, as shipped"
    note: str = "on raw texts, with the library's own settings; the lexicon's static vectors are its sentence encoder"

    def run(self, corpus: Corpus, seed: Taxonomy, *, random_state: int, progress: Progress) -> SystemResult:
        """Fit topics around the seed's names and add what was found besides."""
        lexicon = self.lexicon()
        if lexicon is None:
            raise InputError("This system needs the lexicon. Fetch it: make lexicon")
        leaves = _leaves(corpus, seed)
        progress.report("BERTopic: vectors", 0.0)
        texts = list(corpus.texts)
        embedder = _backend(lambda documents: unit_rows(lexicon.embed(documents)))
        model = library("bertopic").BERTopic(
            embedding_model=embedder,
            # As the library makes it, but with a random state of its own.
            umap_model=_umap(random_state),
            zeroshot_topic_list=list(leaves),
        )
        progress.report("BERTopic: clusters", 0.2)
        topics, _ = model.fit_transform(texts, embedder.embed(texts))
        return _completed(corpus, seed, _fitted(model, texts, topics, progress), leaves, "bertopic-as-shipped")


def _leaves(corpus: Corpus, seed: Taxonomy) -> dict[str, TopicNode]:
    """Return the leaves of the seed by the text that stands for each of them."""
    leaves = {_query(corpus, node): node for node in seed.walk() if not seed.children.get(node.node_id)}
    leaves.pop("", None)
    return leaves


def _completed(
    corpus: Corpus, seed: Taxonomy, fitted: _Fitted, leaves: dict[str, TopicNode], system: str
) -> SystemResult:
    """Put every topic that is no leaf of the seed where BERTopic's hierarchy has it."""
    growing = Growing(system, seed)
    typical = class_terms(corpus.counts, fitted.topics, fitted.n_topics)
    nodes: dict[int, str] = {}
    for topic, label in enumerate(fitted.labels):
        if label in leaves:
            nodes[topic] = leaves[label].node_id
            growing.top_terms[nodes[topic]] = _best_terms(corpus, typical[topic])
    for topic in range(fitted.n_topics):
        if topic not in nodes:
            parent = _parent(seed, fitted.merges, topic, nodes)
            nodes[topic] = growing.add_novel(f"topic {topic}", _best_terms(corpus, typical[topic]), parent)
    assigned = [nodes[topic] if topic >= 0 else ROOT_ID for topic in fitted.topics]
    return SystemResult(growing.tree, assigned, growing.top_terms, growing.suggestions())


@dataclass(frozen=True)
class _Fitted:
    """The topic of each document (-1 for none), labels of topics, and which sets of topics merge, nearest first."""

    topics: Ints1d
    labels: tuple[str, ...]
    merges: tuple[frozenset[int], ...]

    @property
    def n_topics(self) -> int:
        return len(self.labels)


def _fit(
    corpus: Corpus,
    dim: int,
    random_state: int,
    progress: Progress,
    *,
    zero_shot: Sequence[str],
    min_similarity: float = 0.7,
) -> _Fitted:
    progress.report("BERTopic: vectors", 0.0)
    embedder = _embedder(corpus, dim, random_state)
    texts = [" ".join(terms) for terms in Sentences(corpus)]
    embeddings = embedder.embed(texts)
    smallest = max(10, corpus.n_documents // 200)
    model = library("bertopic").BERTopic(
        embedding_model=embedder,
        umap_model=_umap(random_state),
        hdbscan_model=library("hdbscan").HDBSCAN(min_cluster_size=smallest, prediction_data=True, core_dist_n_jobs=1),
        vectorizer_model=CountVectorizer(token_pattern=r"\S+", lowercase=False),
        min_topic_size=smallest,
        zeroshot_topic_list=list(zero_shot) or None,
        zeroshot_min_similarity=min_similarity,
    )
    progress.report("BERTopic: clusters", 0.2)
    topics, _ = model.fit_transform(texts, embeddings)
    if -1 in topics and max(topics) >= 0:
        topics = model.reduce_outliers(texts, topics, strategy="embeddings", embeddings=embeddings)
    return _fitted(model, texts, topics, progress)


def _umap(random_state: int) -> Any:
    return library("umap").UMAP(
        n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=random_state
    )


def _fitted(model: Any, texts: list[str], topics: Sequence[int], progress: Progress) -> _Fitted:
    """Read what BERTopic found."""
    progress.report("BERTopic: hierarchy", 0.9)
    n_topics = max(topics) + 1
    merges = _merges(model, texts) if n_topics > 1 else ()
    labels = tuple(model.topic_labels_.get(topic, "") for topic in range(n_topics))
    return _Fitted(np.array(topics, dtype=np.int32), labels, merges)


def _embedder(corpus: Corpus, dim: int, random_state: int) -> Any:
    """Return a BERTopic backend that folds a text of our terms into the SVD of the corpus' TF-IDF matrix."""
    weights = tf_idf(corpus)
    n_components = min(dim, min(weights.shape) - 1)
    reduction = TruncatedSVD(n_components, random_state=random_state).fit(weights)
    frequency = np.maximum(corpus.vocabulary.document_frequencies.astype(np.float64), 1.0)
    rarity = np.log(corpus.n_documents / frequency)

    terms = {term: number for number, term in enumerate(corpus.vocabulary.terms)}
    counter = CountVectorizer(token_pattern=r"\S+", lowercase=False, vocabulary=terms)
    return _backend(
        lambda documents: unit_rows(reduction.transform(counter.transform(documents).multiply(rarity).tocsr()))
    )


def _backend(embed_texts: Callable[[list[str]], Floats2d]) -> Any:
    """Make an embedding model of BERTopic's from a function that returns unit vectors of texts."""

    class Backend(library("bertopic.backend").BaseEmbedder):  # type: ignore[misc]
        """A function as an embedding model."""

        def embed(self, documents: list[str], verbose: bool = False) -> Floats2d:
            """Return unit vectors of texts."""
            del verbose
            return embed_texts(documents)

    return Backend()


def _merges(model: Any, texts: list[str]) -> tuple[frozenset[int], ...]:
    """Return the sets of topics that BERTopic's hierarchy joins, the nearest first."""
    table = model.hierarchical_topics(texts)
    ordered = table.sort_values("Distance", kind="stable")
    return tuple(frozenset(int(topic) for topic in topics) for topics in ordered["Topics"])


def _cut(merges: Sequence[frozenset[int]], n_topics: int, n_groups: int) -> npt.NDArray[np.int64]:
    """Return the group of each topic once merging has left `n_groups` of them."""
    groups = {frozenset({topic}) for topic in range(n_topics)}
    for merged in merges:
        if len(groups) <= n_groups:
            break
        groups = {group for group in groups if not group <= merged} | {merged}
    ordered = sorted(groups, key=min)
    return np.array([next(g for g, group in enumerate(ordered) if topic in group) for topic in range(n_topics)])


def _parent(seed: Taxonomy, merges: Sequence[frozenset[int]], topic: int, known: dict[int, str]) -> str:
    """Return the first-level topic whose leaves a new topic joins first, the root if these are of several."""
    for merged in merges:
        leaves = [known[other] for other in merged if other in known and known[other] in seed]
        if topic in merged and leaves:
            tops = {[*seed.ancestors_of(leaf), leaf][1] for leaf in leaves}
            # A leaf of the first level is a topic beside the new one, not above it.
            return tops.pop() if len(tops) == 1 and not tops & set(leaves) else ROOT_ID
    return ROOT_ID


def _mapped(topics: Ints1d, groups: npt.NDArray[np.int64]) -> Ints1d:
    return np.where(topics >= 0, groups[np.maximum(topics, 0)], -1).astype(np.int32)


def _best_terms(corpus: Corpus, scores: npt.NDArray[np.float64]) -> list[str]:
    order = np.argsort(-scores, kind="stable")[:N_TOP_TERMS]
    return corpus.vocabulary.select(order[scores[order] > 0].astype(np.int32))


def _query(corpus: Corpus, node: TopicNode) -> str:
    """Return the text that stands for a topic of the seed: the terms it is known by."""
    return " ".join(corpus.vocabulary.select(name_ids(corpus, node)))
