"""Many texts are tagged by several processes: the same answers, in the same order, or a word about what went wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from taxocom.errors import InputError
from taxocom.store import Project
from taxocom.store.projects import tagging_pool
from taxocom.store.projects.project_tagger import project_tagger
from taxocom.store.projects.tagged_files import TaggingWishes, tag_file
from taxocom.store.projects.tagging_pool import Question, tags_of
from taxocom.text.input.loading import sniff
from tests.browser.serving import ROOT
from tests.store.test_document_places import mixed_documents, write_texts
from tests.workflow.conftest import news, read_home

__all__ = ["news", "read_home"]

NEW = mixed_documents(200, random_state=7, first=1000)


@pytest.fixture
def by_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging_pool, "BATCH", 25)
    monkeypatch.setattr(tagging_pool, "WORTH_IT", 50)
    monkeypatch.setattr(tagging_pool, "_cores", lambda: 2)


def test_several_processes_write_the_bytes_that_one_writes(
    news: Project, tmp_path: Path, by_two: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, tagger = sniff(write_texts(tmp_path / "new.jsonl", NEW)), project_tagger(news)
    wishes = TaggingWishes(least=0.1, n_terms=3)
    assert tag_file(tagger, source, tmp_path / "two.csv", wishes).n_texts == len(NEW)
    monkeypatch.setattr(tagging_pool, "_cores", lambda: 1)
    tag_file(tagger, source, tmp_path / "one.csv", wishes)
    assert (tmp_path / "two.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()


ASKER = """
import sys
from taxocom import Tagger
from taxocom.store.projects import tagging_pool
from taxocom.text.input.documents import Document
tagging_pool.WORTH_IT = tagging_pool.BATCH = 5
tagging_pool._cores = lambda: 2
texts = (Document(str(number), "the football match") for number in range(10_000))
found = tagging_pool.tags_of(Tagger.load(sys.argv[1]), texts, tagging_pool.Question(0.3, 0))
next(found)
print("tagging", flush=True)
sys.stdin.read()
"""


def test_no_process_is_left_when_the_one_that_asks_is_killed(news: Project, tmp_path: Path) -> None:
    (tmp_path / "tagger.zip").write_bytes(project_tagger(news).to_bytes())
    words = [sys.executable, "-c", ASKER, str(tmp_path / "tagger.zip")]
    asking = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with asking:
        assert asking.stdout is not None
        assert asking.stdout.readline() == "tagging\n"
        tagging = [each for each in psutil.Process(asking.pid).children() if "spawn_main" in " ".join(each.cmdline())]
        assert len(tagging) == 2
        asking.kill()
        gone, alive = psutil.wait_procs(tagging, timeout=60)
    assert len(gone) == 2
    assert alive == []


def test_a_process_that_is_killed_is_told_and_nothing_half_is_left(news: Project, tmp_path: Path, by_two: None) -> None:
    asked = tags_of(project_tagger(news), NEW, Question(0.3, 0))
    next(asked)
    for child in psutil.Process().children(recursive=True):
        if "spawn_main" in " ".join(child.cmdline()):
            os.kill(child.pid, signal.SIGKILL)
    with pytest.raises(InputError, match="ended from outside"):
        list(asked)
