"""The tagger: where the documents of known topics go by their names alone, whether 0.9 means nine in ten, and how long
it takes.

Every corpus has its complete hierarchy as the tree and no document is labelled. Beside it stands a linear classifier
that was taught with all labels (three folds).
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from taxocom.store.projects.lexicon_files import find_lexicon
from taxocom.tagging.explanation import explain
from taxocom.tagging.lexicon import document_vectors
from taxocom.tagging.tagger import Tags, tag
from taxocom.tagging.witnesses import read_witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.corpus import Corpus
from taxocom.text.input.documents import Document

SAMPLES = (("bbc", 0), ("dbpedia", 300), ("20news", 150), ("20news", 0), ("arxiv", 80), ("arxiv", 1500))
LARGEST = "arxiv"
BINS = (0.0, 0.5, 0.7, 0.85, 0.95, 1.0)
_MIB = 1024


@dataclass(frozen=True)
class Labelled:
    """A corpus with the path of every document's gold topic, and the tree of all of them."""

    name: str
    corpus: Corpus
    tree: Taxonomy
    gold: list[tuple[str, ...]]


def run(corpora: Path | None = None) -> str:
    """Measure the tagger on real corpora and return the tables."""
    if corpora is None:
        return "No corpora were given: `make bench CORPORA=folder NAMES=tagging`."
    held, reliability = [], []
    for name, most in SAMPLES:
        labelled = read_labelled(corpora / name, most)
        with_lexicon, without = (_tags(labelled, use_lexicon=use) for use in (True, False))
        classifier = f"{_taught_with_labels(labelled):.2f}" if labelled.corpus.n_documents < 20_000 else "–"
        size = f"{most} a class" if most else "whole"
        held.append((f"{name}, {size}", _right(labelled, without), _right(labelled, with_lexicon), classifier))
        reliability.append((f"{name}, {size}", *_reliability(labelled, with_lexicon)))
    bins = [f"{low:.2f}–{high:.2f}" for low, high in pairwise(BINS)]
    return "\n\n".join(
        [
            "## Documents at the right first-level topic / leaf, complete tree, names only",
            _table(("corpus", "without the lexicon", "with it", "linear classifier, all labels (leaf)"), held),
            "## Of the documents tagged with a probability, how many are right (share of all documents)",
            _table(("corpus", *bins), reliability),
            "## Speed",
            _speed(corpora),
        ]
    )


def read_labelled(folder: Path, most: int = 0) -> Labelled:
    """Read a corpus with its hierarchy, at most so many documents of each class."""
    tree = tree_of(folder)
    rows = read_rows(folder)
    random.Random(11).shuffle(rows)
    seen: Counter[str] = Counter()
    kept = []
    for row in rows:
        seen[str(row.get("category") or row.get("group"))] += 1
        if not most or seen[str(row.get("category") or row.get("group"))] <= most:
            kept.append(row)
    gold = {row["id"]: tuple(row["labels"]) for row in kept}
    names = [node.label for node in tree.walk()]
    corpus = Corpus.from_documents((Document(row["id"], row["text"]) for row in kept), seed_phrases=names)
    return Labelled(folder.name, corpus, tree, [gold[each] for each in corpus.document_ids])


def tree_of(folder: Path) -> Taxonomy:
    """Read the complete hierarchy of a corpus."""
    children: dict[str, list[str]] = {}
    for line in (folder / "gold.tsv").read_text(encoding="utf-8").splitlines():
        parent, *below = line.split("\t")
        children[parent] = below
    tree = Taxonomy.empty()
    for top in children["*"]:
        tree = tree.with_topic(TopicNode(topic_id(top), top), ROOT_ID)
        for leaf in children.get(top, ()):
            tree = tree.with_topic(TopicNode(topic_id(top, leaf), leaf), topic_id(top))
    return tree


def read_rows(folder: Path) -> list[dict]:
    """Read the documents of a corpus as they are in its file."""
    for name, opener in (("docs.jsonl.gz", gzip.open), ("docs.jsonl.xz", lzma.open)):
        if (folder / name).exists():
            with opener(folder / name, "rt", encoding="utf-8") as file:
                return [json.loads(line) for line in file]
    raise FileNotFoundError(f"{folder}: no docs.jsonl.gz or docs.jsonl.xz")


def _tags(labelled: Labelled, *, use_lexicon: bool) -> Tags:
    lexicon = find_lexicon() if use_lexicon else None
    meanings = document_vectors(lexicon, labelled.corpus.texts) if lexicon else None
    witnesses = read_witnesses(labelled.corpus, lexicon=lexicon, meanings=meanings)
    return tag(witnesses, labelled.corpus.vocabulary, labelled.tree)


def _paths(labelled: Labelled, tags: Tags) -> list[tuple[str, ...]]:
    paths = [labelled.tree.path_of(each.node_id) for each in tags.classes]
    return [paths[number] for number in tags.best().tolist()]


