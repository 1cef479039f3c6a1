"""How many modules a document crosses from a CSV file to a SKOS topic, by the library, an expansion included.

A module counts if one of its functions runs on the way. It is counted in a process of its own, where nothing is
remembered from before.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import taxocom
from taxocom import Corpus, complete, export, read_documents, read_seed
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.planted import plant

_PACKAGE = str(Path(taxocom.__file__).parent) + "/"
_IS_FUNCTION = 1


def run(corpora: Path | None = None) -> str:  # noqa: ARG001  # the corpus is made up
    """Return how many modules are crossed in each layer, and their names."""
    command = [sys.executable, "-m", "benchmarks.modules_crossed"]
    modules = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    layers = Counter(module.partition("/")[0] for module in modules)
    rows = [
        f"| {layer} | {n} | {', '.join(m.partition('/')[2] for m in modules if m.startswith(f'{layer}/'))} |"
        for layer, n in sorted(layers.items())
    ]
    return "\n".join([f"{len(modules)} modules.", "", "| layer | modules | |", "|---|---|---|", *rows])


def crossed() -> list[str]:
    """Send made-up texts all the way and return the modules in which a function ran."""
    seen: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & _IS_FUNCTION and code.co_filename.startswith(_PACKAGE):
            seen.add(code.co_filename.removeprefix(_PACKAGE).removesuffix(".py"))

    planted = plant(n_parents=3, n_children=2)
    with tempfile.TemporaryDirectory(prefix="taxocom-crossed-") as folder:
        texts = Path(folder) / "articles.csv"
        with texts.open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["id", "text"])
            table.writerows(zip(planted.corpus.document_ids, planted.corpus.texts, strict=True))
        outline = "".join(f"- {node.label}\n" for node in planted.gold.children_of(ROOT_ID)[:-1])
        sys.setprofile(note)
        threading.setprofile(note)
        seed = read_seed(outline.encode(), name="topics.md").taxonomy
        corpus = Corpus.from_documents(read_documents(texts), seed_phrases=[node.label for node in seed.walk()])
        written = export(complete(corpus, seed, max_depth=1).taxonomy, "turtle")
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    assert written
    return sorted(seen)


if __name__ == "__main__":
    print("\n".join(crossed()))
