"""Trees and corpora that the tests of the evaluation share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from taxocom.evaluation.scenario_report import EvaluationReport, Measured, RunFacts, evaluate
from taxocom.evaluation.scenarios import Scenario
from taxocom.evaluation.systems import System, SystemResult
from taxocom.progress import SILENT
from taxocom.taxonomy.tree import Taxonomy, TopicNode
from taxocom.text.corpus import Corpus
from taxocom.text.terms.vocabulary import Vocabulary

Spec = Mapping[str, "Spec"]


def grow_tree(tree: Taxonomy, spec: Spec, parent: str) -> Taxonomy:
    for label, below in spec.items():
        novel = label.startswith("+")
        name = label.lstrip("+")
        tree = tree.with_topic(TopicNode(name, name, origin="novel" if novel else "seed"), parent)
        tree = grow_tree(tree, below, name)
    return tree


def corpus_of(documents: list[list[str]], labels: list[tuple[str, ...]]) -> Corpus:
    """Index token lists in memory; the most frequent term comes first, as in a corpus from disk."""
    tokens = [term for document in documents for term in document]
    found, occurrences = np.unique(tokens, return_counts=True)
    order = np.lexsort((found, -occurrences))
    terms = tuple(str(term) for term in found[order])
    ids = {term: i for i, term in enumerate(terms)}
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])]).astype(np.int64)
    token_ids = np.array([ids[term] for term in tokens], dtype=np.int32)
    rows = np.repeat(np.arange(len(documents)), np.diff(offsets))
    counts = sparse.csr_array((np.ones(len(tokens), np.int32), (rows, token_ids)), shape=(len(documents), len(terms)))
    counts.sum_duplicates()
    vocabulary = Vocabulary(
        terms,
        occurrences[order].astype(np.int32),
        np.bincount(counts.indices, minlength=len(terms)).astype(np.int32),
        np.ones(len(terms), np.float32),
        np.ones(len(terms), bool),
    )
    return Corpus(
        document_ids=[f"d{i}" for i in range(len(documents))],
        offsets=offsets,
        tokens=token_ids,
        counts=counts,
        vocabulary=vocabulary,
        fingerprint="planted",
        texts=[" ".join(document) for document in documents],
        labels=labels,
    )


def planted_documents(n_each: int, random_state: int) -> tuple[list[list[str]], list[tuple[str, ...]]]:
    """Draw documents of two-level topics: terms from the topic (half), from its parent, and from none."""
    rng = np.random.default_rng(random_state)
    general = [f"word{i}" for i in range(30)]
    documents, labels = [], []
    for parent, leaves in {"science": ["space", "medicine"], "sports": ["baseball", "hockey"]}.items():
        above = [parent, *(f"{parent}{i}" for i in range(7))]
        for leaf in leaves:
            own = [leaf, *(f"{leaf}{i}" for i in range(11))]
            for _ in range(n_each):
                drawn = [*rng.choice(own, 20), *rng.choice(above, 10), *rng.choice(general, 10)]
                rng.shuffle(drawn)
                documents.append([str(term) for term in drawn])
                labels.append((parent, leaf))
    return documents, labels


def check_result(result: SystemResult, n_documents: int) -> None:
    assert len(result.assigned) == n_documents
    assert all(node_id in result.taxonomy for node_id in result.assigned)
    assert all(node_id in result.taxonomy for node_id in result.top_terms)
    assert all(len(terms) <= 10 for terms in result.top_terms.values())


def evaluated(system: System, corpus: Corpus, scenario: Scenario) -> tuple[EvaluationReport, SystemResult]:
    """Run a system, check that it gives what the interface asks, and measure it."""
    result = system.run(corpus, scenario.seed, random_state=1, progress=SILENT)
    check_result(result, corpus.n_documents)
    measured = Measured(corpus.labels, corpus.vocabulary, corpus.counts)
    return evaluate(result, scenario, measured, RunFacts("planted", system.name)), result
