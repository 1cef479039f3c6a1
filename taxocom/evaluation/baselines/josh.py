"""JoSH (Meng et al. 2020): the given topics and the text embedded jointly on the sphere. It finds no new topics."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taxocom.errors import SeedError
from taxocom.evaluation.baselines.common import name_ids
from taxocom.evaluation.coherence import N_TOP_TERMS
from taxocom.evaluation.systems import SystemResult
from taxocom.numerics.arrays import Floats2d, Ints1d
from taxocom.numerics.sphere import unit_rows
from taxocom.numerics.training import EmbeddingState, TrainingSettings, initial_state, topic_supervision, train
from taxocom.progress import Progress, Span
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.corpus import Corpus
from taxocom.text.terms.vocabulary import display


@dataclass(frozen=True)
class JoSH:
    """Weakly supervised: terms are mined for the topics of the seed, and every document is assigned to one of them.

    Text is embedded first alone, then with the topics, each round adding to every topic the term nearest to it, as in
    the original's alternation. Each document goes to the leaf of highest cosine with its vector.
    """

    dim: int = 100
    warm_epochs: int = 2
    rounds: int = 10
    step: float = 0.04
    name: str = "JoSH"
    note: str = (
        "leaf topics are embedded and pushed apart; a parent's direction is the mean of its children's and its own "
        "name's, where the original trains it with a margin"
    )

    def run(self, corpus: Corpus, seed: Taxonomy, *, random_state: int, progress: Progress) -> SystemResult:
        """Embed the seed's topics with the corpus."""
        leaves = [n for n in seed.walk() if not seed.children.get(n.node_id)]
        keywords = {node.node_id: name_ids(corpus, node) for node in seed.walk()}
        leaves = [node for node in leaves if len(keywords[node.node_id]) > 0]
        if not leaves:
            raise SeedError("JoSH: no leaf topic of the seed has a name that occurs in the corpus. Add keywords.")
        trained = self._train(corpus, [keywords[n.node_id] for n in leaves], random_state, progress)
        state, topics = trained.state, trained.topics
        directions = {node.node_id: topics[i] for i, node in enumerate(leaves)}
        for node in reversed(list(seed.walk())):
            if node.node_id not in directions:
                parts = [directions[c.node_id] for c in seed.children_of(node.node_id) if c.node_id in directions]
                parts += list(state.terms[keywords[node.node_id]])
                if parts:
                    directions[node.node_id] = unit_rows(np.sum(parts, axis=0, keepdims=True))[0]
        best = (state.documents @ topics.T).argmax(axis=1)
        assigned = [leaves[i].node_id for i in best]
        terms = _mined_terms(corpus, seed, state, directions)
        names = {node.node_id: [node.label, *map(display, terms.get(node.node_id, ()))] for node in seed.walk()}
        return SystemResult(seed, assigned, terms, names)

    def _train(self, corpus: Corpus, keywords: list[Ints1d], random_state: int, progress: Progress) -> _Trained:
        """Alternate an epoch of training with adding the nearest free term to each topic."""
        state = initial_state(len(corpus.vocabulary), corpus.n_documents, self.dim, random_state)
        n_epochs = self.warm_epochs + self.rounds
        allowed = corpus.vocabulary.may_name & (corpus.vocabulary.counts > 0)
        topics = np.empty((0, self.dim), dtype=np.float32)
        for epoch in range(n_epochs):
            steps = [self.step * max(1.0 - at / n_epochs, 1e-3) for at in (epoch, epoch + 1)]
            settings = TrainingSettings(epochs=1, step=steps[0], last_step=steps[1])
            supervision = topic_supervision(keywords, state.terms) if epoch >= self.warm_epochs else None
            if supervision is not None and len(topics):
                supervision = replace(supervision, vectors=topics)
            result = train(
                corpus.tokens,
                corpus.offsets,
                state,
                counts=corpus.vocabulary.counts,
                settings=settings,
                random_state=random_state + epoch,
                topics=supervision,
                progress=Span(progress, epoch / n_epochs, (epoch + 1) / n_epochs),
            )
            state = result.state
            if supervision is not None:
                topics = result.topic_vectors
                keywords = _with_nearest(keywords, state.terms @ topics.T, allowed)
        return _Trained(state, topics)


@dataclass(frozen=True)
class _Trained:
    state: EmbeddingState
    topics: Floats2d


def _with_nearest(keywords: list[Ints1d], similarities: Floats2d, allowed: np.ndarray) -> list[Ints1d]:
    """Give each topic one more keyword: the nearest term that is nearest to this topic and in none yet."""
    free = allowed.copy()
    free[np.concatenate(keywords)] = False
    owner = similarities.argmax(axis=1)
    grown = []
    for topic, ids in enumerate(keywords):
        mine = np.where(free & (owner == topic), similarities[:, topic], -np.inf)
        nearest = int(mine.argmax())
        grown.append(np.append(ids, np.int32(nearest)) if np.isfinite(mine[nearest]) else ids)
    return grown


def _mined_terms(
    corpus: Corpus, seed: Taxonomy, state: EmbeddingState, directions: dict[str, np.ndarray]
) -> dict[str, list[str]]:
    """Return the terms nearest to each topic, a term counting for the nearest of siblings only."""
    mined: dict[str, list[str]] = {}
    allowed = corpus.vocabulary.may_name & (corpus.vocabulary.counts > 0)
    for parent in seed.nodes:
        siblings = [child.node_id for child in seed.children_of(parent) if child.node_id in directions]
        if not siblings:
            continue
        similarities = state.terms @ np.stack([directions[s] for s in siblings]).T
        owner = similarities.argmax(axis=1)
        for k, node_id in enumerate(siblings):
            mine = np.where(allowed & (owner == k), similarities[:, k], -np.inf)
            order = np.argsort(-mine, kind="stable")[:N_TOP_TERMS]
            mined[node_id] = corpus.vocabulary.select(order[np.isfinite(mine[order])].astype(np.int32))
    return mined
