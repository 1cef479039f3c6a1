"""The same documents come out of every format, and what was met on the way is counted."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.errors import InputError
from taxocom.text.input.columns import Columns, guess_columns, label_path
from taxocom.text.input.documents import Document, LoadingReport, checked
from taxocom.text.input.loading import Format, read_documents, sniff

ROWS = [
    {
        "id": "a1",
        "title": "First",
        "text": "The first text, with a comma",
        "labels": ["science", "space"],
        "date": "2020",
    },
    {"id": "a2", "title": "Second", "text": 'The "second" text\nof two lines', "labels": ["sport"], "date": "2021"},
    {"id": "a3", "title": "Third", "text": "Ein drittes über Größe", "labels": [], "date": ""},
]
DOCUMENTS = [Document(r["id"], r["text"], r["title"], tuple(r["labels"]), r["date"]) for r in ROWS]  # type: ignore[arg-type]


def write_table(path: Path, delimiter: str, encoding: str = "utf-8") -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(ROWS[0])
        writer.writerows([[*list(row.values())[:3], "/".join(row["labels"]), row["date"]] for row in ROWS])
    return path


def write_jsonl(path: Path) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def write_parquet(path: Path) -> Path:
    pq.write_table(pa.Table.from_pylist(ROWS), path)
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_with_any_delimiter(tmp_path: Path, delimiter: str) -> None:
    source = sniff(write_table(tmp_path / "docs.csv", delimiter))
    assert source.format is Format.CSV
    assert source.columns == Columns(("text",), "id", "title", "labels", "date")
    assert list(source.documents()) == DOCUMENTS
    assert source.preview(2) == DOCUMENTS[:2]


def test_tsv_jsonl_and_parquet(tmp_path: Path) -> None:
    assert list(read_documents(write_table(tmp_path / "docs.tsv", "\t"))) == DOCUMENTS
    assert list(read_documents(write_jsonl(tmp_path / "docs.jsonl"))) == DOCUMENTS
    assert list(read_documents(write_parquet(tmp_path / "docs.parquet"))) == DOCUMENTS


@pytest.mark.parametrize(("module", "suffix"), [(gzip, ".gz"), (lzma, ".xz"), (bz2, ".bz2")])
def test_compressed_files(tmp_path: Path, module: object, suffix: str) -> None:
    path = tmp_path / f"docs.jsonl{suffix}"
    path.write_bytes(module.compress(write_jsonl(tmp_path / "plain.jsonl").read_bytes()))  # type: ignore[attr-defined]
    source = sniff(path)
    assert source.format is Format.JSONL
    assert list(source.documents()) == DOCUMENTS


def test_a_table_alone_in_a_zip_is_read_as_the_table(tmp_path: Path) -> None:
    path = tmp_path / "docs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(write_table(tmp_path / "docs.csv", ","), "inside.csv")
    assert list(read_documents(path)) == DOCUMENTS


def test_plain_text_is_a_document_a_line(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt"
    path.write_text("one text\n\nanother text\r\nlast", encoding="utf-8")
    stream = read_documents(path)
    assert [(d.document_id, d.text) for d in stream] == [("1", "one text"), ("3", "another text"), ("4", "last")]
    assert stream.report.n_empty == 1


def fill(folder: Path) -> dict[str, str]:
    files = {"b/two.txt": "Second text", "a/deep/one.txt": "First text", "three.txt": "Größe"}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return files


def test_a_folder_and_a_zip_of_texts_are_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    files = fill(folder)
    (folder / "ignored.bin").write_bytes(b"\0")
    path = tmp_path / "docs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in files:
            archive.write(folder / name, name)
        archive.writestr("__MACOSX/._one.txt", "noise")
    from_folder, from_zip = list(read_documents(folder)), list(read_documents(path))
    assert from_folder == from_zip
    assert [(d.document_id, d.text, d.labels) for d in from_zip] == [
        ("a/deep/one.txt", "First text", ("a", "deep")),
        ("b/two.txt", "Second text", ("b",)),
        ("three.txt", "Größe", ()),
    ]


def test_the_research_format(tmp_path: Path) -> None:
    (tmp_path / "docs.txt").write_text("deep_learning model\nneural_network\n")
    (tmp_path / "terms.txt").write_text("deep_learning\nneural_network\n")
    (tmp_path / "term_integrity.txt").write_text("deep_learning\t0.9\n")
    for path in (tmp_path, tmp_path / "docs.txt"):
        source = sniff(path)
        assert source.format is Format.RESEARCH
        assert source.given_terms is not None
        assert source.given_terms.terms == {"deep_learning", "neural_network"}
        assert source.given_terms.integrity == {"deep_learning": 0.9}
        assert [d.text for d in source.documents()] == ["deep_learning model", "neural_network"]


def test_broken_integrity_is_named_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "docs.txt").write_text("x\n")
    (tmp_path / "terms.txt").write_text("x\n")
    (tmp_path / "term_integrity.txt").write_text("good\t0.5\nbad\t1.5\n")
    with pytest.raises(InputError, match="line 2"):
        sniff(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "utf-32"])
def test_encodings_are_detected(tmp_path: Path, encoding: str) -> None:
    lines = ["Die Größe der Häuser ist schön", "Überall gibt es hübsche Gärten", "Müller fährt täglich früh"]
    path = tmp_path / "docs.txt"
    path.write_bytes("\n".join(lines).encode(encoding))
    stream = read_documents(path)
    assert [d.text for d in stream] == lines
    assert stream.report.n_replaced_characters == 0


def test_a_given_encoding_wins_and_replacements_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt"
    path.write_bytes("schöne Größe\nnichts".encode("cp1252"))
    stream = read_documents(path, encoding="utf-8")
    assert [d.text for d in stream] == ["sch\ufffdne Gr\ufffd\ufffde", "nichts"]
    assert stream.report.n_replaced_characters == 3


def test_empty_repeated_and_unnamed_documents_are_counted() -> None:
    report = LoadingReport()
    texts = [("a", "One text"), ("a", "Two"), ("b", " one  TEXT "), ("c", " \n"), ("", "Three"), ("a", "Four")]
    kept = list(checked((Document(i, t) for i, t in texts), report))
    assert [d.document_id for d in kept] == ["a", "a-2", "document-5", "a-3"]
    assert (report.n_read, report.n_kept, report.n_empty, report.n_duplicate, report.n_renamed_ids) == (6, 4, 1, 1, 3)


@given(st.lists(st.tuples(st.sampled_from(["", "x", "x-2", "y"]), st.text(max_size=3)), max_size=25))
def test_ids_are_unique_and_every_document_is_accounted_for(rows: list[tuple[str, str]]) -> None:
    report = LoadingReport()
    kept = list(checked((Document(i, t) for i, t in rows), report))
    assert len({d.document_id for d in kept}) == len(kept) == report.n_kept
    assert report.n_read == len(rows) == report.n_kept + report.n_empty + report.n_duplicate


def test_columns_may_be_chosen_and_several_joined(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "docs.jsonl")
    documents = list(read_documents(path, Columns(("title", "text"), id="date")))
    assert documents[0].text == "First\n\nThe first text, with a comma"
    assert documents[0].document_id == "2020"
    assert list(read_documents(path, Columns("title")))[1].document_id == "2"  # type: ignore[arg-type]


def test_a_wrong_column_is_named_with_those_there_are(tmp_path: Path) -> None:
    source = sniff(write_jsonl(tmp_path / "docs.jsonl"))
    with pytest.raises(InputError, match=r"no column 'txt'.*id, title, text.*mean 'text'"):
        source.documents(Columns(("txt",)))
    with pytest.raises(InputError, match="no columns"):
        sniff(write_lines(tmp_path)).documents(Columns(("text",)))


def write_lines(folder: Path) -> Path:
    path = folder / "lines.txt"
    path.write_text("one\ntwo\n")
    return path


def test_columns_are_guessed_by_name_then_by_length() -> None:
    rows = [{"k": "1", "words": "a rather long text", "when": "x"}]
    assert guess_columns(["k", "words", "when"], rows) == Columns(("words",))
    named = guess_columns(["article_id", "publish date", "Headline", "Body"], [])
    assert named == Columns(("Body",), "article_id", "Headline", None, "publish date")


@pytest.mark.parametrize(
    ("value", "path"),
    [(["a", "b"], ("a", "b")), ('["a", "b"]', ("a", "b")), ("a/b", ("a", "b")), ("a > b", ("a", "b")), ("a", ("a",)),
     (None, ()), ("", ()), ("[odd", ("[odd",)), (3, ("3",))],
)  # fmt: skip
def test_label_paths(value: object, path: tuple[str, ...]) -> None:
    assert label_path(value) == path


def test_a_table_without_a_header_has_numbered_columns(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text("1,A first rather long text\n2,A second rather long text\n")
    source = sniff(path)
    assert source.available == ("column 1", "column 2")
    assert [d.text for d in source.documents()] == ["A first rather long text", "A second rather long text"]


def test_a_quote_behind_another_delimiter_does_not_mislead(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text('id,text\n0,some |"words\n' + "1,and many other words of text\n" * 180_000)
    assert sniff(path).available == ("id", "text")


def test_unnamed_and_repeated_columns_get_names(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text(",text,text\n0,one,two\n1,three,four\n")
    source = sniff(path)
    assert source.available == ("column 1", "text", "text (column 3)")
    assert [d.text for d in source.documents()] == ["one", "three"]


def test_rows_may_be_short_but_not_long(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text("id,text,note\n1,one\n2,two,n,\n")
    assert [d.text for d in read_documents(path)] == ["one", "two"]
    path.write_text("id,text\n1,one\n2,two, and more\n3,three\n")
    with pytest.raises(InputError, match=r"line 3: 3 cells, but 2 columns"):
        list(read_documents(path))


def test_the_share_read_is_known(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl.gz"
    path.write_bytes(
        gzip.compress("".join(json.dumps({"text": f"text {i} {i * 7919}"}) + "\n" for i in range(9000)).encode())
    )
    stream = read_documents(path)
    fractions = [stream.report.fraction for _ in stream]
    assert fractions == sorted(fractions)
    assert 0.5 < fractions[-1] <= 1.0
