"""Documents of strangers are read in another process: one that takes it down, or takes too long, costs itself alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from taxocom.errors import InputError
from taxocom.progress import SILENT
from taxocom.reading.files import fetch_rows, look_at_corpus, source_of
from tests.text import document_samples as samples


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "docs"
    place.mkdir()
    (place / "a.pdf").write_bytes(samples.pdf("The first report"))
    (place / "b.pdf").write_bytes(samples.slow_pdf())
    (place / "c.html").write_bytes(samples.html("<p>The last page</p>"))
    return place


@pytest.mark.slow
def test_a_file_that_takes_too_long_costs_itself_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Long enough for the others to be read on a busy machine.
    monkeypatch.setenv("TAXOCOM_READING_SECONDS", "5")
    stream = source_of(folder, skip_unreadable=True).documents()
    assert [each.text for each in stream] == ["The first report", "The last page"]
    ((name, reason),) = stream.report.unreadable.items()
    assert name == "b.pdf"
    assert "took longer than 5 seconds" in reason


def test_documents_read_apart_are_those_read_here(tmp_path: Path) -> None:
    (tmp_path / "list.mbox").write_bytes(
        samples.mailbox(*(samples.mail(f"text {n}", f"subject {n}", n % 28 + 1) for n in range(40)))
    )
    (tmp_path / "a.docx").write_bytes(samples.docx("A paragraph"))
    look = look_at_corpus(tmp_path, n_shown=100)
    assert list(source_of(tmp_path).documents()) == list(look.documents)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "library.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE papers (id TEXT, abstract TEXT, day DATE)")
        rows = [(f"p{n}", f"abstract: number {n}", "2026-11-18") for n in range(2500)]
        connection.executemany("INSERT INTO papers VALUES (?, ?, ?)", rows)
    connection.close()
    return path


def test_rows_of_a_database_are_read_and_nothing_is_written_to_it(database: Path, tmp_path: Path) -> None:
    before, out = database.read_bytes(), tmp_path / "rows.jsonl"
    query = "SELECT id, abstract, day AS date FROM papers WHERE abstract LIKE 'abstract: %' ORDER BY rowid;"
    assert fetch_rows(f"sqlite:///{database}", query, out, SILENT) == 2500
    found = list(source_of(out).documents())
    assert (found[7].document_id, found[7].text, found[7].date) == ("p7", "abstract: number 7", "2026-11-18")
    for harm in ("DELETE FROM papers", "DROP TABLE papers", "PRAGMA user_version = 7", ""):
        with pytest.raises(InputError, match="Only SELECT"):
            fetch_rows(f"sqlite:///{database}", harm, out, SILENT)
    hidden = "WITH old AS (SELECT 1) DELETE FROM papers"
    with pytest.raises(InputError, match="Nothing was read"):
        fetch_rows(f"sqlite:///{database}", hidden, out, SILENT)
    with pytest.raises(InputError, match="Nothing was read"):
        fetch_rows(f"sqlite:///{database}", "SELECT 1; DELETE FROM papers", out, SILENT)
    assert database.read_bytes() == before


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("sqlite:////no/such/file.db", "no database /no/such/file.db"),
        ("nothing", "not understood"),
        ("nosuch://ada:secret@host/name", "No kind of database"),
        ("postgresql+asyncpg://ada:secret@host/name", "not installed"),
    ],
)
def test_a_database_that_is_not_there_is_told_without_its_password(url: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said) as caught:
        fetch_rows(url, "SELECT 1", tmp_path / "rows.jsonl", SILENT)
    assert "secret" not in str(caught.value)
