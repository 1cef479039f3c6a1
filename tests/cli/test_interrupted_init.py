"""`taxocom init` killed or interrupted at any moment leaves no half project, and can be run again."""

import json
import multiprocessing
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from taxocom.cli import main
from taxocom.store import delete_project, list_projects, open_project

N_KILLS = 8
N_DOCUMENTS = 600


@pytest.fixture
def arguments(tmp_path: Path, seed: Path, home: Path) -> list[str]:
    corpus = tmp_path / "large.jsonl"
    words = random.Random(3)
    names = ["football", "goal", "court", "judge", *(f"word{i}" for i in range(400))]
    with corpus.open("w") as file:
        for i in range(N_DOCUMENTS):
            file.write(json.dumps({"id": i, "text": " ".join(words.choices(names, k=60))}) + "\n")
    return ["--home", str(home), "init", "large", "--corpus", str(corpus), "--seed", str(seed)]


def run_init(arguments: list[str]) -> None:
    main([*arguments, "--quiet"])


@pytest.mark.slow
def test_init_killed_at_random_moments_leaves_a_whole_project_or_none(arguments: list[str], home: Path) -> None:
    # The fork server (conftest.py) has made a project already: the kills fall into the work, not into what it loads.
    context = multiprocessing.get_context("forkserver")

    def spawn() -> "multiprocessing.context.ForkServerProcess":
        process = context.Process(target=run_init, args=(arguments,))
        process.start()
        return process

    seconds = 0.0
    # The first one is slower than those that are killed.
    for _ in range(2):
        _delete_whole()
        began = time.monotonic()
        process = spawn()
        process.join()
        seconds = time.monotonic() - began
        assert process.exitcode == 0
    n_without = 0
    for moment in range(N_KILLS):
        _delete_whole()
        process = spawn()
        time.sleep(random.Random(moment).uniform(0, seconds))
        process.kill()
        process.join()
        n_without += not list_projects()
    _delete_whole()
    process = spawn()
    process.join()
    assert process.exitcode == 0
    assert len(list_projects()) == 1
    assert list((home / "work").iterdir()) == [], "what the killed ones left was swept"
    assert n_without > 0, "no kill came before the end: the test shows nothing"


def _delete_whole() -> None:
    """Check every project there is to be whole, and delete it."""
    for summary in list_projects():
        assert summary.problem == ""
        with open_project(summary.path.name) as project:
            assert project.corpus().n_documents == N_DOCUMENTS
            assert len(project.taxonomy()) == 4
            assert project.problems() == []
            delete_project(project)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_init_says_so_and_cleans_up(arguments: list[str], home: Path, number: signal.Signals) -> None:
    process = subprocess.Popen([sys.executable, "-m", "taxocom", *arguments], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopping" in said
    assert said.splitlines()[-1] == "taxocom: cancelled. Nothing was kept."
    assert list_projects() == []
    assert list((home / "work").iterdir()) == []
