"""The engine: from a raw file to a proposal, a re-split of it, and how the whole walk grows with the corpus.

Seconds are by the clock on this machine, whatever else it was doing; `load` beside them is the mean number of runnable
processes, so on two cores a load of 4 means that the engine had about half of what it could use.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from taxocom import Corpus, Taxonomy, pretrain, propose, read_documents, read_seed
from taxocom.expansion.evidence import NodeEvidence
from taxocom.expansion.overrides import Overrides
from taxocom.expansion.pipeline import expand_node
from taxocom.settings import ExpansionSettings
from taxocom.taxonomy.tree import ROOT_ID

SIZES = (20_000, 40_000, 80_000, 160_829)


def run(corpora: Path | None, sizes: tuple[int, ...] = SIZES) -> str:
    """Measure both corpora and return the tables."""
    if corpora is None:
        return "No corpora were given: run with `--corpora DIR`."
    return f"{_one_node(corpora / '20news')}\n\n{_growth(corpora / 'arxiv', sizes)}"


def _one_node(folder: Path) -> str:
    settings = ExpansionSettings()
    threads = len(os.sched_getaffinity(0))
    seed = read_seed(folder / "seed_a.tsv").taxonomy
    times: dict[str, float] = {}
    start = time.perf_counter()
    corpus = Corpus.from_documents(
        read_documents(folder / "docs.jsonl.gz"), seed_phrases=[node.label for node in seed.walk()]
    )
    times["reading and indexing"] = time.perf_counter() - start
    embedding = pretrain(corpus, settings.embedding, threads=threads)
    times["pre-training"] = time.perf_counter() - start - sum(times.values())
    expansion = expand_node(corpus, seed, ROOT_ID, embedding, settings=settings, threads=threads)
    times.update({f"root: {stage}": seconds for stage, seconds in expansion.proposal.seconds.items()})
    whole = time.perf_counter() - start
    rows = [f"| {stage} | {seconds:.1f} |" for stage, seconds in times.items()]
    again = _resplits(corpus, seed, expansion.evidence, settings)
    rows += [f"| **raw file to the root's proposal** | **{whole:.1f}** |"]
    rows += [f"| re-split with another threshold or count, median of {len(again)} | {statistics.median(again):.3f} |"]
    return (
        f"20 Newsgroups, {corpus.n_documents:,} documents, seed a, {threads} threads, load {os.getloadavg()[0]:.1f}\n\n"
        "| stage | seconds |\n|---|---:|\n" + "\n".join(rows)
    )


def _resplits(corpus: Corpus, seed: Taxonomy, evidence: NodeEvidence, settings: ExpansionSettings) -> list[float]:
    asked = [Overrides(threshold=value) for value in (0.3, 0.4, 0.6, 0.7)] + [Overrides(n_novel=n) for n in (0, 1, 2)]
    found = []
    for overrides in asked:
        start = time.perf_counter()
        propose(corpus, seed, evidence, settings=settings, overrides=overrides)
        found.append(time.perf_counter() - start)
    return found


def _growth(folder: Path, sizes: tuple[int, ...]) -> str:
    """Run `taxocom complete` on the first documents of arXiv, each size in a process of its own."""
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory)
            sample = place / "docs.jsonl.gz"
            with gzip.open(sample, "wt", encoding="utf-8", compresslevel=1) as file:
                file.writelines(_first(folder / "docs.jsonl.xz", size))
            load = os.getloadavg()[0]
            command = [sys.executable, "-m", "taxocom", "complete", str(sample), str(folder / "seed_a.tsv")]
            subprocess.run([*command, "--out", str(place / "out"), "--max-depth", "2", "--quiet"], check=True)
            facts = json.loads((place / "out" / "run.json").read_text())
            rows.append((size, facts, load))
    stages = list(dict.fromkeys(stage for _, facts, _ in rows for stage in facts["seconds"]))
    head = "| documents | " + " | ".join(stages) + " | peak GiB | load |\n|---:|" + "---:|" * (len(stages) + 2) + "\n"
    lines = [
        f"| {size:,} | "
        + " | ".join(f"{facts['seconds'].get(stage, 0.0):.0f}" for stage in stages)
        + f" | {facts['peak_gib']:.2f} | {load:.1f} |"
        for size, facts, load in rows
    ]
    return "arXiv, `taxocom complete --max-depth 2`, seconds a stage\n\n" + head + "\n".join(lines)


def _first(path: Path, n: int) -> Iterator[str]:
    # The file is sorted by nothing in particular, so its first documents are of all classes.
    with lzma.open(path, "rt", encoding="utf-8") as file:
        yield from islice(file, n)


if __name__ == "__main__":
    print(run(Path(sys.argv[1]), tuple(int(size) for size in sys.argv[2:]) or SIZES))
