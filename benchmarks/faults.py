"""A long soak of faults: damaged files, changed backups, killed writers, full disks. Nothing may be lost or silent.

The same harness as `tests/faults`, with other numbers and more of them.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from taxocom.errors import StoreError
from taxocom.store import Project, backup_project, create_project
from taxocom.store.db.proof import database_problems
from taxocom.taxonomy.decisions import EditDefinition
from taxocom.taxonomy.tree import ROOT_ID
from tests.faults import backups, damage
from tests.faults.writer import TEXT

N_DAMAGES, N_BACKUPS, N_KILLS, N_FULL = 1000, 1000, 200, 120
_SMALL_DISK = 4 * 2**20


def run(corpora: Path | None) -> str:  # noqa: ARG001  # needs no corpus
    """Return what came of every kind of fault."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        source = damage.snapshot(place / "home", place / "snapshot")
        rows += _rows("flip or cut", damage.run_trials(source, place / "damaged", 21, N_DAMAGES))
        with Project(source) as project:
            backup = backup_project(project, place / "backup.zip")
        (place / "restored").mkdir()
        rows += _rows("changed backup", backups.run_trials(backup, place / "restored", 22, N_BACKUPS))
        os.environ["TAXOCOM_HOME"] = str(place / "killed")
        rows.append(_killed())
        rows.append(_full(place / "disk"))
    head = "| fault | of | tried | outcome |\n|---|---|---|---|\n"
    return head + "\n".join(rows)


def _rows(fault: str, trials: Sequence[damage.Trial]) -> list[str]:
    kinds: dict[str, Counter[str]] = {}
    for trial in trials:
        kind = trial.damage.split(" of ")[-1].split(" at ")[0]
        kinds.setdefault(kind, Counter())[trial.outcome] += 1
    for trial in trials:
        if trial.outcome.isupper():
            print(trial, flush=True)
    return [
        f"| {fault} | {kind} | {sum(found.values())} | {', '.join(f'{n} {what}' for what, n in found.most_common())} |"
        for kind, found in sorted(kinds.items())
    ]


def _decide(path: Path, heard: Connection) -> None:
    with Project(path) as project:
        while True:
            try:
                heard.send(project.record(EditDefinition(ROOT_ID, TEXT), author=str(os.getpid())).sequence)
            except StoreError:
                heard.send(0)


def _lost(path: Path, acknowledged: set[int]) -> int:
    """Return how many acknowledged decisions are not there; a project that is damaged or does not open has lost all."""
    if database_problems(path / "project.db"):
        return len(acknowledged)
    with Project(path) as project:
        return len(acknowledged - {entry.sequence for entry in project.log()})


def _killed() -> str:
    """Kill writers, two at a time, at random moments."""
    processes, chance = get_context("fork"), random.Random(23)
    with create_project("Killed") as project:
        path = project.path
    acknowledged: set[int] = set()
    n_lost = 0
    for _ in range(N_KILLS // 2):
        pairs = []
        for _ in range(2):
            receiver, sender = processes.Pipe(duplex=False)
            writer = processes.Process(target=_decide, args=(path, sender))
            writer.start()
            sender.close()
            pairs.append((writer, receiver))
        acknowledged |= {receiver.recv() for _, receiver in pairs}
        time.sleep(chance.uniform(0, 0.03))
        for writer, receiver in pairs:
            os.kill(writer.pid or 0, signal.SIGKILL)
            acknowledged |= _rest(receiver)
            writer.join()
        n_lost += _lost(path, acknowledged - {0})
    return f"| kill -9 | writers | {N_KILLS} | {len(acknowledged - {0}):,} decisions acknowledged, {n_lost} lost |"


def _rest(receiver: Connection) -> set[int]:
    heard = set()
    try:
        while True:
            heard.add(receiver.recv())
    except (EOFError, OSError):
        return heard


def _full(disk: Path) -> str:
    """Fill a small disk while decisions are recorded, free it, and look, again and again."""
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={_SMALL_DISK}", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        return "| full disk | a small tmpfs | 0 | a disk cannot be mounted here |"
    os.environ["TAXOCOM_HOME"] = str(disk / "home")
    chance, ballast = random.Random(24), disk / "ballast"
    acknowledged: set[int] = set()
    n_refused = n_lost = n_projects = 0
    try:
        while n_refused < N_FULL:
            n_projects += 1
            with create_project(f"Full {n_projects}") as project:
                path = project.path
            acknowledged.clear()
            for _ in range(10):
                usage = os.statvfs(disk)
                room = chance.randrange(200_000)
                ballast.write_bytes(b"x" * max(0, usage.f_bavail * usage.f_frsize - room))
                try:
                    with Project(path) as project:
                        for _ in range(500):
                            acknowledged.add(project.record(EditDefinition(ROOT_ID, TEXT), author="Ada").sequence)
                except StoreError:
                    n_refused += 1
                ballast.unlink()
                n_lost += _lost(path, acknowledged)
            subprocess.run(["rm", "-rf", str(disk / "home")], check=True)
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)
    return f"| full disk | a small tmpfs | {n_refused} | refused each time, {n_lost} acknowledged decisions lost |"
