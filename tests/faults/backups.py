"""Backups that somebody changed, restored in another process: refused, or a project of their own, and nothing else.

`python -m tests.faults.backups BACKUP HOME SEED N` changes a backup N times, restores each and looks at the home, and
prints one line of JSON for each. A trial without a line is one that ended the process.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from taxocom.errors import TaxocomError
from taxocom.store import empty_trash, list_projects, restore_project, trash_project
from tests.faults.damage import Trial, fingerprint

_OTHER = "Other"


def mutated(source: Path, target: Path, chance: random.Random) -> str:
    """Write a changed copy of a backup; half of the changes put the checksums right again. Return what was done."""
    if chance.random() < 0.3:
        data = bytearray(source.read_bytes())
        _scribble(data, chance)
        target.write_bytes(data)
        return "bytes of the zip"
    with zipfile.ZipFile(source) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(["project.db"] * 3 + sorted(members))
    data = bytearray(members[name])
    _scribble(data, chance)
    members[name] = bytes(data)
    is_hidden = name != "manifest.json" and chance.random() < 0.7
    if is_hidden:
        manifest = json.loads(members["manifest.json"])
        manifest["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(target, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    kind = "artifact" if name.startswith("artifacts/") else name
    return f"{kind}{', checksum put right' if is_hidden else ''}"


def _scribble(data: bytearray, chance: random.Random) -> None:
    if chance.random() < 0.1:
        del data[chance.randrange(len(data)) :]
    for _ in range(chance.choice((1, 1, 5, 30)) if data else 0):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def trials(backup: Path, home: Path, seed: int, n: int) -> Iterator[Trial]:
    """Change, restore and look around, `n` times."""
    os.environ["TAXOCOM_HOME"] = str(home)
    other = restore_project(backup, name=_OTHER)
    other.close()
    expected = fingerprint(other.path)
    chance, changed = random.Random(seed), home / "changed.zip"
    for number in range(n):
        damage = mutated(backup, changed, chance)
        outcome, said = "restored", ""
        try:
            restore_project(changed).close()
        except TaxocomError as error:
            outcome, said = "refused", str(error)
        # Whatever else is raised reaches a page as a stack of calls.
        except Exception as error:
            outcome, said = "RAISED", repr(error)
        found = list_projects()
        if [each.name for each in found if each.problem] or list((home / "work").iterdir()):
            outcome = "LEFT SOMETHING"
        for summary in found:
            if summary.name != _OTHER:
                trash_project(summary.path.name)
        empty_trash()
        if number % 25 == 0 and fingerprint(other.path) != expected:
            outcome = "CHANGED ANOTHER"
        yield Trial(number, damage, outcome, said)


def run_trials(backup: Path, home: Path, seed: int, n: int) -> list[Trial]:
    """Run trials in a process of their own; the one that ended it, if any, is the last and says so."""
    command = [sys.executable, "-m", "tests.faults.backups", str(backup), str(home), str(seed), str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [Trial(**json.loads(line)) for line in done.stdout.splitlines()]
    if len(found) < n:
        found.append(Trial(len(found), "", "DIED", f"exit code {done.returncode}: {done.stderr[-2000:]}"))
    return found


if __name__ == "__main__":
    for each in trials(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])):
        print(json.dumps(asdict(each)), flush=True)
