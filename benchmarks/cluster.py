"""A level of arXiv on one worker of a cluster, on two, and on two of which one is killed on the way.

The vectors of the project are there before. Every worker has one thread and starts with nothing loaded; what loading
takes is counted. The kept proposals of all runs are compared byte by byte, the seconds that they tell of left out.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import signal
import tempfile
import threading
import time
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from distributed import Client

from taxocom import read_seed
from taxocom.jobs.expand_task import expand_level, project_embedding
from taxocom.jobs.local_cluster import running
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.settings import ExpansionSettings
from taxocom.store import Project, create_project

N_DOCUMENTS = 20_000
_KILL_AFTER = 0.4
"""When a worker is killed, as a share of what the run on two workers took."""


@dataclass(frozen=True)
class Run:
    """One expansion of the level: seconds by the clock to the last proposal, and a digest of what it kept."""

    seconds: float
    digest: str
    load: float


def run(corpora: Path | None = None) -> str:
    """Measure and return the table."""
    if corpora is None:
        return "No corpora were given: `make bench CORPORA=folder NAMES=cluster`."
    with tempfile.TemporaryDirectory(prefix="taxocom-cluster-") as folder:
        os.environ["TAXOCOM_HOME"] = folder
        with create_project("arxiv", seed=read_seed(corpora / "arxiv" / "gold.tsv").taxonomy) as project:
            sizes = _read(project, corpora / "arxiv" / "docs.jsonl.xz", Path(folder) / "docs.jsonl")
            # In turn, and the better of each counts: other work on the machine slows whichever run it meets.
            runs = [_measured(project, n_workers) for n_workers in (1, 2, 1, 2)]
            one, two = (min(runs[first::2], key=lambda run: run.seconds) for first in (0, 1))
            hurt = _measured(project, 2, kill_after=_KILL_AFTER * two.seconds)
    named = {"one worker": one, "two workers": two, "two workers, one killed on the way": hurt}
    same = (
        "the same in all five runs" if len({run.digest for run in (*runs, hurt)}) == 1 else "NOT the same in all runs"
    )
    rows = [
        f"| {name} | {each.seconds:.1f} | {one.seconds / each.seconds:.2f} | {each.load:.1f} | {each.digest[:12]} |"
        for name, each in named.items()
    ]
    return "\n".join(
        [
            f"The first {N_DOCUMENTS:,} documents of arXiv; {len(sizes)} topics of the first level, with "
            f"{', '.join(f'{size:,}' for size in sizes)} documents.",
            "",
            "| | seconds | times one worker (bar: 1.6) | load at the start | what was found |",
            "|---|---:|---:|---:|---|",
            *rows,
            "",
            f"The better of two runs each, done in turn. What was found is {same}. Maps are drawn after that, and not "
            "counted.",
        ]
    )


def _read(project: Project, source: Path, place: Path) -> list[int]:
    from taxocom.store.projects.document_places import document_places

    with lzma.open(source, "rt", encoding="utf-8") as packed, place.open("w", encoding="utf-8") as file:
        file.writelines(islice(packed, N_DOCUMENTS))
    index(project, {"source": str(place)}, SILENT)
    project_embedding(project, ExpansionSettings(), random_state=0, threads=os.cpu_count() or 1, progress=SILENT)
    places = document_places(project, at=project.sequence)
    return [len(places.documents_of(node.node_id)) for node in project.taxonomy().children_of("root")]


def _measured(project: Project, n_workers: int, kill_after: float | None = None) -> Run:
    load = os.getloadavg()[0]
    with running(n_workers, host="127.0.0.1", port=0, memory="0") as address:
        os.environ["TAXOCOM_SCHEDULER"] = address
        if kill_after is not None:
            threading.Timer(kill_after, _kill_one, args=(address,)).start()
        started = time.perf_counter()
        found = expand_level(project, {"threads": 1}, SILENT)
        seconds = time.perf_counter() - started
    return Run(seconds, _digest(project, found["proposal_ids"]), load)


def _kill_one(address: str) -> None:
    with Client(address, set_as_default=False) as client:
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)


def _digest(project: Project, proposal_ids: list[int]) -> str:
    digest = hashlib.sha256()
    for proposal_id in proposal_ids:
        kept = project.load_proposal(proposal_id)
        plain: dict[str, Any] = {name: value for name, value in kept.metadata.items() if name != "seconds"}
        digest.update(json.dumps(plain, sort_keys=True).encode())
        for name in sorted(kept.arrays):
            digest.update(name.encode() + kept.arrays[name].tobytes())
    return digest.hexdigest()
