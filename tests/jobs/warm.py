"""An init to be killed, and a process that has all it needs loaded, compiled code included, to fork victims from."""

from __future__ import annotations

import os
import random
import sys
import tempfile
from pathlib import Path
from unittest import mock

from taxocom import jobs
from taxocom.jobs.registry import find_task
from taxocom.progress import SILENT
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode

N_DOCUMENTS = 300


def write_corpus(folder: Path) -> Path:
    """Write a corpus that is small but has phrases to find."""
    words = ("ball", "goal", "match", "vote", "party", "law", "bank", "price", "trade", "film")
    rng = random.Random(0)
    file = folder / "corpus.txt"
    file.write_text("".join(" ".join(rng.choices(words, k=30)) + f" {n}\n" for n in range(N_DOCUMENTS)))
    return file


def seed() -> Taxonomy:
    return Taxonomy.empty("News").with_topic(TopicNode("sport", "Sport", keywords=("ball",)), ROOT_ID)


def init(source: Path) -> None:
    """Do what `taxocom init` does, without the worker between."""
    with jobs.begin_project("News", seed=seed()) as project:
        find_task("index")(project, {"source": str(source)}, SILENT)


def serve() -> None:
    """For each home on standard input: fork, let the child say its pid, init there and say so; then say it is over."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"TAXOCOM_HOME": folder}):
        source = write_corpus(Path(folder))
        init(source)
        for line in sys.stdin:
            pid = os.fork()
            if pid == 0:
                os.environ["TAXOCOM_HOME"] = line.strip()
                print("ready", os.getpid(), flush=True)
                init(source)
                print("done", flush=True)
                os._exit(0)
            os.waitpid(pid, 0)
            print("over", flush=True)


if __name__ == "__main__":
    serve()
