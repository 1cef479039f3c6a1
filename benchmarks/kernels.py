"""Training on the sphere next to gensim's skip-gram: words a second, what the vectors are worth, what merging costs.

Both train on the same documents in the same shuffled order: 100 dimensions, window 5 shrunk at random for each word,
two negatives a pair, sub-sampling at 1e-3, the same epochs. A word counts once for each epoch, whether sub-sampling
drops it or not. Ours is timed as the engine uses it, with a document vector in every word's update, and without
documents, which is the work gensim does. Runs of all contenders alternate, and the best of each counts, by the clock
and by the processor, for a busy machine slows whoever happens to run. The probe is a logistic regression from the mean
word vector of a document to its newsgroup, with the standard error of its accuracy.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from gensim.models import Word2Vec
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from taxocom.numerics.arrays import Floats2d, Ints1d, Offsets
from taxocom.numerics.spherical_kmeans import spherical_kmeans
from taxocom.numerics.training import TrainingSettings, initial_state, train

DIM = 100
EPOCHS = 5
REPEATS = 3
MIN_COUNT = 5
SETTINGS = TrainingSettings(epochs=EPOCHS)
WORDS_ONLY = replace(SETTINGS, document_weight=0.0)
SYNTHETIC_DOCUMENTS = 3_000


@dataclass(frozen=True)
class Text:
    """Documents as words and as ids, shuffled, with their groups."""

    documents: list[list[str]]
    tokens: Ints1d
    offsets: Offsets
    vocabulary: list[str]
    groups: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        return np.bincount(self.tokens, minlength=len(self.vocabulary))

    @property
    def document_means(self) -> sparse.csr_array:
        """A matrix that turns word vectors into the mean vector of each document."""
        lengths = np.diff(self.offsets)
        shares = np.repeat(1.0 / np.maximum(lengths, 1), lengths)
        return sparse.csr_array((shares, self.tokens, self.offsets), shape=(len(lengths), len(self.vocabulary)))


@dataclass(frozen=True)
class Contender:
    """One way of training: called with the number of epochs, it returns the seconds taken and word vectors."""

    name: str
    threads: int
    train: Callable[[int], Timed]


@dataclass(frozen=True)
class Timed:
    seconds: float
    processor_seconds: float
    vectors: Floats2d


def run(corpora: Path | None) -> str:
    """Return the tables as Markdown; without corpora on a small made-up text."""
    path = corpora / "20news" / "docs.jsonl.gz" if corpora is not None else None
    text = as_text(*(read_documents(path) if path is not None else synthetic_documents()))
    parts = [
        f"{'20 Newsgroups' if path else 'Made-up text'}: {len(text.documents):,} documents, "
        f"{len(text.tokens):,} words, {len(text.vocabulary):,} terms; "
        f"{DIM} dimensions, {EPOCHS} epochs, best of {REPEATS} alternating runs.",
        speed_table(text),
        merging_table(text),
        compile_table(),
        kmeans_table(),
    ]
    return "\n\n".join(parts)


def read_documents(path: Path) -> tuple[list[list[str]], list[str]]:
    words, groups = [], []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            words.append(re.findall(r"[a-z]+", record["text"].lower()))
            groups.append(record["group"])
    return words, groups


def synthetic_documents() -> tuple[list[list[str]], list[str]]:
    """Documents of eight groups whose words follow Zipf's law, in an order of their own for each group."""
    rng = np.random.default_rng(0)
    orders = [rng.permutation(4_000) for _ in range(8)]
    ranks = np.minimum(rng.zipf(1.3, (SYNTHETIC_DOCUMENTS, 120)), 4_000) - 1
    common = rng.random(ranks.shape) < 0.9
    words = [
        [f"w{rank if shared else orders[d % 8][rank]}" for rank, shared in zip(*row, strict=True)]
        for d, row in enumerate(zip(ranks, common, strict=True))
    ]
    return words, [str(d % 8) for d in range(SYNTHETIC_DOCUMENTS)]


def as_text(documents: list[list[str]], groups: list[str]) -> Text:
    """Keep words that occur often enough and shuffle the documents: sorted by group, their order would teach it."""
    counts = Counter(word for words in documents for word in words)
    vocabulary = [word for word, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if n >= MIN_COUNT]
    ids = {word: i for i, word in enumerate(vocabulary)}
    order = np.random.default_rng(0).permutation(len(documents))
    kept = [[word for word in documents[d] if word in ids] for d in order]
    tokens = np.fromiter((ids[word] for words in kept for word in words), dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in kept])]).astype(np.int64)
    return Text(kept, tokens, offsets, vocabulary, np.array(groups)[order])


def timed(work: Callable[[], Floats2d]) -> Timed:
    clock, processor = time.perf_counter(), time.process_time()
    vectors = work()
    return Timed(time.perf_counter() - clock, time.process_time() - processor, vectors)


def gensim(text: Text, threads: int) -> Contender:
    def fit(epochs: int) -> Timed:
        model = Word2Vec(sg=1, vector_size=DIM, window=5, negative=2, sample=1e-3, min_count=1, workers=threads, seed=1)
        model.build_vocab(text.documents)

        def work() -> Floats2d:
            model.train(text.documents, total_examples=len(text.documents), epochs=epochs)
            return np.stack([model.wv[word] for word in text.vocabulary])

        return timed(work)

    return Contender("gensim skip-gram", threads, fit)


