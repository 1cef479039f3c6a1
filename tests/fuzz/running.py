"""Run spoilt files through a reader in a process with limits, and go on behind the ones that end it.

`python -m tests.fuzz.running READER SEED FIRST LAST MARK` is that process: it prints a line of JSON for every input
that did not end well. Before each input it writes the input's number to the file MARK, so that the one that ended it is
known.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from taxocom.errors import TaxocomError

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 5.0
"""Of the processor, since the clock on the wall also counts what others on the machine do."""
MOST_MEMORY = 2**30
BOMBS = -1
"""In place of a seed: the inputs are the reader's bombs."""
_WALL_SECONDS = 60.0
# Arrow's own allocator sets a gibibyte aside before it needs any, which the limit would count.
_ENVIRONMENT = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}


@dataclass(frozen=True)
class Finding:
    """An input that did not end well: `what` says how, `place` is the line of ours that it came through."""

    reader: str
    number: int
    what: str
    place: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of a run: how many inputs were read, refused, and found something; the longest, in CPU seconds."""

    n_inputs: int
    n_refused: int
    slowest: float
    memory: int
    findings: tuple[Finding, ...]


def run_bombs(reader: str) -> Outcome:
    """Read the files that were made to take this reader's time or memory."""
    return run(reader, BOMBS, 0, bombs_of(reader))


def bombs_of(reader: str) -> int:
    """Return how many such files there are."""
    from tests.fuzz.readers import READERS

    return len(READERS[reader].bombs)


def run(reader: str, seed: int, first: int, last: int) -> Outcome:
    """Read the inputs `first … last - 1` of a reader, in as many processes as it takes."""
    findings: list[Finding] = []
    n_refused, slowest, memory = 0, 0.0, 0
    at = first
    with tempfile.TemporaryDirectory(prefix="taxocom-fuzz-") as folder:
        mark = Path(folder) / "mark"
        while at < last:
            mark.write_text(str(at))
            command = [sys.executable, "-m", "tests.fuzz.running", reader, str(seed), str(at), str(last), str(mark)]
            ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=_ENVIRONMENT)
            for said in map(json.loads, ended.stdout.splitlines()):
                if "finding" in said:
                    findings.append(Finding(**said["finding"]))
                else:
                    n_refused, slowest = n_refused + said["n_refused"], max(slowest, said["slowest"])
                    memory = max(memory, said["memory"])
            if ended.returncode == 0:
                break
            at = int(mark.read_text())
            if ended.returncode > 0:
                raise RuntimeError(f"{reader}, input {at}: {ended.stderr[-1000:]}")
            findings.append(Finding(reader, at, f"ended the process: {signal.Signals(-ended.returncode).name}"))
            at += 1
    return Outcome(last - first, n_refused, slowest, memory, tuple(findings))


def _read_all(name: str, seed: int, first: int, last: int, mark: Path) -> None:
    from tests.fuzz.readers import READERS

    reader = READERS[name]
    assert reader.files
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    n_refused, slowest = 0, 0.0
    shared = Path("/dev/shm")
    with (
        mark.open("r+b", buffering=0) as marked,
        tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder,
    ):
        for number in range(first, last):
            marked.seek(0)
            marked.write(b"%d" % number)
            data = reader.bombs[number]() if seed == BOMBS else reader.input(seed, number)
            place = Path(folder) / "place"
            place.mkdir()
            signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
            signal.setitimer(signal.ITIMER_REAL, _WALL_SECONDS)
            started = time.process_time()
            try:
                reader.read(data, place)
            except TaxocomError:
                n_refused += 1
            except BaseException as error:
                _tell(finding=asdict(Finding(name, number, _words(error), _place(error))))
            slowest = max(slowest, time.process_time() - started)
            shutil.rmtree(place, ignore_errors=True)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    _tell(n_refused=n_refused, slowest=slowest, memory=memory)


def _tell(**said: object) -> None:
    print(json.dumps(said), file=_TOLD, flush=True)


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300].encode("ascii", "backslashreplace").decode()


def _place(error: BaseException) -> str:
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "/taxocom/" in frame.filename]
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(ours[-4:]))


def by_place(findings: tuple[Finding, ...]) -> Iterator[tuple[str, list[Finding]]]:
    """Group findings by the line of ours that they came through."""
    places: dict[str, list[Finding]] = {}
    for finding in findings:
        places.setdefault(finding.place or finding.what, []).append(finding)
    yield from places.items()


_TOLD = sys.stdout
if __name__ == "__main__":
    # What a library prints is not for the process that listens.
    _TOLD, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
    os.dup2(2, 1)
    _read_all(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]))
