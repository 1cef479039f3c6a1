"""A curator in a process of their own: decides and drafts until ended, and prints what was acknowledged.

`python -m tests.faults.writer PROJECT NAME BYTES` prints `decision N` or `draft N` once the store has said yes, and
`refused: …` once it has said no. BYTES limits the size of any file, where a small disk cannot be had; 0 does not.
"""

from __future__ import annotations

import ctypes
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from taxocom.errors import StoreError
from taxocom.store import Project
from taxocom.taxonomy.decisions import EditDefinition
from taxocom.taxonomy.tree import ROOT_ID

TEXT = "a definition of some length, so that a disk fills up. " * 40


def write(path: Path, name: str) -> None:
    """Decide and draft in turn."""
    with Project(path) as project:
        number = int(project.preferences(name).get("draft", 0))
        while True:
            try:
                said = f"decision {project.record(EditDefinition(ROOT_ID, f'{name} {TEXT}'), author=name).sequence}"
                print(said, flush=True)
                number += 1
                project.set_preference(name, "draft", number)
                print(f"draft {number}", flush=True)
            except StoreError as error:
                print(f"refused: {error}".replace("\n", " "), flush=True)
                time.sleep(0.02)


def be_nobody_special() -> None:
    """Give up what root may do beyond others, so that a closed folder is closed: capset(2), which nobody is refused."""
    version_3, this_process = 0x20080522, 0
    header = (ctypes.c_uint32 * 2)(version_3, this_process)
    none_of_64 = (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None, use_errno=True).capset(header, none_of_64):
        raise OSError(ctypes.get_errno(), "capset")


class Writer:
    """A running curator and what they heard."""

    def __init__(self, project: Path, name: str, n_bytes: int | None = None) -> None:
        self.name = name
        self.decisions: list[int] = []
        self.drafts = [0]
        self.refused: list[str] = []
        command = [sys.executable, "-m", "tests.faults.writer", str(project), name, str(n_bytes or 0)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self._said: IO[str] = self._process.stdout

    def hear(self, n: int = 1) -> None:
        """Wait for a number of answers."""
        for _ in range(n):
            line = self._said.readline()
            assert line, f"{self.name} ended with {self._process.wait()} and was not told to"
            self._take(line)

    def hear_refusal(self) -> None:
        """Wait until the store refuses something."""
        while not self.refused:
            self.hear()

    def kill(self) -> None:
        """End the process as `kill -9` does, then hear what it had said."""
        self._process.send_signal(signal.SIGKILL)
        for line in self._said:
            self._take(line)
        self._process.wait()
        self._said.close()

    def _take(self, line: str) -> None:
        # A line that the kill has cut was never acknowledged in full.
        if not line.endswith("\n"):
            return
        kind, _, rest = line.strip().partition(" ")
        if kind == "decision":
            self.decisions.append(int(rest))
        elif kind == "draft":
            self.drafts.append(int(rest))
        else:
            self.refused.append(rest)


if __name__ == "__main__":
    if limit := int(sys.argv[3]):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    be_nobody_special()
    write(Path(sys.argv[1]), sys.argv[2])
