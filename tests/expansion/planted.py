"""A corpus with a known two-level taxonomy: every topic has words of its own, every parent words its children share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.corpus import Corpus
from taxocom.text.input.documents import Document

_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"


@dataclass(frozen=True)
class Planted:
    """The corpus, the whole tree, and each document's path of topic names."""

    corpus: Corpus
    gold: Taxonomy
    paths: tuple[tuple[str, ...], ...]


def words(n: int, rng: np.random.Generator) -> list[str]:
    """Make up `n` different words that no stop-word list knows and no plural rule confuses."""
    made: dict[str, None] = {}
    while len(made) < n:
        letters = [rng.choice(list(_CONSONANTS if i % 2 == 0 else _VOWELS)) for i in range(7)]
        made["".join(letters)] = None
    return list(made)


def plant(
    *, n_parents: int = 4, n_children: int = 3, n_documents: int = 50, length: int = 40, random_state: int = 0
) -> Planted:
    """Write `n_documents` for every leaf: a third of the words its own, a quarter its parent's, the rest anybody's."""
    rng = np.random.default_rng(random_state)
    supply = iter(words(3_000, rng))
    general = [next(supply) for _ in range(150)]
    documents: list[Document] = []
    tree = Taxonomy.empty("Planted")
    for _ in range(n_parents):
        parent = [next(supply) for _ in range(15)]
        parent_id = topic_id(parent[0])
        tree = tree.with_topic(TopicNode(parent_id, parent[0], center_term=parent[0]), ROOT_ID)
        for _ in range(n_children):
            own = [next(supply) for _ in range(30)]
            child_id = topic_id(parent[0], own[0])
            tree = tree.with_topic(TopicNode(child_id, own[0], center_term=own[0]), parent_id)
            for _ in range(n_documents):
                text = _write(own, parent, general, length, rng)
                documents.append(Document(f"d{len(documents)}", text, labels=(parent[0], own[0])))
    order = rng.permutation(len(documents))
    shuffled = [documents[i] for i in order]
    names = [node.label for node in tree.walk()]
    corpus = Corpus.from_documents(shuffled, seed_phrases=names)
    return Planted(corpus, tree, tuple(document.labels for document in shuffled))


def _write(own: list[str], parent: list[str], general: list[str], length: int, rng: np.random.Generator) -> str:
    chosen = []
    for pool, share in ((own, 1 / 3), (parent, 1 / 4), (general, 5 / 12)):
        weights = 1.0 / np.arange(1, len(pool) + 1) ** 0.7
        chosen += list(rng.choice(pool, size=int(length * share), p=weights / weights.sum()))
    rng.shuffle(chosen)
    return " ".join(chosen)


def without(gold: Taxonomy, *paths: tuple[str, ...]) -> Taxonomy:
    """Remove the topics at these paths, with all below them."""
    tree = gold
    for path in paths:
        node = tree.find(path)
        assert node is not None
        tree = tree.without(node.node_id)
    return tree
