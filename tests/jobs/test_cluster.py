"""A real scheduler and two workers, each a process: the same results, whoever dies on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from taxocom import jobs
from taxocom.errors import JobError
from taxocom.jobs.cluster import ONE_THREAD
from taxocom.jobs.expand_task import expand_level
from taxocom.jobs.quality_tasks import stability
from taxocom.progress import SILENT
from taxocom.store import Project
from taxocom.store.projects.quality_runs import find_run, load_results
from taxocom.subprocesses import environment
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.planted import plant
from tests.jobs.planted_projects import planted_project

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]

_PATIENCE = 120.0


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A scheduler and two workers; a worker that was killed is not replaced."""
    folder = tmp_path_factory.mktemp("cluster")
    here = str(Path(__file__).parent)
    paths = os.pathsep.join([here, str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    settings = {**environment(), **ONE_THREAD, "PYTHONPATH": paths, "TAXOCOM_TASKS": "toy_tasks"}
    where = folder / "scheduler.json"
    scheduler = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(where)]
    worker = ["worker", "--scheduler-file", str(where), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    with ExitStack() as stack:
        for role in (scheduler, worker, worker):
            started = subprocess.Popen(
                [sys.executable, "-m", "dask", *role], cwd=folder, env=settings, stderr=subprocess.DEVNULL
            )
            stack.callback(started.wait)
            stack.callback(started.kill)
        yield _address(where)


def _address(where: Path) -> str:
    from distributed import Client

    _until(where.exists)
    with Client(scheduler_file=str(where), timeout=60, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        return str(client.scheduler.address)


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def begun(tmp_path: Path) -> Callable[[], list[list[str]]]:
    file = tmp_path / "begun"
    return lambda: [line.split() for line in file.read_text().splitlines()] if file.exists() else []


@pytest.fixture(scope="module")
def two_parents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    planted = plant(n_parents=2, n_children=3)
    missing = planted.gold.children_of(planted.gold.children_of(ROOT_ID)[0].node_id)[-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(tmp_path_factory.mktemp("home")))
        with planted_project(planted, planted.gold.without(missing.node_id)) as project:
            yield project


def test_a_level_is_the_same_on_a_cluster(two_parents: Project, cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> list[object]:
        result = expand_level(two_parents, {"settings": {"embedding": {"dim": 20}}, "threads": 1}, SILENT)
        kept = [two_parents.load_proposal(each) for each in result["proposal_ids"]]
        assert len(kept) == 2
        plain = [{name: value for name, value in each.metadata.items() if name != "seconds"} for each in kept]
        return [plain, [{name: array.tobytes() for name, array in each.arrays.items()} for each in kept]]

    here = found()
    monkeypatch.setenv("TAXOCOM_SCHEDULER", cluster)
    assert found() == here


def test_random_states_are_the_same_on_a_cluster(
    two_parents: Project, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> object:
        asked = {"settings": {"embedding": {"dim": 20}}, "threads": 1, "n_states": 2}
        run = find_run(two_parents, str(stability(two_parents, asked, SILENT)["run_id"]))
        assert run is not None
        return load_results(two_parents, run)

    here = found()
    monkeypatch.setenv("TAXOCOM_SCHEDULER", cluster)
    assert found() == here


def test_a_cancel_reaches_the_pieces(
    project: Project, cluster: str, tmp_path: Path, begun, until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAXOCOM_SCHEDULER", cluster)
    job = jobs.submit(project, "toy.pieces", {"folder": str(tmp_path), "n": 3})
    until(project, job.job_id, lambda job: job.stage == "Waiting" and 0 < job.fraction < 0.5)
    assert jobs.cancel(project, job.job_id).state == "cancelled"
    _until((tmp_path / "heard").exists)
    assert len(begun()) < 3
    assert {threads for _, _, threads in begun()} == {"1"}


def test_a_worker_that_is_killed_costs_its_piece_and_not_the_job(
    project: Project, cluster: str, tmp_path: Path, begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAXOCOM_SCHEDULER", cluster)
    job = jobs.submit(project, "toy.pieces", {"folder": str(tmp_path), "n": 4})
    _until(lambda: len(begun()) == 2)
    (lost, pid, _), (other, _, _) = begun()
    os.kill(int(pid), signal.SIGKILL)
    (tmp_path / "go").touch()
    done = jobs.wait_for(project, job.job_id, timeout=_PATIENCE)
    assert (done.state, done.message) == ("done", "")
    assert done.result == {"found": [f"News {number}" for number in range(4)]}
    times = Counter(number for number, _, _ in begun())
    assert (times[lost], times[other]) == (2, 1)


def test_a_cluster_that_is_not_there_is_told_with_the_remedy(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taxocom.jobs.cluster._ANSWER_SECONDS", 0.3)
    monkeypatch.setenv("TAXOCOM_SCHEDULER", "tcp://127.0.0.1:1")
    from toy_tasks import pieces

    with pytest.raises(JobError, match=r"No cluster answers at tcp://127\.0\.0\.1:1 .*`taxocom cluster` starts one"):
        pieces(project, {"folder": str(tmp_path), "n": 1}, SILENT)
