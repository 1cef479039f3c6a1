"""A damaged project is named, can be thrown away, and does nothing to the others; a made-up backup is refused."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from taxocom.cli import main
from taxocom.errors import InputError, StoreError
from taxocom.store import (
    Project,
    backup_project,
    create_project,
    list_deleted,
    list_projects,
    open_project,
    restore_project,
    trash_project,
)

_FOR_EVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


def run(*statements: str) -> Callable[[Path], None]:
    def damage(database: Path) -> None:
        with closing(sqlite3.connect(database)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return damage


def replaced_by(make: Callable[[Path], None]) -> Callable[[Path], None]:
    def damage(database: Path) -> None:
        database.unlink()
        make(database)

    return damage


DAMAGES = {
    "JSON cut short": run("UPDATE meta SET value = '{\"a' WHERE key = 'name'"),
    "JSON without end": run("UPDATE meta SET value = replace(hex(zeroblob(900)), '00', '[') WHERE key = 'name'"),
    "a name that is a number": run("UPDATE meta SET value = '5' WHERE key = 'name'"),
    "no name": run("DELETE FROM meta"),
    "bytes that are no text": run("UPDATE meta SET value = CAST(x'ff22fe' AS TEXT) WHERE key = 'name'"),
    "a time that is none": run("UPDATE meta SET value = '\"yesterday\"' WHERE key = 'created_at'"),
    "a decision at no time": run("INSERT INTO decisions VALUES (1, 'x', '{}', '', 'yesterday', '', '')"),
    "no tables": replaced_by(lambda path: sqlite3.connect(path).close()),
    "a view without end": run(
        "ALTER TABLE uses RENAME TO u", f"CREATE VIEW uses AS {_FOR_EVER} SELECT 'x' AS purpose, i AS at FROM n"
    ),
    "noise": replaced_by(lambda path: path.write_bytes(bytes(range(256)) * 64) and None),
    "nothing": replaced_by(lambda path: path.write_bytes(b"") and None),
    "a pipe": replaced_by(os.mkfifo),
    "a folder": replaced_by(lambda path: path.mkdir()),
    "missing": Path.unlink,
}


@pytest.fixture
def damaged(project: Project, request: pytest.FixtureRequest) -> Path:
    with create_project("Damaged") as other:
        path = other.path
    request.param(path / "project.db")
    return path


@pytest.mark.timeout(60)
@pytest.mark.parametrize("damaged", DAMAGES.values(), ids=DAMAGES.keys(), indirect=True)
def test_a_damaged_project_is_named_and_the_others_go_on(damaged: Path):
    found = {summary.path.name: summary for summary in list_projects()}
    assert len(found) == 2
    assert "project.db" in found[damaged.name].problem
    with open_project("News") as project:
        assert len(project.taxonomy()) == 3
    create_project("Another").close()
    listed = CliRunner().invoke(main, ["projects"])
    assert listed.exit_code == 0
    assert "News" in listed.output
    trash_project(found[damaged.name].name)
    assert [summary.path.name for summary in list_deleted()] == [damaged.name]
    assert len(list_projects()) == 2


@pytest.fixture
def unwritable(home_with_a_project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home on a disk that this user may read and not write."""
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / "home"
        shutil.copytree(home_with_a_project, where)
        monkeypatch.setenv("TAXOCOM_HOME", str(where))
        for path in (Path(folder), where, *where.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        for path in (where, *where.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        user = os.geteuid()
        if user == 0:
            # Nothing is closed to root.
            os.seteuid(65534)
        try:
            yield where
        finally:
            os.seteuid(user)
            for path in (where, *where.rglob("*")):
                path.chmod(0o755)


def test_a_home_that_cannot_be_written_says_so_and_keeps_its_projects_names(unwritable: Path):
    (summary,) = list_projects()
    assert summary.name == "News"
    assert "writable" in summary.problem
    for act in (lambda: open_project("News"), lambda: create_project("Other"), lambda: trash_project("News")):
        with pytest.raises(StoreError, match="writable"):
            act()


@pytest.mark.parametrize("table", ["meta", "seeds", "decisions", "artifacts"])
def test_a_cell_that_is_not_json_is_a_clear_error_wherever_it_is(project: Project, table: str):
    column = {"meta": "value", "seeds": "tree", "decisions": "body", "artifacts": "details"}[table]
    project.put_bytes(b"x", "upload")
    project.record_all([], author="Ada")
    project.close()
    with closing(sqlite3.connect(project.path / "project.db")) as connection:
        for trigger in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger[0]}")
        connection.execute("INSERT INTO decisions VALUES (1, 'rename_topic', '{}', '', '2026-01-01', '', '')")
        connection.execute(f"UPDATE {table} SET {column} = '{{\"oops'")
        connection.commit()

    def read() -> None:
        with Project(project.path) as opened:
            opened.seed()
            opened.artifacts()
            opened.log()

    with pytest.raises(StoreError, match=r"project\.db is damaged"):
        read()


def tampered(project: Project, tmp_path: Path, damage: Callable[[Path], None]) -> Path:
    """Return a backup whose database was changed by somebody who also put the manifest right."""
    whole = backup_project(project, tmp_path / "whole.zip")
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(whole) as archive:
        archive.extractall(folder)
    damage(folder / "project.db")
    manifest = json.loads((folder / "manifest.json").read_text())
    data = (folder / "project.db").read_bytes()
    manifest["files"]["project.db"] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for leaving in folder.glob("project.db-*"):
        leaving.unlink()
    made = tmp_path / "tampered.zip"
    with zipfile.ZipFile(made, "w") as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.write(file, file.relative_to(folder).as_posix())
    shutil.rmtree(folder)
    return made


TAMPERED = {
    "a trigger": run("CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM seeds; END"),
    "a view": run("ALTER TABLE preferences RENAME TO p", f"CREATE VIEW preferences AS {_FOR_EVER} SELECT i FROM n"),
    "a table more": run("CREATE TABLE more (a)"),
    "a column that computes": run("ALTER TABLE meta ADD COLUMN big GENERATED ALWAYS AS (length(value))"),
    "a seed that is none": run("INSERT INTO seeds VALUES (9, '[1]', '', '2026', '')"),
    "a seed that is not JSON": run("INSERT INTO seeds VALUES (9, '[1', '', '2026', '')"),
    "no id": run("DELETE FROM meta WHERE key = 'project_id'"),
    "a release that is none": run("INSERT INTO releases VALUES ('r', '{}', 0, '2026', '', '', NULL)"),
    "a decision that is none": run("INSERT INTO decisions VALUES (1, 'rename_topic', '{}', '', '2026', '', '')"),
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("damage", TAMPERED.values(), ids=TAMPERED.keys())
def test_a_backup_that_somebody_made_up_is_refused(project: Project, tmp_path: Path, damage: Callable[[Path], None]):
    made = tampered(project, tmp_path, damage)
    with pytest.raises(InputError, match="Nothing was restored"):
        restore_project(made)
    assert [summary.name for summary in list_projects()] == ["News"]
    assert not list((project.path.parents[1] / "work").iterdir())


def test_no_mutated_backup_touches_the_home(project: Project, tmp_path: Path):
    """What was changed is refused, or restored as a project of its own; nothing else is ever raised."""
    project.freeze_release("2026-11", author="Ada")
    chance = random.Random(0)
    n_refused = 0

    def mutate(database: Path) -> None:
        data = bytearray(database.read_bytes())
        for _ in range(chance.choice((1, 5, 30))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        database.write_bytes(data[: chance.randrange(len(data))] if chance.random() < 0.1 else data)

    for _ in range(15):
        made = tampered(project, tmp_path, mutate)
        try:
            restore_project(made).close()
        except InputError:
            n_refused += 1
        others = [summary for summary in list_projects() if summary.path != project.path]
        assert [summary.problem for summary in others] == [""] * len(others)
        for summary in others:
            trash_project(summary.path.name)
        (tmp_path / "whole.zip").unlink()
    assert n_refused > 2
    assert len(project.taxonomy()) == 3
