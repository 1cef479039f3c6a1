"""Open proposals and corpora hold memory, not file handles, of which a process has few."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from taxocom.store import Project
from taxocom.text.corpus import Corpus, open_corpus
from taxocom.text.indexing import build_corpus
from tests.ui.fabricate import documents

N_PROPOSALS, N_HANDLES = 500, 256


@pytest.fixture
def few_handles() -> Iterator[None]:
    """Leave so many handles to this test: what earlier tests of the process hold open is not counted."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    in_use = max(int(held.name) for held in Path("/proc/self/fd").iterdir()) + 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (in_use + N_HANDLES, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def handles(folder: Path) -> int:
    """Count what this process has open in a folder: elsewhere libraries and other threads come and go."""
    inside = os.path.realpath(folder)
    return sum(os.path.realpath(held).startswith(inside) for held in Path("/proc/self/fd").iterdir())


def test_five_hundred_proposals_are_open_at_once_with_few_handles(project: Project, few_handles: None):
    arrays = {f"part{number}": np.arange(1000) + number for number in range(17)}
    saved = project.save_proposal("sport", {}, arrays, sequence=0, settings={})
    held = [project.load_proposal(saved.proposal_id)]
    before = handles(project.path)
    held.extend(project.load_proposal(saved.proposal_id) for _ in range(N_PROPOSALS - 1))
    assert handles(project.path) <= before
    assert all(int(each.arrays["part16"][-1]) == 1015 for each in held)


def test_an_open_corpus_holds_no_handle(tmp_path: Path):
    build_corpus(iter(documents(60)), tmp_path)
    open_corpus(tmp_path)
    before = handles(tmp_path)
    held: list[Corpus] = [open_corpus(tmp_path) for _ in range(20)]
    assert handles(tmp_path) <= before
    assert len({corpus.texts[3] for corpus in held}) == 1
    assert int(held[-1].counts.sum()) == held[-1].n_tokens
