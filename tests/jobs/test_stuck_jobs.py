"""A job that hangs is ended in a stated time and says so; those behind it go on, in whatever project they are."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from taxocom import jobs
from taxocom.jobs import control
from taxocom.jobs.processes import identity, is_alive, this_host
from taxocom.jobs.worker import end_silent
from taxocom.store import JobRecord, Project, create_project
from taxocom.store.homes import job_queue

pytestmark = pytest.mark.slow
Until = Callable[..., JobRecord]
_LONG = {"n": 600, "pause": 0.1}


def _running(job: JobRecord) -> bool:
    return job.state == "running" and job.stage != ""


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of a few seconds, so that nobody waits for minutes."""
    monkeypatch.setenv("TAXOCOM_JOB_IDLE_SECONDS", "2")
    monkeypatch.setenv("TAXOCOM_JOB_SILENT_SECONDS", "30")


def test_work_that_waits_for_ever_is_ended_and_says_what_to_do(project: Project, short: None) -> None:
    submitted = jobs.submit(project, "toy.waits_for_ever")
    job = jobs.wait_for(project, submitted.job_id, timeout=60)
    assert job.state == "failed"
    assert "waited for 2 seconds and did nothing after it said 'Waiting for a lock'" in job.message
    assert "Run it again" in job.message
    assert "in waits_for_ever" in project.log_path(job).read_text()
    assert job.pid is not None
    # It says that it failed before it ends.
    until = time.monotonic() + 30
    while is_alive(job.pid, job.process) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_alive(job.pid, job.process)


def test_a_stuck_job_of_one_project_does_not_hold_up_another(project: Project, short: None, until: Until) -> None:
    stuck = jobs.submit(project, "toy.waits_for_ever")
    until(project, stuck.job_id, _running)
    with create_project("Other") as other:
        waiting = jobs.submit(other, "toy.count", {"n": 1})
        # Nobody looks at the project whose job hangs.
        assert jobs.wait_for(other, waiting.job_id, timeout=60).state == "done"


@pytest.mark.parametrize("kind", ["toy.works_in_silence", "toy.works_elsewhere"])
def test_work_that_is_silent_but_busy_goes_on(project: Project, short: None, kind: str) -> None:
    submitted = jobs.submit(project, kind, {"seconds": 4})
    assert jobs.wait_for(project, submitted.job_id, timeout=60).state == "done"


def test_work_that_is_busy_without_end_is_ended(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAXOCOM_JOB_IDLE_SECONDS", "2")
    monkeypatch.setenv("TAXOCOM_JOB_SILENT_SECONDS", "3")
    submitted = jobs.submit(project, "toy.works_in_silence", {"seconds": 120})
    job = jobs.wait_for(project, submitted.job_id, timeout=60)
    assert job.state == "failed"
    assert "made no progress" in job.message


@pytest.mark.parametrize("number", [signal.SIGSTOP, None], ids=["stopped", "holds the interpreter"])
def test_a_watcher_ends_a_worker_without_a_heartbeat(
    project: Project, until: Until, monkeypatch: pytest.MonkeyPatch, number: int | None
) -> None:
    submitted = jobs.submit(project, "toy.count" if number else "toy.holds_the_interpreter", _LONG)
    job = until(project, submitted.job_id, lambda job: job.state == "running")
    assert job.pid is not None
    if number:
        os.kill(job.pid, number)
    monkeypatch.setattr(control, "SILENCE_SECONDS", 3.0)
    ended = jobs.wait_for(project, submitted.job_id, timeout=60)
    assert (ended.state, ended.message) == ("failed", control.SILENT_WORKER)
    assert not is_alive(job.pid, job.process)


def test_one_who_waits_ends_a_silent_worker_before_it(project: Project, until: Until) -> None:
    silent = jobs.submit(project, "toy.count", _LONG)
    job = until(project, silent.job_id, _running)
    assert job.pid is not None
    os.kill(job.pid, signal.SIGSTOP)
    with job_queue.turn(project.path.parent.parent, "9", lambda: None, end=end_silent, silence=2.0):
        assert not is_alive(job.pid, job.process)
    ended = project.job_table.get(silent.job_id)
    assert (ended.state, ended.message) == ("failed", control.SILENT_WORKER)


def test_one_who_waits_in_silence_is_stepped_over(project: Project, until: Until) -> None:
    running = jobs.submit(project, "toy.count", _LONG)
    until(project, running.job_id, _running)
    waiting = jobs.submit(project, "toy.count", {"n": 1})
    job = until(project, waiting.job_id, lambda job: job.heartbeat is not None)
    queue = project.path.parent.parent / "queue"
    deadline = time.monotonic() + 30
    while not list(queue.glob("*.lock")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert job.pid is not None
    os.kill(job.pid, signal.SIGSTOP)
    jobs.cancel(project, running.job_id)
    with job_queue.turn(queue.parent, "9", lambda: None, silence=1.0):
        assert len(list(queue.glob("*.lock"))) == 1
    os.kill(job.pid, signal.SIGKILL)


@pytest.mark.parametrize("signature", ["", "nonsense", "[]", json.dumps(["elsewhere", 1, "x", "/", 1, 1])])
def test_a_signature_that_says_nothing_ends_nobody(signature: str) -> None:
    end_silent(signature)


def test_only_the_process_that_signed_is_ended(project: Project) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    end_silent(json.dumps([this_host(), other.pid, "another life", str(project.path), 1, 1]))
    assert identity(other.pid) is not None
    other.kill()
    other.wait()


def _with_limit(project: Project, kind: str, params: dict[str, object], gib: float) -> subprocess.CompletedProcess[str]:
    """Submit a job from a process whose memory is limited, as by `ulimit -v`, and wait for it there."""
    script = (
        "import json, resource, sys\nfrom pathlib import Path\nfrom taxocom import jobs\n"
        "from taxocom.store import Project\nlimit = int(float(sys.argv[4]) * 2**30)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "with Project(Path(sys.argv[1])) as project:\n"
        "    job = jobs.submit(project, sys.argv[2], json.loads(sys.argv[3]))\n"
        "    job = jobs.wait_for(project, job.job_id, timeout=120)\nprint(job.state, job.message)"
    )
    command = [sys.executable, "-c", script, str(project.path), kind, json.dumps(params), str(gib)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_job_that_may_not_have_the_memory_it_needs_says_so(project: Project) -> None:
    ended = _with_limit(project, "toy.needs_memory", {"mib": 4096}, 1.5)
    assert ended.stdout.startswith("failed The machine has not enough memory"), ended


@pytest.mark.parametrize("gib", [0.65, 1.2])
def test_an_index_job_under_a_limit_ends_with_words(project: Project, tmp_path: Path, gib: float) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "news.parquet"
    texts = [f"The {n} team won the match against the other {n * 7} team" for n in range(20_000)]
    pq.write_table(pa.table({"text": texts, "id": [str(n) for n in range(20_000)]}), file)
    ended = _with_limit(project, "index", {"source": str(file)}, gib)
    assert ended.stdout.startswith(("done", "failed The machine has not enough memory")), ended


def test_a_worker_that_was_stopped_for_long_goes_on_where_it_was(project: Project, short: None, until: Until) -> None:
    submitted = jobs.submit(project, "toy.count", {"n": 15, "pause": 0.1})
    job = until(project, submitted.job_id, _running)
    assert job.pid is not None
    os.kill(job.pid, signal.SIGSTOP)
    time.sleep(3.5)
    os.kill(job.pid, signal.SIGCONT)
    assert jobs.wait_for(project, submitted.job_id, timeout=60).state == "done"
