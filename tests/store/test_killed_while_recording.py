"""kill -9 at random moments: what was acknowledged is there, and the project goes on."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pytest

from taxocom.errors import StoreError
from taxocom.store import Project, create_project, list_projects, open_project
from taxocom.taxonomy.decisions import AddTopic, replay
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode

_KILLS = 10
_context = multiprocessing.get_context("forkserver")


def _record_until_killed(path: Path, life: int, acknowledged: Connection) -> None:
    with Project(path) as project:
        for number in range(10_000):
            node = TopicNode(f"n{life}-{number}", f"Topic {life} {number}")
            logged = project.record(AddTopic(ROOT_ID, node), author=f"life {life}")
            acknowledged.send(logged.sequence)


def _save_until_killed(path: Path, life: int, acknowledged: Connection) -> None:
    with Project(path) as project:
        for number in range(10_000):
            arrays = {"x": np.full(50_000, life * 10_000 + number)}
            record = project.save_proposal("sport", {"n": number}, arrays, sequence=0, settings={})
            acknowledged.send(record.proposal_id)


def _lives(target, path: Path, moments: list[float]) -> list[int]:
    """Run `target` and kill it, once for each moment (counted from its first word); return what it acknowledged."""
    heard: list[int] = []
    for life, moment in enumerate(moments):
        receiver, sender = _context.Pipe(duplex=False)
        process = _context.Process(target=target, args=(path, life, sender))
        process.start()
        sender.close()
        heard.append(receiver.recv())
        time.sleep(moment)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        # What is in the pipe was sent after the store had said yes; a message may be cut by the kill.
        while receiver.poll():
            try:
                heard.append(receiver.recv())
            except (EOFError, OSError):
                break
    return heard


@pytest.mark.slow
def test_every_acknowledged_decision_survives(project: Project) -> None:
    moments = [random.uniform(0, 0.03) for _ in range(_KILLS)]
    heard = _lives(_record_until_killed, project.path, moments)
    with open_project("News") as again:
        log = again.log()
        assert set(heard) <= {entry.sequence for entry in log}, moments
        assert [entry.sequence for entry in log] == list(range(1, len(log) + 1))
        assert {entry.author for entry in log} == {f"life {life}" for life in range(_KILLS)}
        assert again.taxonomy() == replay(again.seed(), log)
        assert again.problems() == []
        again.record(AddTopic(ROOT_ID, TopicNode("last", "Last")), author="Ada")


@pytest.mark.slow
def test_every_acknowledged_proposal_survives_whole(project: Project) -> None:
    moments = [random.uniform(0, 0.03) for _ in range(5)]
    heard = _lives(_save_until_killed, project.path, moments)
    with open_project("News") as again:
        kept = {record.proposal_id for record in again.proposals()}
        assert set(heard) <= kept, moments
        for proposal_id in heard:
            values = again.load_proposal(proposal_id).arrays["x"]
            assert len(values) == 50_000
            assert (values == values[0]).all()
        assert again.problems() == []
        assert list((again.path / "work").iterdir()) == [], "the leavings of the dead are swept"


def _create_and_be_killed(home: str, seed: Taxonomy, n_calls: int, done: Connection) -> None:
    """Create a project and end at the n-th Python call of it, as if by kill -9 at that very moment."""
    import sys

    # The environment is that of the moment when the first process of this kind was started, by whichever test.
    os.environ["TAXOCOM_HOME"] = home
    os.environ.pop("TAXOCOM_DATABASE_URL", None)
    left = n_calls

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    create_project("News", seed=seed)
    sys.setprofile(None)
    done.send(n_calls - left)


@pytest.mark.slow
def test_a_project_appears_whole_or_not_at_all(home: Path, seed: Taxonomy, monkeypatch: pytest.MonkeyPatch) -> None:
    def attempt(where: Path, n_calls: int) -> int | None:
        receiver, sender = _context.Pipe(duplex=False)
        process = _context.Process(target=_create_and_be_killed, args=(str(where), seed, n_calls, sender))
        process.start()
        sender.close()
        process.join()
        return int(receiver.recv()) if process.exitcode == 0 else None

    total = attempt(home / "measured", 10**9)
    assert total is not None
    n_made = 0
    for kill in range(_KILLS):
        where = home / str(kill)
        # A moment from each part, the last ones denser: that is where the project comes into being.
        share = 1 - (1 - (kill + random.random()) / _KILLS) ** 2
        # It may get through, if another run took a few calls less.
        attempt(where, max(1, int(share * total)))
        monkeypatch.setenv("TAXOCOM_HOME", str(where))
        found = list_projects()
        assert [summary.problem for summary in found] in ([], [""]), share
        n_made += len(found)
        if not found:
            create_project("News", seed=seed).close()
        with open_project("News") as project:
            assert project.taxonomy() == seed
            assert project.problems() == []
        with pytest.raises(StoreError, match="already a project"):
            create_project("News")
        assert list((where / "work").iterdir()) == []
        assert len(list((where / "projects").iterdir())) == 1
    assert n_made < _KILLS, "no kill came before the project was there"
