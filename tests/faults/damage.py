"""Flips and cuts over a project's database, write-ahead log, head and artifacts, each opened in another process.

`python -m tests.faults.damage SNAPSHOT HOME SEED N` damages N copies of a project, one after the other, opens each and
reads all that it holds, and prints one line of JSON for each. A trial without a line is one that ended the process.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from taxocom.errors import TaxocomError
from taxocom.store import Project
from taxocom.store.disk.whole_files import link_or_copy, remove
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import AddNote, AddTopic, EditDefinition, Undo
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from tests.ui.fabricate import fabricate_project

N_DECISIONS = 120
_SMALL = ("project.db", "project.db-wal", "project.head")


@dataclass(frozen=True)
class Trial:
    """One damage and what came of it: detected, the same, or changed (which is a failure)."""

    number: int
    damage: str
    outcome: str
    said: str = ""


def snapshot(home: Path, folder: Path) -> Path:
    """Make a project with something in every table and artifacts of every kind; copy it with a full write-ahead log."""
    os.environ["TAXOCOM_HOME"] = str(home)
    with fabricate_project("Damaged").project as project:
        document_places(project)
        project.set_about(description="a project to damage")
        project.set_preference("Ada", "draft/root", {"names": {"c1": "a name in the making"}, "sequence": 3})
        _decide(project, range(N_DECISIONS // 6))
        project.freeze_release("2026-11", author="Ada", note="the first")
        path = project.path
    # Closing folded the log into the database; what follows is in the log alone.
    with Project(path) as project:
        _decide(project, range(N_DECISIONS // 6, N_DECISIONS // 3))
        project.job_table.add("expand", {"node_id": ROOT_ID}, "Ada")
        shutil.copytree(project.path, folder)
    (folder / "project.db-shm").unlink()
    assert (folder / "project.db-wal").stat().st_size > 100_000
    return folder


def _decide(project: Project, numbers: range) -> None:
    for number in numbers:
        topic = TopicNode(f"t{number}", f"Topic {number}")
        project.record(AddTopic(ROOT_ID, topic), author="Ada", why="it was missing")
        project.record(EditDefinition(f"t{number}", "What it is about. " * 8), author="Ben")
        project.record(AddNote(f"t{number}", f"a note, the {number}th") if number % 5 else Undo(), author="Ada")


def fingerprint(path: Path) -> str:
    """Read all that a project holds, tables and artifacts, and return a digest of it."""
    with Project(path) as project:
        held = [
            *(project.seed(), project.taxonomy(), project.log(), project.history(), project.releases()),
            *(project.about(), project.people(), project.preferences("Ada"), project.proposals()),
            *(project.artifacts(), project.purposes(), project.job_table.all(), project.problems()),
        ]
        held += [project.artifact_path(artifact.name).name for artifact in project.artifacts()]
        held.append([project.corpus().texts[row] for row in range(5)])
        held += [project.load_proposal(record.proposal_id).metadata for record in project.proposals()]
    return hashlib.sha256(repr(held).encode()).hexdigest()


def damaged_copy(source: Path, target: Path, chance: random.Random) -> str:
    """Copy a project and flip a bit or cut a file of the copy; return what was done."""
    remove(target)
    target.mkdir(parents=True)
    for name in _SMALL:
        shutil.copyfile(source / name, target / name)
    for artifact in (source / "artifacts").iterdir():
        link_or_copy(artifact, target / "artifacts" / artifact.name)
    (target / "work").mkdir()
    artifacts = sorted(path for path in (target / "artifacts").rglob("*") if path.is_file())
    kinds = ["project.db"] * 4 + ["project.db-wal"] * 4 + ["project.head", "artifact"]
    kind = chance.choice(kinds)
    file = chance.choice(artifacts) if kind == "artifact" else target / kind
    data = bytearray(file.read_bytes())
    place = chance.randrange(len(data))
    if chance.random() < 0.8:
        data[place] ^= 1 << chance.randrange(8)
        done = f"flip of a bit of byte {place} of {kind}"
    else:
        del data[place:]
        done = f"cut of {kind} at {place}"
    file.unlink()
    file.write_bytes(data)
    return done


def trials(source: Path, home: Path, seed: int, n: int) -> Iterator[Trial]:
    """Damage, open and read, `n` times."""
    os.environ["TAXOCOM_HOME"] = str(home)
    chance = random.Random(seed)
    whole = home / "projects" / "whole"
    shutil.copytree(source, whole)
    expected = fingerprint(whole)
    for number in range(n):
        target = home / "projects" / "damaged"
        damage = damaged_copy(source, target, chance)
        try:
            yield Trial(number, damage, "the same" if fingerprint(target) == expected else "CHANGED")
        except TaxocomError as error:
            yield Trial(number, damage, "detected", str(error))
        # Whatever else is raised reaches a page as a stack of calls.
        except Exception as error:
            yield Trial(number, damage, "RAISED", repr(error))


def run_trials(source: Path, home: Path, seed: int, n: int) -> list[Trial]:
    """Run trials in a process of their own; the one that ended it, if any, is the last and says so."""
    command = [sys.executable, "-m", "tests.faults.damage", str(source), str(home), str(seed), str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [Trial(**json.loads(line)) for line in done.stdout.splitlines()]
    if len(found) < n:
        found.append(Trial(len(found), "", "DIED", f"exit code {done.returncode}: {done.stderr[-2000:]}"))
    return found


if __name__ == "__main__":
    for each in trials(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])):
        print(json.dumps(asdict(each)), flush=True)
