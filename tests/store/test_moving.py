"""A project moved between a file and a server: the same on both sides, and nobody writes to what is left."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text

from taxocom.errors import SettingsError, StoreError
from taxocom.store import Project, create_project, delete_project, empty_trash, list_projects, open_project
from taxocom.store.db.postgres import ServerDatabase
from taxocom.store.db.server_address import marker_of
from taxocom.store.db.which_database import open_database
from taxocom.store.homes.moving import move_tables
from taxocom.taxonomy.decisions import RenameTopic


def _fill(project: Project) -> None:
    for name in ("Sports", "Спорт ' \" \\ %s", "Sport\n\u2028"):
        project.record(RenameTopic("sport", name), author="Ada", why="because :why")
    project.freeze_release("first", author="Ada")
    for number in range(3):
        project.save_proposal("sport", {}, {"x": np.arange(number + 1)}, sequence=1, settings={"beta": 0.1 + 0.2})
    project.put_bytes(b"x", "blob", details={"n": 1.0, "none": None, "big": 2**60})
    project.set_preference("Ada", "page", 3)
    project.job_table.add("expand", {"node": "sport"}, "Ada")


def _told(project: Project) -> list[object]:
    return [
        project.log(),
        project.proposals(),
        project.artifacts(),
        project.purposes(),
        project.preferences("Ada"),
        project.job_table.all(),
        project.releases(),
        project.about(),
        project.taxonomy(),
    ]


def test_a_project_is_the_same_wherever_it_is_moved(project: Project, kept: str, server: str, monkeypatch) -> None:
    monkeypatch.setenv("TAXOCOM_DATABASE_URL", server)
    _fill(project)
    before = _told(project)
    there, back = ("server", "file") if kept == "file" else ("file", "server")
    for side in (there, back):
        with open_project("News") as opened:
            at = opened.path
        move_tables(at, side)
        with open_project("News") as moved:
            assert _told(moved) == before
            assert moved.problems() == []
            assert [summary.problem for summary in list_projects()] == [""]
    with open_project("News") as home_again:
        added = home_again.save_proposal("sport", {}, {"x": np.arange(9)}, sequence=3, settings={})
        assert added.proposal_id == 4
        assert home_again.record(RenameTopic("sport", "Games"), author="Ada").sequence == 4


def test_who_has_it_open_still_is_told_when_writing(project: Project, kept: str, server: str, monkeypatch) -> None:
    monkeypatch.setenv("TAXOCOM_DATABASE_URL", server)
    move_tables(project.path, "server" if kept == "file" else "file")
    with pytest.raises(StoreError, match=r"was moved to another database|tables are not on"):
        project.record(RenameTopic("sport", "Lost"), author="Eve")
    with open_project("News") as opened:
        assert opened.sequence == 0


def test_a_project_at_work_is_not_moved(project: Project, kept: str, server: str, monkeypatch) -> None:
    monkeypatch.setenv("TAXOCOM_DATABASE_URL", server)
    with project.working_place("job-3"), pytest.raises(StoreError, match=r"worked on \(job-3\)"):
        move_tables(project.path, "server" if kept == "file" else "file")
    with pytest.raises(StoreError, match="already"):
        move_tables(project.path, kept)


def test_what_goes_wrong_on_the_way_leaves_it_where_it_was(
    project: Project, kept: str, server: str, monkeypatch
) -> None:
    if kept == "server":
        move_tables(project.path, "file")
    monkeypatch.setenv("TAXOCOM_DATABASE_URL", server)
    monkeypatch.setattr("taxocom.store.db.transfer._digest", lambda connection, _: connection.dialect.name)
    with pytest.raises(StoreError, match="Nothing was moved"):
        move_tables(project.path, "server")
    assert not marker_of(project.path).exists()
    with open_project("News") as opened:
        opened.record(RenameTopic("sport", "Kept"), author="Ada")


def test_writers_of_different_rows_do_not_wait_for_each_other(
    project: Project, kept: str, server: str, monkeypatch
) -> None:
    """A writer in the middle of its work keeps out whoever decides too, and nobody else."""
    if kept == "file":
        monkeypatch.setenv("TAXOCOM_DATABASE_URL", server)
        move_tables(project.path, "server")
        project = open_project(project.path)
    with closing(open_database(project.path)) as held, held.write(turn="log") as connection:
        connection.execute(text("SELECT 1"))
        project.set_preference("Ada", "page", 1)
        project.put_bytes(b"beside", "blob")
        job = project.job_table.add("expand", {}, "Ada")
        assert project.job_table.start(job.job_id, job.attempt)
    assert project.record(RenameTopic("sport", "Sports"), author="Ada").sequence == 1


def test_an_emptied_trash_leaves_nothing_on_the_server(home: Path, server: str, monkeypatch) -> None:
    monkeypatch.setenv("TAXOCOM_DATABASE_URL", server)
    project = create_project("Gone")
    tables = ServerDatabase(project.path)
    with tables.read() as connection:
        connection.execute(text("SELECT 1 FROM decisions"))
    delete_project(project)
    assert empty_trash() == 1
    with pytest.raises(StoreError, match="not on"), tables.read() as connection:
        connection.execute(text("SELECT 1 FROM decisions"))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "Say which: TAXOCOM_DATABASE_URL="),
        ("postgresql+psycopg://eve:secret@127.0.0.1:1/nothing", "127.0.0.1:1/nothing does not answer"),
        ("mysql://eve:secret@h/d", "names 'mysql'"),
        ("no address", "is no address of a database"),
    ],
)
def test_an_address_that_leads_nowhere_is_told_without_its_password(
    project: Project, kept: str, server: str, monkeypatch, address: str, said: str
) -> None:
    if kept == "file":
        monkeypatch.setenv("TAXOCOM_DATABASE_URL", server)
        move_tables(project.path, "server")
    monkeypatch.setenv("TAXOCOM_DATABASE_URL", address)
    with pytest.raises((StoreError, SettingsError)) as told:
        open_project(project.path)
    assert said in str(told.value)
    assert "secret" not in str(told.value)
    assert [summary.problem for summary in list_projects()] != [""]


def test_a_marker_that_names_another_schema_is_no_way_in(project: Project, kept: str, server: str, monkeypatch) -> None:
    monkeypatch.setenv("TAXOCOM_DATABASE_URL", server)
    marker = marker_of(project.path)
    for schema in ("public", 'taxocom_0"; DROP SCHEMA public', "taxocom_" + "0" * 16):
        marker.write_text(json.dumps({"format": "taxocom-server", "schema": schema}))
        with pytest.raises(StoreError, match="damaged"):
            open_project(project.path)
