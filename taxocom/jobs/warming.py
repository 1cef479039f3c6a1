"""Compile ahead: on a machine that never ran an expansion, the first would else wait for the compiler.

The app starts this as it opens, in processes of low priority, one for our kernels and one for the map; what is
compiled stays in numba's cache. A person takes about as long to choose texts as this takes. A job that comes sooner
waits for what is being compiled: two compilers at the same work only slow each other.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import taxocom
from taxocom.jobs.processes import see_off
from taxocom.progress import SILENT, Progress
from taxocom.store.disk.fetching import cache_directory
from taxocom.store.disk.locks import try_lock
from taxocom.store.disk.whole_files import write_whole
from taxocom.subprocesses import command_of, environment

Part = Literal["kernels", "map"]

PATIENCE_SECONDS = 180.0
"""How long a job waits for what another process compiles before it compiles by itself."""
_NICENESS = 15
_POLL_SECONDS = 0.1
_GENERAL = ("people", "yesterday", "report", "group")
_TOY = {
    "sport": ("football", "league", "match", "coach", "goal", "season"),
    "business": ("market", "bank", "shares", "profit", "trade", "investor"),
    "film": ("actor", "director", "cinema", "festival", "drama", "studio"),
}


def warm_in_background() -> list[Part]:
    """Start compiling what was not compiled before, a process for each part; return the parts that were started."""
    missing = [part for part in PARTS if not is_compiled(part)]
    for part in missing:
        compiling = subprocess.Popen(
            command_of("taxocom.jobs.warming", part),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(),
            start_new_session=True,
        )
        see_off(compiling)
    return missing


def wait_until_compiled(part: Part, progress: Progress = SILENT) -> None:
    """Return as soon as no other process compiles this part: at once if none does, and after a while if one hangs."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and not _mark(part).exists() and _lock(part).exists():
        held = try_lock(_lock(part), create=False)
        if held:
            held.release()
            return
        progress.report("Compiling, once on this machine", 0.0)
        time.sleep(_POLL_SECONDS)


def is_compiled(part: Part) -> bool:
    """Tell whether a part was compiled on this machine, so that a process only has to load it."""
    return _mark(part).exists()


def _mark(part: Part) -> Path:
    """Return the file that says that a part was compiled: numba compiles again when a source or itself changes."""
    sources = sorted(Path(taxocom.__file__).parent.joinpath("numerics").glob("*.py"))
    parts = [version("numba"), version("umap-learn"), os.environ.get("NUMBA_CACHE_DIR", ""), sys.version]
    parts += [f"{source} {source.stat().st_mtime_ns}" for source in sources]
    return cache_directory() / f"compiled-{part}-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:16]}"


def _lock(part: Part) -> Path:
    return _mark(part).with_suffix(".lock")


def compile_kernels() -> None:
    """Expand a toy corpus, which has every kernel compiled that a real one needs."""
    from taxocom.expansion.paper.embedding import pretrain
    from taxocom.expansion.pipeline import expand_node
    from taxocom.settings import ExpansionSettings
    from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
    from taxocom.text.corpus import Corpus

    texts = []
    for number in range(180):
        terms = list(_TOY.values())[number % len(_TOY)]
        turned = [terms[(number // len(_TOY) + step) % len(terms)] for step in range(4)]
        texts.append(f"Report {number}. The {' and the '.join(turned)}, {_GENERAL[number % len(_GENERAL)]} said.")
    tree = Taxonomy.empty("Toy")
    for label in ("sport", "business"):
        tree = tree.with_topic(TopicNode(label, label, _TOY[label][0], _TOY[label][1:3]), ROOT_ID)
    corpus = Corpus.from_documents(texts, seed_phrases=list(_TOY))
    settings = ExpansionSettings()
    embedding = pretrain(corpus, settings.embedding, threads=2)
    expand_node(corpus, tree, ROOT_ID, embedding, settings=settings, threads=2, draw_map=False)


def compile_map() -> None:
    """Have UMAP compiled, and let numba keep of it what UMAP itself would compile again in every process."""
    from umap import umap_

    from taxocom.expansion.describe.node_map import warm_up

    # Numba finds no place to keep anything where neither the package nor the home can be written to.
    with suppress(RuntimeError):
        for kernel in (umap_.smooth_knn_dist, umap_.compute_membership_strengths):
            kernel.enable_caching()
    warm_up()


PARTS: Mapping[Part, Callable[[], None]] = {"kernels": compile_kernels, "map": compile_map}


def main(part: Part) -> None:
    """Compile a part that was not compiled before, while nobody else does, then say so."""
    os.nice(_NICENESS)
    mark = _mark(part)
    mark.parent.mkdir(parents=True, exist_ok=True)
    held = try_lock(_lock(part))
    if held is None:
        return
    with held:
        if not mark.exists():
            PARTS[part]()
            write_whole(mark, b"")


if __name__ == "__main__":
    main("map" if sys.argv[1] == "map" else "kernels")
