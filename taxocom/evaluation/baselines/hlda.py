"""Hierarchical latent Dirichlet allocation (Blei et al. 2003), sampled by tomotopy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taxocom.evaluation.baselines.common import Growing, Sentences, library
from taxocom.evaluation.coherence import N_TOP_TERMS
from taxocom.evaluation.systems import SystemResult
from taxocom.progress import Progress
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.corpus import Corpus


@dataclass(frozen=True)
class Hlda:
    """Unsupervised: each document draws a path of a nested Chinese restaurant process and its words along that path.

    Parameters are the paper's (alpha 0.1, gamma 1, eta 1). A document belongs to the deepest topic that any of its
    words has. Topics of fewer than `min_documents` documents fall back to their parent, for hLDA leaves a long tail of
    them. `iterations` of Gibbs sampling are those that the time of the whole comparison allows.
    """

    alpha: float = 0.1
    gamma: float = 1.0
    eta: float = 1.0
    depth: int = 3
    iterations: int = 200
    min_documents: int = 10
    name: str = "hLDA"
    note: str = "200 iterations of Gibbs sampling; topics of fewer than ten documents are folded into their parent"

    def run(self, corpus: Corpus, seed: Taxonomy, *, random_state: int, progress: Progress) -> SystemResult:
        """Sample the tree; the seed is not used."""
        del seed
        model = library("tomotopy").HLDAModel(
            depth=self.depth, alpha=self.alpha, gamma=self.gamma, eta=self.eta, seed=random_state
        )
        filled = np.diff(corpus.offsets) > 0
        for terms in Sentences(corpus, np.flatnonzero(filled)):
            model.add_doc(terms)
        step = max(1, self.iterations // 20)
        for done in range(0, self.iterations, step):
            progress.report("Sampling hLDA", done / self.iterations)
            model.train(min(step, self.iterations - done), workers=1)
        growing = Growing.bare("hlda")
        nodes = {0: ROOT_ID}
        for topic in sorted(range(1, model.k), key=lambda k: model.level(k) if model.is_live_topic(k) else self.depth):
            if not model.is_live_topic(topic) or model.num_docs_of_topic(topic) < self.min_documents:
                continue
            parent = nodes.get(model.parent_topic(topic))
            if parent is not None:
                terms = [term for term, _ in model.get_topic_words(topic, top_n=N_TOP_TERMS)]
                nodes[topic] = growing.add_novel(str(topic), terms, parent)
        # The library does not give a document's path away; the topics of its words all lie on it.
        deepest = iter([self._deepest(np.unique(document.topics), model, nodes) for document in model.docs])
        assigned = [next(deepest) if has_terms else ROOT_ID for has_terms in filled]
        progress.report("Sampling hLDA", 1.0)
        return SystemResult(growing.tree, assigned, growing.top_terms, growing.suggestions(), seeded=False)

    def _deepest(self, topics: npt.NDArray[np.integer], model: Any, nodes: dict[int, str]) -> str:
        """Return the node of the deepest topic that was kept among those of a document's words."""
        kept = [int(topic) for topic in topics if int(topic) in nodes]
        return nodes[max(kept, key=model.level)] if kept else ROOT_ID
