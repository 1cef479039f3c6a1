"""What it costs to read a file in a process of its own, and what the largest honest files need there.

The limits in `settings.ReadingLimits` follow from the second table.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from taxocom.interchange import export, read_seed
from taxocom.reading import client, files
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode

_TIMES = 15
_TOPICS = 100_000
_FORMATS = ("tsv", "json", "csv", "turtle")


def run(corpora: Path | None) -> str:  # noqa: ARG001
    client.make_ready()
    with tempfile.TemporaryDirectory() as folder:
        return "\n".join([*_small(Path(folder)), "", *_large(Path(folder))])


def _small(folder: Path) -> list[str]:
    tree = _tree(30)
    table = folder / "news.csv"
    table.write_text("id,text\n" + "".join(f"{n},The match number {n} was won late\n" for n in range(200)))
    files.look_at_corpus(table, with_language=True)
    lines = [
        "Small files, median milliseconds by the clock:",
        "",
        "| file | in a process of its own | here |",
        "|---|---|---|",
    ]
    for name in (*_FORMATS, "xlsx"):
        data = export(tree, name)
        apart, here = _median(partial(files.read_seed, data, name)), _median(partial(read_seed, data, name))
        lines.append(f"| {name}, 30 topics | {apart:.0f} | {here:.0f} |")
    look = _median(lambda: files.look_at_corpus(table, with_language=True))
    return [*lines, f"| a look at 200 documents, with their language | {look:.0f} | |"]


def _median(action: Callable[[], object]) -> float:
    action()
    taken = []
    for _ in range(_TIMES):
        started = time.perf_counter()
        action()
        taken.append(1000 * (time.perf_counter() - started))
    return statistics.median(taken)


def _large(folder: Path) -> list[str]:
    tree = _tree(_TOPICS)
    lines = [
        f"{_TOPICS:,} topics with keywords and definitions:",
        "",
        "| format | MiB | seconds of a processor | most memory (MiB) |",
        "|---|---|---|---|",
    ]
    for name in _FORMATS:
        file = folder / f"large.{name}"
        file.write_bytes(export(tree, name))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        script = (
            "import resource, sys\nfrom pathlib import Path\nfrom taxocom.interchange import read_seed\n"
            "read_seed(Path(sys.argv[1]).read_bytes(), sys.argv[2])\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
        )
        command = [sys.executable, "-c", script, str(file), name]
        memory = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        lines.append(f"| {name} | {file.stat().st_size / 2**20:.0f} | {seconds:.1f} | {memory} |")
    return lines


def _tree(n_topics: int) -> Taxonomy:
    nodes, children = {ROOT_ID: TopicNode(ROOT_ID, "Topics")}, dict[str, list[str]]()
    for number in range(n_topics):
        node = TopicNode(
            f"t{number}",
            f"Topic number {number}",
            keywords=(f"word {number}", f"other {number}"),
            definition=f"What topic {number} is about, in a sentence of some words.",
        )
        nodes[node.node_id] = node
        children.setdefault(ROOT_ID if number < 400 else f"t{number // 20}", []).append(node.node_id)
    return Taxonomy(nodes, {parent: tuple(below) for parent, below in children.items()})
