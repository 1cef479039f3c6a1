"""Compile ahead: on a machine that never ran an expansion, the first would else wait for the compiler.

The app starts this as it opens, in a process of the lowest priority; what is compiled stays in numba's cache. A person
takes longer to choose texts, or the sample to be read, than this takes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import taxocom
from taxocom.jobs.control import worker_environment
from taxocom.store.files import write_whole
from taxocom.store.sample import cache_directory

_NICENESS = 19
_GENERAL = ("people", "yesterday", "report", "group")
_TOY = {
    "sport": ("football", "league", "match", "coach", "goal", "season"),
    "business": ("market", "bank", "shares", "profit", "trade", "investor"),
    "film": ("actor", "director", "cinema", "festival", "drama", "studio"),
}


def warm_in_background() -> bool:
    """Start compiling in a process of its own, unless that was done before; return whether it was started."""
    if _mark().exists():
        return False
    command = [sys.executable, "-P", "-m", "taxocom.jobs.warming"]
    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=worker_environment(),
        start_new_session=True,
    )
    return True


def _mark() -> Path:
    """Return the file that says that this code was compiled: numba compiles anew when a source or itself changes."""
    sources = sorted(Path(taxocom.__file__).parent.joinpath("numerics").glob("*.py"))
    parts = [version("numba"), version("umap-learn"), os.environ.get("NUMBA_CACHE_DIR", ""), sys.version]
    parts += [f"{source} {source.stat().st_mtime_ns}" for source in sources]
    return cache_directory() / f"compiled-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:16]}"


def compile_ahead() -> None:
    """Expand a toy corpus and draw a map, which has everything compiled that a real one would."""
    from taxocom.expansion.embedding import pretrain
    from taxocom.expansion.pipeline import expand_node
    from taxocom.expansion.term_map import warm_up
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
    # A toy has too few terms for UMAP, whose import alone is most of what there is to compile.
    warm_up()


def main() -> None:
    """Compile, then say so."""
    os.nice(_NICENESS)
    compile_ahead()
    mark = _mark()
    mark.parent.mkdir(parents=True, exist_ok=True)
    write_whole(mark, b"")


if __name__ == "__main__":
    main()
