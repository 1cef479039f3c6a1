"""The engine: from a raw file to a proposal, a re-split of it, and how the whole walk grows with the corpus.

Every part is a process of its own: `root`, or a number of arXiv documents. `python -m benchmarks.engine --corpora DIR
PART…` measures some and keeps them in `results/engine.json` beside those measured before; the tables show all.

Seconds are by the clock on this machine, whatever else it was doing; `load` beside them is the mean number of runnable
processes when the part began, so on two cores a load of 4 means that the engine had about half of what it could use.
Processor seconds, of all threads together, hardly depend on the load. `nice` is the priority that the part ran at.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.__main__ import RESULTS, write_result

SIZES = (20_000, 40_000, 80_000, 160_829)
ROOT = "root"
PARTS = (ROOT, *map(str, SIZES))
KEPT = RESULTS / "engine.json"
NODE_STAGES = {
    "embedding": "embedding",
    "neighbours": "neighbours",
    "facets": "facets",
    "affinity": "affinity",
    "terms": "topicality",
    "proposal": "proposal",
}
COMMAND = "python -m benchmarks.engine --corpora DIR PART…"

Facts = Mapping[str, Any]


def run(corpora: Path | None, parts: Sequence[str] = PARTS) -> str:
    """Measure the parts one after another and return the tables of all that is kept."""
    if corpora is None:
        return "No corpora were given: run with `--corpora DIR`."
    kept: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    for part in parts:
        load, started = os.getloadavg()[0], time.perf_counter()
        if part == ROOT:
            # A process of its own: what ran before must not leave caches warm.
            command = [sys.executable, "-m", "benchmarks.engine", "--corpora", str(corpora), "--only-root"]
            facts = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        else:
            facts = _complete(corpora / "arxiv", int(part))
        kept[part] = {**facts, "load": round(load, 1), "nice": os.nice(0), "took": round(time.perf_counter() - started)}
        KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return tables(kept)


def tables(kept: Mapping[str, Facts]) -> str:
    """Return the tables as Markdown."""
    sizes = sorted(int(part) for part in kept if part != ROOT)
    parts = [_root_table(kept[ROOT])] if ROOT in kept else []
    if sizes:
        parts.append(_growth_table(sizes, [kept[str(size)] for size in sizes]))
    return "\n\n".join(parts)


def measure_root(folder: Path) -> Facts:
    """Go from the raw 20 Newsgroups to the root's proposal, then split it again and again."""
    from taxocom import Corpus, pretrain, read_documents, read_seed
    from taxocom.expansion.pipeline import expand_node
    from taxocom.settings import ExpansionSettings
    from taxocom.taxonomy.tree import ROOT_ID

    settings = ExpansionSettings()
    threads = len(os.sched_getaffinity(0))
    seed = read_seed(folder / "seed_a.tsv").taxonomy
    times: dict[str, float] = {}
    start, processor = time.perf_counter(), time.process_time()
    corpus = Corpus.from_documents(
        read_documents(folder / "docs.jsonl.gz"), seed_phrases=[node.label for node in seed.walk()], processes=threads
    )
    times["reading and indexing"] = time.perf_counter() - start
    embedding = pretrain(corpus, settings.embedding, threads=threads)
    times["pre-training"] = time.perf_counter() - start - sum(times.values())
    expansion = expand_node(corpus, seed, ROOT_ID, embedding, settings=settings, threads=threads)
    times.update({f"root: {stage}": seconds for stage, seconds in expansion.proposal.seconds.items()})
    whole, processor = time.perf_counter() - start, time.process_time() - processor
    return {
        "n_documents": corpus.n_documents,
        "threads": threads,
        "seconds": times,
        "all": whole,
        "processor": processor,
        "resplits": _resplits(corpus, seed, expansion.evidence, settings),
    }


def _resplits(corpus: Any, seed: Any, evidence: Any, settings: Any) -> list[Facts]:
    from taxocom import propose
    from taxocom.expansion.proposals.proposal import Overrides

    asked = [Overrides(threshold=value) for value in (0.3, 0.4, 0.45, 0.55, 0.6, 0.7)]
    asked += [Overrides(n_novel=n) for n in (0, 1)]
    found = []
    for overrides in asked:
        clock, processor = time.perf_counter(), time.process_time()
        propose(corpus, seed, evidence, settings=settings, overrides=overrides)
        found.append({"seconds": time.perf_counter() - clock, "processor": time.process_time() - processor})
    return found


