from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from taxocom.errors import StoreError
from taxocom.store import DamagedError, Project, list_projects, open_project
from taxocom.store.db import database, migrate, postgres
from taxocom.store.db.database import Database
from taxocom.store.db.project_database import ProjectDatabase
from taxocom.store.db.schema import HEAD, metadata
from taxocom.store.db.which_database import open_database
from taxocom.taxonomy.decisions import RenameTopic

_NEXT = """
from alembic import op
import sqlalchemy as sa
revision, down_revision, branch_labels, depends_on = "9999", "{head}", None, None

def upgrade():
    op.add_column("artifacts", sa.Column("colour", sa.Text()))
    {more}
"""


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Make this code one revision newer than the projects it finds."""

    def upgrade(more: str = "pass") -> None:
        folder = tmp_path / "migrations"
        shutil.copytree(Path(migrate.__file__).with_name("migrations"), folder)
        (folder / "versions" / "rev_9999_next.py").write_text(_NEXT.format(head=HEAD, more=more))
        monkeypatch.setattr(migrate, "_migrations", lambda: folder)
        monkeypatch.setattr(migrate, "HEAD", "9999")
        monkeypatch.setattr(database, "HEAD", "9999")
        monkeypatch.setattr(postgres, "HEAD", "9999")

    return upgrade


def _columns(opened: ProjectDatabase) -> list[str]:
    with closing(opened), opened.read() as connection:
        return list(connection.execute(text("SELECT * FROM artifacts")).keys())


def test_the_migrations_make_the_tables_that_the_code_names(project: Project, kept: str) -> None:
    n_added = 2 if kept == "server" else 0
    opened = open_database(project.path)
    with opened.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        differences = compare_metadata(context, metadata)
    opened.close()
    # SQLite numbers rows as they come by itself.
    assert [(what, column.name) for what, _, _, column in differences] == [("remove_column", "rowid")] * n_added
    assert migrate.known_revisions()[0] == HEAD


def test_an_older_project_is_upgraded_when_opened_after_a_copy(project: Project, next_version, kept: str) -> None:
    logged = project.record(RenameTopic("sport", "Sports"), author="Ada")
    next_version()
    with open_project("News") as upgraded:
        assert upgraded.log() == [logged]
        upgraded.record(RenameTopic("sport", "Games"), author="Ada")
    assert "colour" in _columns(open_database(project.path))
    if kept == "file":
        assert "colour" not in _columns(Database(project.path / "project.db.before-9999"))


def test_a_process_of_the_older_version_stops_writing(project: Project, next_version, monkeypatch) -> None:
    next_version()
    open_project("News").close()
    monkeypatch.setattr(database, "HEAD", HEAD)
    monkeypatch.setattr(postgres, "HEAD", HEAD)
    with pytest.raises(StoreError, match=f"has the schema 9999 and this process writes {HEAD}"):
        project.record(RenameTopic("sport", "Games"), author="Ada")
    assert project.sequence == 0


def test_a_failed_upgrade_leaves_the_project_as_it_was(project: Project, next_version, monkeypatch) -> None:
    project.record(RenameTopic("sport", "Sports"), author="Ada")
    next_version("1 / 0")
    with pytest.raises(ZeroDivisionError):
        open_project("News")
    assert "colour" not in _columns(open_database(project.path))
    monkeypatch.setattr(migrate, "HEAD", HEAD)
    monkeypatch.setattr(database, "HEAD", HEAD)
    monkeypatch.setattr(postgres, "HEAD", HEAD)
    with Project(project.path) as reopened:
        assert reopened.sequence == 1


def test_a_newer_project_is_refused_and_left_alone(project: Project) -> None:
    opened = open_database(project.path)
    with opened.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '7777'"))
    opened.close()
    with pytest.raises(StoreError, match=f"newer version.*its schema is 7777.*up to {HEAD}"):
        open_project("News")
    assert [summary.name for summary in list_projects()] == ["News"]


@pytest.mark.sqlite
def test_a_project_from_before_the_hashes_gets_them_and_a_head(project: Project) -> None:
    logged = [project.record(RenameTopic("sport", name), author="Ada") for name in ("Sports", "Games")]
    project.close()
    with closing(sqlite3.connect(project.path / "project.db")) as connection:
        connection.execute("ALTER TABLE decisions DROP COLUMN hash")
        connection.execute("ALTER TABLE releases DROP COLUMN artifact")
        connection.execute("DROP TABLE seals")
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
    (project.path / "project.head").unlink()
    with open_project("News") as upgraded:
        assert upgraded.log() == logged
        upgraded.record(RenameTopic("sport", "Play"), author="Ada")
        assert upgraded.problems() == []
    with closing(sqlite3.connect(project.path / "project.db")) as connection:
        connection.execute("DROP TRIGGER decisions_no_update")
        connection.execute("UPDATE decisions SET author = 'Eve' WHERE sequence = 1")
        connection.commit()
    with pytest.raises(DamagedError, match="decision 1 is not what was recorded"):
        open_project("News")
