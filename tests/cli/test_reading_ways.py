"""Texts from documents, patterns and databases, on the command line."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from taxocom.store import open_project
from tests.cli.conftest import LAW, SPORT
from tests.text import document_samples as samples


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = tmp_path / "library.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE papers (id TEXT, abstract TEXT)")
        texts = [f"{text} number{i}" for i in range(12) for text in (*SPORT, *LAW)]
        connection.executemany("INSERT INTO papers VALUES (?, ?)", [(f"p{i}", text) for i, text in enumerate(texts)])
    connection.close()
    return f"sqlite:///{path}"


def test_a_project_is_made_grows_and_is_read_again_from_a_database(
    run, seed: Path, database: str, tmp_path: Path
) -> None:
    query = ("--sql", database, "--query", "SELECT id, abstract FROM papers WHERE id < 'p6'")
    made = run("init", "papers", "--seed", seed, *query, "-q", "--json").stdout
    assert json.loads(made)["index"]["n_documents"] == 57 - 1
    rest = ("--sql", database, "--query", "SELECT id, abstract FROM papers")
    assert "with an id that is there already" in run("append", "papers", *rest, "-q").stdout
    with open_project("papers") as project:
        assert project.corpus().n_documents == 72
    (Path(database.removeprefix("sqlite:///"))).unlink()
    run("batches", "papers", "--take-back", json.loads(run("batches", "papers", "--json").stdout)[0]["name"], "-q")
    # What was fetched is kept with the project, so it can be read again without the database.
    run("index", "papers", "--min-count", "4", "-q")
    with open_project("papers") as project:
        assert project.corpus().n_documents == 56


def test_rows_are_tagged_and_either_a_file_or_a_query_is_asked_for(
    run, project: str, database: str, tmp_path: Path
) -> None:
    out = tmp_path / "tagged.jsonl"
    query = ("--sql", database, "--query", "SELECT id, abstract FROM papers LIMIT 3")
    run("tag", project, *query, "--out", out, "-q")
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["p0", "p1", "p2"]
    assert "Give either FILE" in run("tag", project, "--out", out, code=2).stderr
    assert "Give either FILE" in run("tag", project, tmp_path / "a.csv", *query, "--out", out, code=2).stderr
    assert "--query needs the database" in run("tag", project, "--query", "SELECT 1", "--out", out, code=2).stderr
    assert "Only SELECT" in run("append", project, "--sql", database, "--query", "DROP TABLE papers", code=1).stderr


def test_documents_join_a_project_and_those_in_disorder_are_counted(run, project: str, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(samples.pdf("Another football match and its goal"))
    (folder / "b.docx").write_bytes(samples.docx("The court heard another judge"))
    (folder / "c.pdf").write_bytes(b"%PDF-1.4 torn")
    refused = run("append", project, folder, "-q", code=1).stderr
    assert "c.pdf" in refused
    assert "--skip-unreadable" in refused
    said = run("append", project, folder, "--skip-unreadable", "-q").stdout
    assert "2 added; left out: 1 in files that cannot be read" in said
    with open_project(project) as opened:
        assert [*opened.corpus().document_ids][-2:] == ["a.pdf", "b.docx"]
    out = tmp_path / "tagged.jsonl"
    tagged = run("tag", project, folder / "*.pdf", "--out", out, "--skip-unreadable", "-q").stdout
    assert "1 unreadable file left out" in tagged
    assert json.loads(out.read_text())["id"] == "a.pdf"
