"""A page speaks of files as people know them; where they lie on the server is nobody's business."""

from pathlib import Path

import pytest

from taxocom.serving import guard
from taxocom.store import create_project, home
from taxocom.store.homes.uploads import Uploads
from taxocom.ui.runtime.telling import without_places


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))


def test_an_upload_is_called_by_its_own_name():
    uploads = Uploads()
    path = uploads.keep("1", "articles.csv", b"x")
    assert without_places(f"{path}, line 3: 4 cells.") == "articles.csv, line 3: 4 cells."
    with create_project("News") as project:
        kept = project.artifact_path(project.put_bytes(b"x", "upload", extension="csv.gz").name)
        assert without_places(f"{kept}, line 3: 4 cells.") == "the uploaded file, line 3: 4 cells."
    assert without_places("/tmp/taxocom-restore-ab12_x/backup.zip is damaged.") == "backup.zip is damaged."


def test_strangers_are_told_nothing_of_the_disk(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(guard.HOSTS, "topics.example.org")
    with create_project("News") as project:
        path = project.path
    for said in (
        f"{path}/project.db is damaged (malformed). Restore it.",
        f"Cannot write {path}/work/corpus-12: the disk is full.",
        f"There is no project 'x' in {home()}. Projects: none yet.",
        f"Details are in {path}/logs/job-1-1.log.",
        f"Cannot use {home()}: it is not writable. Make it writable.",
    ):
        shown = without_places(said)
        assert str(home().parent) not in shown
        assert shown.endswith((".", "!"))
    assert without_places(f"{path}/project.db is damaged.") == f"the database of {path.name} is damaged."
