"""WeSHClass (Meng et al. 2019): a hierarchical classifier that needs keywords of the classes and no labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp

from taxocom.evaluation.baselines.common import document_vectors, skip_gram, tf_idf
from taxocom.evaluation.coherence import N_TOP_TERMS
from taxocom.evaluation.systems import SystemResult
from taxocom.numerics.arrays import Doubles, Floats1d, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.vmf import estimate_vmf
from taxocom.progress import Progress, Span
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.corpus import Corpus

_NO_SPREAD = 500.0


@dataclass(frozen=True)
class WeSHClass:
    """The downstream classifier: how useful the top ten terms of each topic are as keywords.

    For every topic a vMF is fitted to the vectors of its keywords (those of all topics below it included). Pseudo
    documents are drawn from it: a direction, then words by their closeness to it, mixed with background words. Each
    inner node has a classifier of its children trained on these with smoothed labels; the classifiers of one level,
    multiplied down the tree, then train themselves on the documents until few change. A document whose children are
    nearly equally likely stays at the node. Departures: a linear classifier on TF-IDF and mean skip-gram vectors in the
    place of a convolutional network, and bags of words in the place of an LSTM's sentences, as no deep-learning stack
    is asked for.
    """

    n_pseudo: int = 300
    length: int = 80
    n_nearest: int = 50
    background: float = 0.2
    blocking: float = 0.9
    max_rounds: int = 8
    settled: float = 0.001
    dim: int = 100

    def classify(self, corpus: Corpus, result: SystemResult, *, random_state: int, progress: Progress) -> Sequence[str]:
        """Train on the result's topics and return the node of every document."""
        progress.report("WeSHClass: skip-gram", 0.0)
        vectors = skip_gram(corpus, random_state=random_state, dim=self.dim, reuse=True)
        keywords = _keywords(corpus, result)
        features = _Features(corpus, vectors)
        documents = features.of(tf_idf(corpus))
        tree = result.taxonomy
        rng = np.random.default_rng(random_state)
        log_reach: dict[str, Doubles] = {ROOT_ID: np.zeros(corpus.n_documents)}
        local: dict[str, Doubles] = {}
        level = [ROOT_ID]
        n_levels = max((tree.depth_of(node_id) for node_id in keywords), default=0)
        for depth in range(n_levels):
            span = Span(progress, 0.2 + 0.8 * depth / n_levels, 0.2 + 0.8 * (depth + 1) / n_levels)
            families = {p: [c.node_id for c in tree.children_of(p) if c.node_id in keywords] for p in level}
            families = {parent: children for parent, children in families.items() if children}
            models = {p: self._pretrain(children, keywords, features, rng) for p, children in families.items()}
            found = self._self_train(models, families, documents, log_reach, span)
            for parent, children in families.items():
                local[parent] = found[parent]
                for k, child in enumerate(children):
                    log_reach[child] = log_reach[parent] + found[parent][:, k]
            level = [child for children in families.values() for child in children]
        return _walk_down(tree, keywords, local, self.blocking, corpus.n_documents)

    def _pretrain(
        self, children: Sequence[str], keywords: Mapping[str, Ints1d], features: _Features, rng: np.random.Generator
    ) -> Softmax:
        """Fit the classifier of one node's children to pseudo documents with smoothed labels."""
        bags = [self._pseudo_documents(keywords[child], features, rng) for child in children]
        smooth = np.full((len(children), len(children)), self.background / len(children))
        smooth += (1.0 - self.background) * np.eye(len(children))
        return fit_softmax(features.of(features.weigh(sparse.vstack(bags))), np.repeat(smooth, self.n_pseudo, axis=0))

    def _pseudo_documents(self, ids: Ints1d, features: _Features, rng: np.random.Generator) -> sparse.csr_array:
        """Draw bags of words around the vMF of a topic's keywords, shape (n_pseudo, n_terms)."""
        estimate = estimate_vmf(features.vectors[ids])
        direction = features.vectors[ids[0]] if estimate.direction is None else estimate.direction
        concentration = _NO_SPREAD if estimate.concentration is None else estimate.concentration
        drawn = sample_vmf(direction, concentration, self.n_pseudo, rng)
        closeness = drawn @ features.vectors.T
        nearest = np.argpartition(-closeness, self.n_nearest - 1, axis=1)[:, : self.n_nearest]
        n_own = rng.binomial(self.length, 1.0 - self.background, size=self.n_pseudo)
        rows, columns = [], []
        for i in range(self.n_pseudo):
            weight = np.exp(closeness[i, nearest[i]])
            own = rng.choice(nearest[i], size=n_own[i], p=weight / weight.sum())
            other = features.draw_background(self.length - n_own[i], rng)
            columns += [own, other]
            rows.append(np.full(self.length, i))
        words = np.concatenate(columns)
        shape = (self.n_pseudo, len(features.vectors))
        return sparse.csr_array((np.ones(len(words)), (np.concatenate(rows), words)), shape=shape)

    def _self_train(
        self,
        models: dict[str, Softmax],
        families: Mapping[str, Sequence[str]],
        documents: sparse.csr_array,
        log_reach: Mapping[str, Doubles],
        progress: Progress,
    ) -> dict[str, Doubles]:
        """Let the classifiers of a level learn from their own surest answers; return each one's log probabilities."""
        previous: Ints1d | None = None
        local = {parent: model.log_probabilities(documents) for parent, model in models.items()}
        for round_ in range(self.max_rounds):
            progress.report("WeSHClass: self-training", round_ / self.max_rounds)
            share = np.exp(np.concatenate([log_reach[p][:, None] + local[p] for p in families], axis=1))
            labels = share.argmax(axis=1).astype(np.int32)
            if previous is not None and np.mean(labels != previous) < self.settled:
                break
            previous = labels
            target = sharpened(share)
            first = 0
            for parent, children in families.items():
                mine = target[:, first : first + len(children)]
                first += len(children)
                mass = mine.sum(axis=1)
                soft = np.divide(mine, mass[:, None], out=np.zeros_like(mine), where=mass[:, None] > 0)
                models[parent] = fit_softmax(documents, soft, example_weights=mass, start=models[parent], iterations=10)
                local[parent] = models[parent].log_probabilities(documents)
        return local