def ours(name: str, text: Text, settings: TrainingSettings, threads: int, reproducible: bool = True) -> Contender:
    start = initial_state(len(text.vocabulary), len(text.documents), DIM, 0)

    def fit(epochs: int) -> Timed:
        def work() -> Floats2d:
            result = train(
                text.tokens,
                text.offsets,
                start,
                counts=text.counts,
                settings=replace(settings, epochs=epochs),
                random_state=1,
                threads=threads,
                reproducible=reproducible,
            )
            return result.state.terms

        return timed(work)

    return Contender(name, threads, fit)


def probe(text: Text, vectors: Floats2d) -> tuple[float, float]:
    """Return the accuracy on a third of the documents and its standard error."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    features = StandardScaler().fit_transform(text.document_means @ unit)
    cut = 2 * len(features) // 3
    model = LogisticRegression(C=0.1, max_iter=300).fit(features[:cut], text.groups[:cut])
    accuracy = float(model.score(features[cut:], text.groups[cut:]))
    return accuracy, float(np.sqrt(accuracy * (1 - accuracy) / (len(features) - cut)))


def speed_table(text: Text) -> str:
    contenders = [make(threads) for threads in (1, 2) for make in _makers(text)]
    for contender in contenders:
        contender.train(1)
    runs: list[list[Timed]] = [[] for _ in contenders]
    for _ in range(REPEATS):
        for found, contender in zip(runs, contenders, strict=True):
            found.append(contender.train(EPOCHS))
    words = len(text.tokens) * EPOCHS
    clocks = [words / min(run.seconds for run in found) for found in runs]
    processors = [words / min(run.processor_seconds for run in found) for found in runs]
    lines = [
        "| | threads | words/s | times gensim | words a processor second | times gensim | probe |",
        "|---|---|---|---|---|---|---|",
    ]
    for i, contender in enumerate(contenders):
        rival = next(j for j, other in enumerate(contenders) if other.threads == contender.threads)
        accuracy, error = probe(text, runs[i][-1].vectors)
        lines.append(
            f"| {contender.name} | {contender.threads} | {clocks[i]:,.0f} | {clocks[i] / clocks[rival]:.1f} | "
            f"{processors[i]:,.0f} | {processors[i] / processors[rival]:.1f} | {accuracy:.3f} ± {error:.3f} |"
        )
    return "\n".join(lines)


def _makers(text: Text) -> list[Callable[[int], Contender]]:
    return [
        lambda threads: gensim(text, threads),
        lambda threads: ours("reproducible, words only", text, WORDS_ONLY, threads),
        lambda threads: ours("reproducible, with documents", text, SETTINGS, threads),
        lambda threads: ours("free-running, with documents", text, SETTINGS, threads, reproducible=False),
    ]


def merging_table(text: Text) -> str:
    lines = ["| shards | rounds an epoch | processor µs a word | probe |", "|---|---|---|---|"]
    words = len(text.tokens) * EPOCHS
    for shards, rounds in ((1, 10), (2, 10), (4, 10), (8, 5), (8, 10), (8, 40)):
        settings = replace(SETTINGS, shards=shards, rounds=rounds)
        found = ours("", text, settings, 2).train(EPOCHS)
        accuracy, error = probe(text, found.vectors)
        lines.append(
            f"| {shards} | {rounds} | {1e6 * found.processor_seconds / words:.2f} | {accuracy:.3f} ± {error:.3f} |"
        )
    return "\n".join(lines)


_FIRST_CALL = """
import time
import numpy as np
from taxocom.numerics.training import TrainingSettings, initial_state, topic_supervision, train
state = initial_state(50, 4, 100, 0)
started = time.perf_counter()
train(np.arange(200, dtype=np.int32) % 50, np.arange(0, 201, 50), state, counts=np.full(50, 4),
      settings=TrainingSettings(epochs=1), random_state=0,
      topics=topic_supervision([np.array([1], np.int32)], state.terms))
print(time.perf_counter() - started)
"""


def compile_table() -> str:
    """The first call of `train` in a fresh process, with an empty cache of compiled code and with a filled one."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-c", _FIRST_CALL]
        cold, warm = (
            float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
            for _ in range(2)
        )
    head = "| first call of `train` | seconds |\n|---|---|"
    return f"{head}\n| nothing compiled | {cold:.1f} |\n| from the cache | {warm:.1f} |"


def kmeans_table() -> str:
    rng = np.random.default_rng(0)
    centers = rng.standard_normal((20, DIM))
    vectors = (centers[rng.integers(0, 20, 25_000)] + 1.5 * rng.standard_normal((25_000, DIM))).astype(np.float32)
    spherical_kmeans(vectors[:100], 2)
    lines = ["| spherical k-means, one start | seconds | iterations |", "|---|---|---|"]
    for n, k in ((3_000, 6), (25_000, 10), (25_000, 30)):
        started = time.perf_counter()
        found = spherical_kmeans(vectors[:n], k, n_starts=1)
        lines.append(f"| {n:,} × {DIM}, k = {k} | {time.perf_counter() - started:.3f} | {found.iterations} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, help="the directory that holds 20news/docs.jsonl.gz")
    print(run(parser.parse_args().corpora))
