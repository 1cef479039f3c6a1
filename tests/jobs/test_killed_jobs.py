"""kill -9 at random moments of an init and of a job: the project opens, and the work can be run again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
import warm

from taxocom import jobs
from taxocom.store import Project, create_project, list_projects, open_project
from taxocom.taxonomy.decisions import AddTopic
from taxocom.taxonomy.tree import ROOT_ID, TopicNode

_KILLS = 10


class Victims:
    """Inits forked one after another from a warm process."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, warm.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def close(self) -> None:
        self._server.communicate()

    def live(self, home: Path, moment: float | None = None) -> float:
        """Let one init run in a home, killed after `moment` seconds if given; return how long it took."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(f"{home}\n")
        self._server.stdin.flush()
        pid = int(self._server.stdout.readline().split()[1])
        start = time.monotonic()
        if moment is not None:
            time.sleep(moment)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while self._server.stdout.readline() != "over\n":
            pass
        return time.monotonic() - start


@pytest.mark.slow
def test_an_init_killed_at_any_moment_can_be_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = warm.write_corpus(tmp_path)
    stages = {"nothing": 0, "project": 0, "corpus": 0}
    with closing(Victims()) as victims:
        victims.live(tmp_path / "first")
        duration = victims.live(tmp_path / "measured")
        for kill in range(_KILLS):
            home = tmp_path / f"home {kill}"
            moment = duration * (kill + random.random()) / _KILLS
            victims.live(home, moment)
            monkeypatch.setenv("TAXOCOM_HOME", str(home))
            stages[_found_and_finished(home, source, moment)] += 1
    assert stages["nothing"] > 0, stages
    assert stages["project"] > 0, stages


def _found_and_finished(home: Path, source: Path, moment: float) -> str:
    """Check what a killed init left, run it again, check what came of it; return what was found at first."""
    found = list_projects()
    assert [summary.problem for summary in found] in ([], [""]), moment
    has_corpus = bool(found) and found[0].has_corpus
    if not has_corpus:
        warm.init(source)
    with open_project("News") as project:
        assert project.seed() == warm.seed()
        assert project.corpus().n_documents == warm.N_DOCUMENTS
        assert project.problems() == []
        assert list((project.path / "work").iterdir()) == []
    if found:
        # Killed once the project is there, an init leaves its mark to whoever makes the next one.
        create_project("Next").close()
    assert list((home / "work").iterdir()) == []
    return "corpus" if has_corpus else "project" if found else "nothing"


@pytest.mark.slow
def test_a_job_killed_at_any_moment_can_be_run_again(project: Project) -> None:
    params = {"n": 20, "pause": 0.01}
    job = jobs.submit(project, "toy.publishes", params)
    whole = jobs.wait_for(project, job.job_id, timeout=60)
    assert whole.state == "done"
    duration = 0.7
    job = jobs.submit(project, "toy.publishes", {**params, "text": "other"})
    n_failed = 0
    for kill in range(_KILLS):
        logged = project.record(AddTopic(ROOT_ID, TopicNode(f"n{kill}", f"Topic {kill}")), author="Ada")
        time.sleep(duration * random.random())
        worker = project.job_table.get(job.job_id)
        if not worker.is_over:
            assert worker.pid is not None
            os.kill(worker.pid, signal.SIGKILL)
        ended = jobs.wait_for(project, job.job_id, timeout=60)
        assert ended.state in ("failed", "done")
        n_failed += ended.state == "failed"
        with open_project("News") as again:
            assert again.sequence == logged.sequence
            served = again.used_for("toy")
            assert served is not None
            assert len(list(again.artifact_path(served.name).iterdir())) == 20, "served by a whole one, old or new"
            assert again.problems() == []
            assert list((again.path / "work").iterdir()) == []
        job = jobs.rerun(project, job.job_id)
    assert n_failed > _KILLS / 2
    last = jobs.wait_for(project, job.job_id, timeout=60)
    assert (last.state, last.attempt) == ("done", _KILLS + 1)
    assert project.used_for("toy").name == last.result["artifact"] != whole.result["artifact"]
