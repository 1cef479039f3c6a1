"""Twenty kills while texts join a project, and twenty while texts are tagged: nothing is lost, nothing doubled.

Everything that belongs to the command is killed at once, its jobs and its helpers too, at moments spread over all of
it. Then the same command is run again, to its end.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import psutil

from benchmarks.tagging import read_labelled
from taxocom.jobs.tasks import index
from taxocom.progress import SILENT
from taxocom.store import create_project, open_project

_KILLS = 20
_TAGGED = 12_000


@dataclass
class Counted:
    """What was found after the kills."""

    killed: int = 0
    untouched: int = 0
    whole: int = 0
    wrong: int = 0


def run(corpora: Path | None = None) -> str:
    """Measure on a real corpus and return the table."""
    if corpora is None:
        return "No corpora were given: `make bench CORPORA=folder NAMES=killed_texts`."
    labelled = read_labelled(corpora / "bbc", 0)
    rows = [
        json.dumps({"id": each, "text": text}) + "\n"
        for each, text in zip(labelled.corpus.document_ids, labelled.corpus.texts, strict=True)
    ]
    with tempfile.TemporaryDirectory(prefix="taxocom-killed-") as folder:
        place = Path(folder)
        os.environ["TAXOCOM_HOME"] = str(place / "start")
        n_first = len(rows) * 9 // 10
        (place / "first.jsonl").write_text("".join(rows[:n_first]))
        (place / "new.jsonl").write_text("".join(rows[n_first:]))
        (place / "tagged.jsonl").write_text("".join(row for row, _ in zip(cycle(rows), range(_TAGGED), strict=False)))
        with create_project("news", seed=labelled.tree) as project:
            index(project, {"source": str(place / "first.jsonl")}, SILENT)
        found = {"append": _appended(place, n_first, len(rows)), "tag": _tagged(place)}
    header = "| command | killed | nothing kept | all kept | anything else, or wrong after a second run |"
    lines = [header, "|---|---|---|---|---|"]
    return "\n".join(
        [*lines, *(f"| {n} | {c.killed} | {c.untouched} | {c.whole} | {c.wrong} |" for n, c in found.items())]
    )


def _appended(place: Path, before: int, after: int) -> Counted:
    found, words = Counted(), ("append", "news", str(place / "new.jsonl"), "-q")
    seconds = _whole(place / "trial", place / "start", words)
    for number in range(_KILLS):
        home = _copied(place / f"append-{number}", place / "start")
        found.killed += _killed(home, words, seconds * (number + 1) / (_KILLS + 1))
        n_kept = _documents(home)
        found.untouched, found.whole = found.untouched + (n_kept == before), found.whole + (n_kept == after)
        # Where all of it is there already, the second run refuses: nothing is new.
        _whole(home, None, words)
        found.wrong += n_kept not in (before, after) or _documents(home) != after
        shutil.rmtree(home)
    return found


def _tagged(place: Path) -> Counted:
    found, out, tagger = Counted(), place / "out.csv", place / "tagger.zip"
    _whole(place / "tagging", place / "start", ("export", "news", str(tagger)))
    words = ("tag", str(tagger), str(place / "tagged.jsonl"), "--out", str(out), "-q")
    seconds = _whole(place / "tagging", None, words)
    whole = out.read_bytes()
    for number in range(_KILLS):
        out.unlink()
        found.killed += _killed(place / "tagging", words, seconds * (number + 1) / (_KILLS + 1))
        left = out.read_bytes() if out.exists() else None
        found.untouched, found.whole = found.untouched + (left is None), found.whole + (left == whole)
        _whole(place / "tagging", None, words)
        found.wrong += left not in (None, whole) or out.read_bytes() != whole
    return found


def _copied(home: Path, start: Path) -> Path:
    shutil.copytree(start, home)
    return home


def _start(home: Path, words: tuple[str, ...]) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "TAXOCOM_HOME": str(home)}
    silent = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-m", "taxocom", *words], env=environment, stdout=silent, stderr=silent)


def _whole(home: Path, start: Path | None, words: tuple[str, ...]) -> float:
    if start is not None:
        _copied(home, start)
    clock = time.monotonic()
    _start(home, words).wait()
    return time.monotonic() - clock


def _killed(home: Path, words: tuple[str, ...], seconds: float) -> bool:
    """Kill a command and all that it started; tell whether there was still something to kill."""
    process = _start(home, words)
    time.sleep(seconds)
    ours = [each for each in psutil.process_iter() if _belongs(each, process.pid, str(home))]
    for each in ours:
        with suppress(psutil.Error):
            each.kill()
    process.wait()
    psutil.wait_procs(ours, timeout=60)
    return bool(ours)


def _belongs(process: psutil.Process, pid: int, home: str) -> bool:
    with suppress(psutil.Error):
        return process.pid == pid or process.environ().get("TAXOCOM_HOME") == home
    return False


def _documents(home: Path) -> int:
    os.environ["TAXOCOM_HOME"] = str(home)
    with open_project("news") as project:
        ids = list(project.corpus().document_ids)
    return len(ids) if len(set(ids)) == len(ids) else -1