def _root_table(facts: Facts) -> str:
    rows = [f"| {stage} | {seconds:.1f} |" for stage, seconds in facts["seconds"].items()]
    again = facts["resplits"]
    clock, processor = (statistics.median(each[kind] for each in again) for kind in ("seconds", "processor"))
    rows += [f"| **raw file to the root's proposal** | **{facts['all']:.1f}** ({facts['processor']:.0f} processor) |"]
    rows += [f"| re-split with another threshold or count, median of {len(again)} | {clock:.3f} ({processor:.3f}) |"]
    return (
        f"20 Newsgroups, {facts['n_documents']:,} documents, seed a, {facts['threads']} threads, load {facts['load']}, "
        f"nice {facts.get('nice', 0)}\n"
        "\n| stage | seconds |\n|---|---:|\n" + "\n".join(rows)
    )


def _complete(folder: Path, size: int) -> Facts:
    """Run `taxocom complete` on the first documents of arXiv."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        sample = place / "docs.jsonl.gz"
        with gzip.open(sample, "wt", encoding="utf-8", compresslevel=1) as file:
            file.writelines(_first(folder / "docs.jsonl.xz", size))
        command = [sys.executable, "-m", "taxocom", "complete", str(sample), str(folder / "seed_a.tsv")]
        command += ["--out", str(place / "out"), "--max-depth", "2", "--quiet"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        facts = json.loads((place / "out" / "run.json").read_text(encoding="utf-8"))
    return {key: facts[key] for key in ("seconds", "processor_seconds", "nodes", "peak_gib", "corpus")}


def stage_seconds(facts: Facts) -> dict[str, float]:
    """Return the seconds of every stage of a walk, those of the nodes summed over the nodes of a level."""
    seconds = facts["seconds"]
    found = {"indexing": seconds["indexing"], "pre-training": seconds["pre-training"]}
    levels = {"root": facts["nodes"][:1], "below": facts["nodes"][1:]}
    for level, nodes in levels.items():
        for stage, name in NODE_STAGES.items():
            found[f"{level}: {name}"] = sum(node["seconds"].get(stage, 0.0) for node in nodes)
    found["rest"] = seconds["all"] - sum(found.values())
    found["**all**"] = seconds["all"]
    found["processor seconds"] = facts["processor_seconds"]["all"]
    found["peak GiB"] = facts["peak_gib"]
    return found


def _growth_table(sizes: Sequence[int], runs: Sequence[Facts]) -> str:
    columns = [stage_seconds(facts) for facts in runs]
    head = "| seconds | " + " | ".join(f"{size:,}" for size in sizes) + " | grows as |"
    lines = [head, "|---|" + "---:|" * (len(sizes) + 1)]
    for stage in columns[0]:
        values = [column[stage] for column in columns]
        lines.append(
            f"| {stage} | " + " | ".join(_number(value) for value in values) + f" | {_growth(sizes, values)} |"
        )
    others = {
        "nodes expanded": [str(len(facts["nodes"])) for facts in runs],
        "terms": [f"{facts['corpus']['n_terms']:,}" for facts in runs],
        "load": [str(facts["load"]) for facts in runs],
        "nice": [str(facts.get("nice", 0)) for facts in runs],
    }
    lines += [f"| {name} | " + " | ".join(values) + " | |" for name, values in others.items()]
    return (
        "arXiv, `taxocom complete --max-depth 2`, seed a, by number of documents n; the last column is the power of n "
        "between the first and the last\n\n" + "\n".join(lines)
    )


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def _growth(sizes: Sequence[int], values: Sequence[float]) -> str:
    # Below half a second the power would be that of the noise.
    if len(sizes) < 2 or values[0] < 0.5:
        return ""
    return f"n^{math.log(max(values[-1], 1e-3) / values[0]) / math.log(sizes[-1] / sizes[0]):.1f}"


def _first(path: Path, n: int) -> Iterator[str]:
    # The file is sorted by nothing in particular, so its first documents are of all classes.
    with lzma.open(path, "rt", encoding="utf-8") as file:
        yield from islice(file, n)


def main() -> None:
    """Measure the parts asked for and keep the tables."""
    parser = argparse.ArgumentParser("python -m benchmarks.engine", description=__doc__)
    parser.add_argument("--corpora", type=Path, required=True, help="the directory that holds 20news and arxiv")
    parser.add_argument("--only-root", action="store_true", help="print what was measured of the root as JSON")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{ROOT}, or a number of documents (default: all)")
    options = parser.parse_args()
    if options.only_root:
        print(json.dumps(measure_root(options.corpora / "20news")))
        return
    table = run(options.corpora, options.parts or PARTS)
    took = sum(facts["took"] for facts in json.loads(KEPT.read_text(encoding="utf-8")).values())
    write_result("engine", table, COMMAND, seconds=took)
    print(table)


if __name__ == "__main__":
    main()
