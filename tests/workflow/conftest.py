"""A project read once and copied for each test that wants it: what a test decides is its own."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from taxocom.store import Project, create_project, open_project
from tests.store.test_document_places import mixed_documents, read_in, write_texts
from tests.ui.fabricate import seed_tree


@pytest.fixture(scope="session")
def read_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("read")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(folder / "home"))
        patch.setenv("TAXOCOM_LEXICON", "off")
        with create_project("News", seed=seed_tree()) as made:
            read_in(made, write_texts(folder / "texts.jsonl", mixed_documents()))
    return folder


@pytest.fixture
def news(tmp_path: Path, read_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    shutil.copytree(read_home, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    with open_project("News") as opened:
        yield opened
