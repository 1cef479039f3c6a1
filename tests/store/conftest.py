from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from taxocom.store import Project, create_project, open_project
from taxocom.store.db.postgres import let_go_of_servers
from taxocom.store.homes.moving import put_on_server
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from tests.postgres import running_server

# These are about the files of SQLite, or about no database at all.
OF_FILES = {
    "test_array_file",
    "test_damaged_projects",
    "test_files_and_locks",
    "test_flipped_bits",
    "test_handles",
    "test_killed_while_recording",
    "test_lexicon_files",
    "test_logs",
    "test_memory",
    "test_private",
    "test_turns",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is true of every database on both."""
    if "kept" in metafunc.fixturenames:
        file = metafunc.module.__name__.rpartition(".")[2]
        both = file not in OF_FILES and metafunc.definition.get_closest_marker("sqlite") is None
        metafunc.parametrize("kept", ["file", "server"] if both else ["file"], indirect=True, scope="function")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with running_server() as address:
        yield address
        let_go_of_servers()


@pytest.fixture
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where projects are kept: in a file each, or on a server."""
    monkeypatch.delenv("TAXOCOM_DATABASE_URL", raising=False)
    if request.param == "server":
        monkeypatch.setenv("TAXOCOM_DATABASE_URL", request.getfixturevalue("server"))
    return str(request.param)


@pytest.fixture
def home(kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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
    for path in (home / "projects").iterdir():
        put_on_server(path)
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
