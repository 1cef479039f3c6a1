from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from taxocom.store import Project, create_project, open_project
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def _seed() -> Taxonomy:
    tree = Taxonomy.empty("News")
    tree = tree.with_topic(TopicNode("sport", "Sport", keywords=("match", "goal")), ROOT_ID)
    tree = tree.with_topic(TopicNode("soccer", "Soccer", alt_labels=("Fußball",)), "sport")
    return tree.with_topic(TopicNode("politics", "Politics"), ROOT_ID)


@pytest.fixture
def seed() -> Taxonomy:
    return _seed()


@pytest.fixture(scope="session")
def home_with_a_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home to copy: making a project takes a tenth of a second, and most tests want one."""
    made = tmp_path_factory.mktemp("template")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(made))
        create_project("News", seed=_seed()).close()
    return made


@pytest.fixture
def project(home: Path, home_with_a_project: Path) -> Iterator[Project]:
    shutil.copytree(home_with_a_project, home)
    with open_project("News") as opened:
        yield opened


class SteppingClock:
    """A clock that moves a second at every look."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()