def _right(labelled: Labelled, tags: Tags) -> str:
    found = list(zip(_paths(labelled, tags), labelled.gold, strict=True))
    first = np.mean([path[0] == gold[0] for path, gold in found])
    below = [path == gold for path, gold in found if len(gold) > 1]
    return f"{first:.3f} / {np.mean(below):.3f}" if below else f"{first:.3f}"


def _reliability(labelled: Labelled, tags: Tags) -> list[str]:
    """Return for each range of probabilities how many of the documents are right; gold inner topics are left out."""
    leaves = {labelled.tree.path_of(each.node_id) for each in tags.classes}
    told = np.array([gold in leaves for gold in labelled.gold])
    right = np.array([path == gold for path, gold in zip(_paths(labelled, tags), labelled.gold, strict=True)])[told]
    sure = tags.probabilities().max(axis=1)[told]
    cells = []
    for low, high in pairwise(BINS):
        members = (sure >= low) & ((sure < high) | (high == BINS[-1]))
        few = members.sum() < 20
        cells.append("–" if few else f"{right[members].mean():.2f} ({members.mean():.2f})")
    return cells


def _taught_with_labels(labelled: Labelled) -> float:
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.model_selection import cross_val_predict
    from sklearn.svm import LinearSVC

    leaves = {tuple(labelled.tree.path_of(node.node_id)) for node in labelled.tree.walk()}
    leaves = {path for path in leaves if not labelled.tree.children_of(labelled.tree.find(path).node_id)}
    rows = np.flatnonzero([gold in leaves for gold in labelled.gold])
    weights = TfidfTransformer(sublinear_tf=True).fit_transform(labelled.corpus.counts[rows])
    gold = ["/".join(labelled.gold[row]) for row in rows]
    return float(np.mean(cross_val_predict(LinearSVC(C=0.5), weights, gold, cv=3) == np.array(gold)))


def _speed(corpora: Path) -> str:
    """Time the whole way on the largest corpus, beside one fit of scikit-learn's logistic regression on 20,000 rows."""
    labelled = read_labelled(corpora / LARGEST)
    lexicon = find_lexicon()
    clock = time.perf_counter()
    meanings = document_vectors(lexicon, labelled.corpus.texts) if lexicon else None
    words = time.perf_counter()
    witnesses = read_witnesses(labelled.corpus, lexicon=lexicon, meanings=meanings)
    read = time.perf_counter()
    explain(witnesses, labelled.corpus.vocabulary, labelled.tree, ROOT_ID)
    fitted = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MIB
    peer = _logistic_regression(labelled)
    decision = _after_a_decision()
    rows = [
        (
            f"{labelled.corpus.n_documents:,} documents, {len(labelled.tree)} topics: all of it",
            f"{fitted - clock:.1f} s",
        ),
        ("… looking words up in the lexicon", f"{words - clock:.1f} s"),
        ("… main directions", f"{read - words:.1f} s"),
        ("… fitting, practising and tagging", f"{fitted - read:.1f} s"),
        ("peak memory of this process, indexing included", f"{peak / _MIB:.2f} GiB"),
        ("scikit-learn's logistic regression, one fit on 20,000 labelled rows of the same counts", f"{peer:.1f} s"),
        ("the sample after a decision: places, tags and what would move", f"{decision:.2f} s"),
    ]
    return _table(("what", "seen"), rows)


def _logistic_regression(labelled: Labelled) -> float:
    from sklearn.linear_model import LogisticRegression

    rows = np.random.default_rng(0).choice(labelled.corpus.n_documents, 20_000, replace=False)
    gold = ["/".join(labelled.gold[row]) for row in rows]
    clock = time.perf_counter()
    LogisticRegression(max_iter=20).fit(labelled.corpus.counts[np.sort(rows)].log1p(), gold)
    return time.perf_counter() - clock


def _after_a_decision() -> float:
    from taxocom.interchange import read_seed
    from taxocom.jobs.tasks import index
    from taxocom.progress import SILENT
    from taxocom.store import create_project
    from taxocom.store.homes.sample import sample_corpus, sample_seed
    from taxocom.taxonomy.decisions import EditKeywords
    from taxocom.workflow.moves import suggested_moves

    with tempfile.TemporaryDirectory(prefix="taxocom-tagging-") as folder:
        os.environ["TAXOCOM_HOME"] = folder
        seed = read_seed(sample_seed()).taxonomy
        with create_project("tagging", seed=seed) as project:
            index(project, {"source": str(sample_corpus())}, SILENT)
            suggested_moves(project)
            node = next(iter(project.taxonomy().walk()))
            project.record(EditKeywords(node.node_id, ("minister",)), author="benchmark")
            clock = time.perf_counter()
            suggested_moves(project)
            return time.perf_counter() - clock


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
