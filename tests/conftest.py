"""What holds for every test: no worker of a job outlives the tests that started it, and none is timed."""

import multiprocessing
from collections.abc import Iterator

import psutil
import pytest
from hypothesis import settings

# No test judges how long something takes: a busy machine is no fault of the code.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# Processes of tests are forked from one that has loaded and compiled what they need; there is one such, for all tests
# of this process, and it starts when the first of them asks.
multiprocessing.get_context("forkserver").set_forkserver_preload(["alembic.command", "tests.cli.warm_init"])


@pytest.fixture(scope="session", autouse=True)
def no_worker_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """End the workers on projects of this run: a job outlives its submitter, so that of a failed test would stay."""
    yield
    ours = str(tmp_path_factory.getbasetemp())
    for process in psutil.process_iter(["cmdline"]):
        command = process.info["cmdline"] or []
        if "taxocom.jobs.worker" in command and any(argument.startswith(ours) for argument in command):
            process.kill()
