"""Real processes on one project: writers are serialised, a stale one is told, nothing is lost."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter
from pathlib import Path

from taxocom.errors import ConflictError
from taxocom.store import Project, backup_project, open_project, restore_project
from taxocom.taxonomy.decisions import AddNote, AddTopic
from taxocom.taxonomy.tree import TopicNode

_PROCESSES, _EACH = 4, 15
_context = multiprocessing.get_context("forkserver")


def _hammer(path: Path, address: str, writer: int) -> None:
    os.environ["TAXOCOM_DATABASE_URL"] = address
    with Project(path) as project:
        for number in range(_EACH):
            node = TopicNode(f"w{writer}n{number}", f"Topic {writer} {number}")
            project.record(AddTopic("sport", node), author=f"writer {writer}")


def _decide_on_what_was_seen(path: Path, address: str, writer: int) -> None:
    os.environ["TAXOCOM_DATABASE_URL"] = address
    with Project(path) as project:
        for _ in range(_EACH):
            while True:
                seen = project.sequence
                note = f"{writer} saw {len(project.taxonomy_at(seen)['sport'].notes)}"
                try:
                    project.record(AddNote("sport", note), author=f"writer {writer}", expected=seen)
                except ConflictError:
                    continue
                break


def _address() -> str:
    # The server that forks for us was started by another test, with the environment of that.
    return os.environ.get("TAXOCOM_DATABASE_URL", "")


def _run(target, path: Path) -> None:
    processes = [_context.Process(target=target, args=(path, _address(), writer)) for writer in range(_PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * _PROCESSES


def test_nothing_is_lost_when_four_processes_write_at_once(project: Project) -> None:
    _run(_hammer, project.path)
    assert [entry.sequence for entry in project.log()] == list(range(1, _PROCESSES * _EACH + 1))
    assert Counter(entry.author for entry in project.log()) == {f"writer {w}": _EACH for w in range(_PROCESSES)}
    assert len(project.taxonomy().children_of("sport")) == 1 + _PROCESSES * _EACH


def test_no_decision_stands_on_a_tree_that_its_writer_had_not_seen(project: Project) -> None:
    _run(_decide_on_what_was_seen, project.path)
    seen = [int(note.rpartition(" ")[2]) for note in project.taxonomy()["sport"].notes]
    # Each writer counted the notes it saw; if one had written over another's, a count would repeat.
    assert seen == list(range(_PROCESSES * _EACH))


def test_a_backup_made_while_others_write_is_a_moment_of_the_log(project: Project, tmp_path: Path) -> None:
    writer = _context.Process(target=_hammer, args=(project.path, _address(), 0))
    writer.start()
    while project.sequence < 3 and writer.is_alive():
        pass
    backup_project(project, tmp_path / "busy.taxocom")
    writer.join()
    with restore_project(tmp_path / "busy.taxocom") as restored, open_project("News") as original:
        n_kept = restored.sequence
        assert 3 <= n_kept <= _EACH
        assert restored.log() == original.log()[:n_kept]
        assert restored.problems() == []
