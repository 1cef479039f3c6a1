"""Whatever befalls the machine, what was acknowledged is there, the project opens, and work goes on."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from taxocom.errors import StoreError
from taxocom.store import Project, create_project, open_project
from taxocom.store.db import database
from taxocom.store.db.proof import database_problems
from taxocom.taxonomy.decisions import AddNote, AddTopic
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from tests.faults.writer import Writer

_KILLS = 5


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    with create_project("News") as project:
        return project.path


def check(path: Path, *writers: Writer) -> None:
    """Everything that was acknowledged is there, in order, and the next decision is taken."""
    assert database_problems(path / "project.db") == []
    with Project(path) as project:
        log = project.log()
        assert [entry.sequence for entry in log] == list(range(1, len(log) + 1))
        for writer in writers:
            own = {entry.sequence for entry in log if entry.author == writer.name}
            assert set(writer.decisions) <= own
            assert len(own) <= len(writer.decisions) + len(writer.refused) + 1
            assert project.preferences(writer.name).get("draft", 0) >= max(writer.drafts)
        project.record(AddNote(ROOT_ID, "going on"), author="Ada")
        assert project.problems() == []


@pytest.mark.slow
def test_kill_9_at_any_moment_loses_nothing(place: Path):
    chance = random.Random(0)
    for life in range(_KILLS):
        writers = [Writer(place, f"life {life} of {person}") for person in "AB"]
        for writer in writers:
            writer.hear(2)
        time.sleep(chance.uniform(0, 0.05))
        for writer in writers:
            writer.kill()
        check(place, *writers)


@contextmanager
def small_disk(folder: Path, n_bytes: int) -> Iterator[bool]:
    """Mount a disk of a few bytes on a folder; False where that is not allowed."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={n_bytes}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.slow
def test_a_full_disk_refuses_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    size = 3 * 2**20
    with small_disk(tmp_path / "disk", size) as is_small:
        monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "disk"))
        with create_project("News") as project:
            path = project.path
        writer = Writer(path, "Ben", None if is_small else size // 4)
        writer.hear_refusal()
        assert "Traceback" not in writer.refused[0]
        writer.hear(20)
        writer.kill()
        assert len(writer.decisions) > 10
        if is_small:
            with open_project("News") as project:
                assert set(writer.decisions) <= {entry.sequence for entry in project.log()}
            subprocess.run(["mount", "-o", f"remount,size={4 * size}", str(tmp_path / "disk")], check=True)
        check(path, writer)


@pytest.mark.slow
def test_a_folder_that_becomes_read_only_refuses_and_goes_on_later(place: Path):
    writer = Writer(place, "Ben")
    writer.hear(4)
    place.chmod(0o555)
    writer.hear_refusal()
    assert "not writable" in writer.refused[0]
    place.chmod(0o700)
    n_before = len(writer.decisions)
    while len(writer.decisions) < n_before + 3:
        writer.hear()
    writer.kill()
    check(place, writer)


_CLOSED_MEANWHILE = """
import sys
from pathlib import Path
from taxocom.errors import StoreError
from taxocom.store.db.head import read_head, replacing_head
from tests.faults.writer import be_nobody_special
be_nobody_special()
database = Path(sys.argv[1]) / "project.db"
try:
    with replacing_head(database, read_head(database)):
        database.parent.chmod(0o555)
except StoreError as error:
    print(error)
"""


def test_a_folder_that_closes_in_the_middle_of_a_commit_is_told_in_words(place: Path):
    ended = subprocess.run(
        [sys.executable, "-c", _CLOSED_MEANWHILE, place], capture_output=True, text=True, check=False
    )
    place.chmod(0o700)
    assert "not writable" in ended.stdout, ended.stderr
    check(place)


def test_a_locked_database_refuses_and_loses_nothing(place: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.2)
    with Project(place) as project:
        project.record(AddNote(ROOT_ID, "before"), author="Ada")
        with closing(sqlite3.connect(place / "project.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="another process has been writing"):
                project.record(AddNote(ROOT_ID, "meanwhile"), author="Ada")
            assert project.taxonomy().root.notes == ("before",)
            other.execute("ROLLBACK")
        project.record(AddNote(ROOT_ID, "after"), author="Ada")
        assert project.taxonomy().root.notes == ("before", "after")
    check(place)


def test_a_clock_that_goes_back_changes_no_order(place: Path):
    now = datetime(2026, 11, 18, tzinfo=UTC)

    def clock() -> datetime:
        nonlocal now
        now -= timedelta(days=1)
        return now

    with Project(place, clock=clock) as project:
        for number in range(5):
            project.record(AddTopic(ROOT_ID, TopicNode(f"t{number}", f"Topic {number}")), author="Ada")
            project.freeze_release(f"r{number}", author="Ada")
    with Project(place) as project:
        assert [node.node_id for node in project.taxonomy().walk()] == [f"t{n}" for n in range(5)]
        assert [release.name for release in project.releases()] == [f"r{n}" for n in range(5)]
        assert [len(release.taxonomy) for release in project.releases()] == [1, 2, 3, 4, 5]
    check(place)


@pytest.mark.parametrize("step", ["written", "committed"])
def test_a_crash_between_the_database_and_its_head_is_survived(place: Path, step: str):
    """The head is written before the commit and put in place after it: at both moments the project opens."""
    code = """
import os, sys
from pathlib import Path
from taxocom.store import Project
from taxocom.taxonomy.decisions import AddNote
with Project(Path(sys.argv[1])) as project:
    project.record(AddNote("root", "first"), author="Ada")
    if sys.argv[2] == "written":
        os.fsync = lambda descriptor: os._exit(1)
    else:
        Path.replace = lambda path, target: os._exit(1)
    project.record(AddNote("root", "second"), author="Ada")
"""
    import sys

    done = subprocess.run([sys.executable, "-c", code, str(place), step], check=False)
    assert done.returncode == 1
    with Project(place) as project:
        notes = project.taxonomy().root.notes
        assert notes == (("first",) if step == "written" else ("first", "second"))
    check(place)