def sharpened(probabilities: Doubles) -> Doubles:
    """Return the targets of self-training: squares divided by how much each class has, rows summing to 1."""
    squares = probabilities**2 / np.maximum(probabilities.sum(axis=0), 1e-12)
    return np.asarray(squares / np.maximum(squares.sum(axis=1, keepdims=True), 1e-12))


def sample_vmf(direction: Floats1d, concentration: float, n: int, rng: np.random.Generator) -> Floats2d:
    """Draw unit vectors from a vMF by Wood's rejection method, shape (n, dim)."""
    dim = len(direction)
    b = (dim - 1) / (2 * concentration + np.sqrt(4 * concentration**2 + (dim - 1) ** 2))
    x = (1 - b) / (1 + b)
    c = concentration * x + (dim - 1) * np.log(1 - x**2)
    along = np.empty(0)
    while len(along) < n:
        z = rng.beta((dim - 1) / 2, (dim - 1) / 2, size=2 * n)
        w = (1 - (1 + b) * z) / (1 - (1 - b) * z)
        accepted = concentration * w + (dim - 1) * np.log(1 - x * w) - c >= np.log(rng.random(2 * n))
        along = np.concatenate([along, w[accepted]])
    along = along[:n]
    across = rng.standard_normal((n, dim))
    across -= np.outer(across @ direction, direction)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    drawn = along[:, None] * direction + np.sqrt(np.maximum(1 - along**2, 0.0))[:, None] * across
    return np.asarray(drawn, dtype=np.float32)


class _Features:
    """TF-IDF beside the mean skip-gram vector, for documents and pseudo documents alike."""

    def __init__(self, corpus: Corpus, vectors: Floats2d) -> None:
        self.vectors = vectors
        frequency = np.maximum(corpus.vocabulary.document_frequencies.astype(np.float64), 1.0)
        self._rarity = np.log(max(corpus.n_documents, 1) / frequency)
        counts = corpus.vocabulary.counts.astype(np.float64)
        self._background = np.cumsum(counts / counts.sum())

    def draw_background(self, n: int, rng: np.random.Generator) -> Ints1d:
        """Draw words as often as the corpus has them."""
        places = np.searchsorted(self._background, rng.random(n))
        return np.minimum(places, len(self._background) - 1).astype(np.int32)

    def weigh(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return TF-IDF rows of length 1 with the corpus' document frequencies."""
        weighted = sparse.csr_array(counts.multiply(self._rarity[None, :]))
        lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
        return sparse.csr_array(weighted.multiply((1.0 / np.maximum(lengths, 1e-12))[:, None]))

    def of(self, weights: sparse.csr_array) -> sparse.csr_array:
        """Return the features of TF-IDF rows, shape (n, n_terms + dim)."""
        dense = sparse.csr_array(document_vectors(weights, self.vectors).astype(np.float64))
        return sparse.csr_array(sparse.hstack([weights, dense]))


def _keywords(corpus: Corpus, result: SystemResult) -> dict[str, Ints1d]:
    """Return the keyword ids of each topic and of all below it; topics without any are left out."""
    tree = result.taxonomy
    own = {
        node.node_id: corpus.vocabulary.ids_of(result.top_terms.get(node.node_id, ())[:N_TOP_TERMS])
        for node in tree.walk()
    }
    gathered = {
        node.node_id: np.unique(np.concatenate([own[below.node_id] for below in tree.subtree_of(node.node_id)]))
        for node in tree.walk()
    }
    return {node_id: ids for node_id, ids in gathered.items() if len(ids) > 0}


def _walk_down(
    tree: Taxonomy, keywords: Mapping[str, Ints1d], local: Mapping[str, Doubles], blocking: float, n_documents: int
) -> list[str]:
    """Send each document to its likeliest child as long as one stands out."""
    assigned = np.full(n_documents, ROOT_ID, dtype=object)
    pending = [ROOT_ID]
    while pending:
        node_id = pending.pop()
        if node_id not in local:
            continue
        children = [child.node_id for child in tree.children_of(node_id) if child.node_id in keywords]
        rows = np.flatnonzero(assigned == node_id)
        logs = local[node_id][rows]
        if len(children) > 1:
            entropy = -(np.exp(logs) * logs).sum(axis=1) / np.log(len(children))
            rows, logs = rows[entropy <= blocking], logs[entropy <= blocking]
        if len(rows) > 0:
            assigned[rows] = np.array(children, dtype=object)[logs.argmax(axis=1)]
        pending += children
    return list(assigned)


@dataclass(frozen=True)
class Softmax:
    """A linear classifier: `weights` (n_features, n_classes) and `bias` (n_classes,)."""

    weights: Doubles
    bias: Doubles

    def log_probabilities(self, features: sparse.csr_array) -> Doubles:
        """Return the log probability of each class, shape (n, n_classes)."""
        scores = np.asarray(features @ self.weights) + self.bias
        return np.asarray(scores - logsumexp(scores, axis=1, keepdims=True))


def fit_softmax(
    features: sparse.csr_array,
    targets: Doubles,
    *,
    example_weights: Doubles | None = None,
    start: Softmax | None = None,
    penalty: float = 1e-4,
    iterations: int = 60,
) -> Softmax:
    """Minimise the weighted mean cross-entropy to `targets` (n, n_classes) plus half the penalty times |weights|²."""
    n_features, n_classes = features.shape[1], targets.shape[1]
    mass = np.ones(len(targets)) if example_weights is None else np.asarray(example_weights, dtype=np.float64)
    total = max(float(mass.sum()), 1e-12)
    transposed = sparse.csr_array(features.T)

    def loss(flat: Doubles) -> tuple[float, Doubles]:
        model = _unpacked(flat, n_features, n_classes)
        logs = model.log_probabilities(features)
        slope = (np.exp(logs) * targets.sum(axis=1, keepdims=True) - targets) * (mass / total)[:, None]
        gradient = np.concatenate([np.asarray(transposed @ slope) + penalty * model.weights, slope.sum(axis=0)[None]])
        value = -float((mass / total) @ (targets * logs).sum(axis=1)) + 0.5 * penalty * float(np.sum(model.weights**2))
        return value, gradient.ravel()

    begin = np.zeros((n_features + 1) * n_classes)
    if start is not None:
        begin = np.concatenate([start.weights, start.bias[None]]).ravel()
    # The optimiser's many small products are a hundred times slower where threads wait for one another.
    with one_blas_thread():
        found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    return _unpacked(found.x, n_features, n_classes)


def _unpacked(flat: Doubles, n_features: int, n_classes: int) -> Softmax:
    rows = flat.reshape(n_features + 1, n_classes)
    return Softmax(rows[:-1], rows[-1])
