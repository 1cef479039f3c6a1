"""What cannot be a corpus is refused with its name, the place and a remedy, and never with a traceback of ours."""

from __future__ import annotations

import gzip
import json
import lzma
import struct
import zipfile
from pathlib import Path

import pytest

from taxocom.errors import InputError
from taxocom.text.indexing import build_corpus
from taxocom.text.input import opening
from taxocom.text.input.lines import MAX_CHARACTERS
from taxocom.text.input.loading import read_documents


def read(path: Path) -> int:
    return sum(1 for _ in read_documents(path))


def refused(path: Path, *said: str) -> None:
    with pytest.raises(InputError) as caught:
        read(path)
    for words in (path.name, *said):
        assert words in str(caught.value)


def test_a_pdf_named_csv(tmp_path: Path) -> None:
    path = tmp_path / "paper.csv"
    path.write_bytes(b"%PDF-1.7\n1 0 obj\n<<>>\n")
    refused(path, "a PDF document", "Export")


def test_an_office_document_named_csv(tmp_path: Path) -> None:
    path = tmp_path / "book.csv"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
        archive.writestr("xl/workbook.xml", "<x/>")
    refused(path, "Office document", "CSV")


@pytest.mark.parametrize("name", ["../evil.txt", "a/../../evil.txt", "/etc/evil.txt", "..\\evil.txt", "C:\\evil.txt"])
def test_a_zip_that_points_outside_itself(tmp_path: Path, name: str) -> None:
    path = tmp_path / "docs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("good.txt", "a good text")
        archive.writestr(name, "an evil text")
    refused(path, "evil.txt", "outside the archive")
    assert [p.name for p in tmp_path.iterdir()] == ["docs.zip"]


def test_a_zip_bomb(tmp_path: Path) -> None:
    path = tmp_path / "docs.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("big.txt", "w", force_zip64=True) as file,
    ):
        for _ in range(80):
            file.write(b"0" * 2**20)
    refused(path, "200 times", "unpack it yourself")


def test_a_zip_that_lies_about_its_sizes(tmp_path: Path) -> None:
    path = tmp_path / "docs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("one.txt", "word " * 1000)
    content = path.read_bytes()
    path.write_bytes(content.replace(struct.pack("<L", 5000), struct.pack("<L", 50)))
    refused(path, "damaged")


def test_a_zip_under_a_password(tmp_path: Path) -> None:
    path = tmp_path / "docs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("one.txt", "text")
    content = bytearray(path.read_bytes())
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(magic) + at] |= 1
    path.write_bytes(content)
    refused(path, "password")


def test_a_zip_without_texts(tmp_path: Path) -> None:
    path = tmp_path / "docs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("picture.png", "x")
    refused(path, "no document", "picture.png")


def test_a_gzip_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "SMALL_ENOUGH", 2**20)
    path = tmp_path / "docs.txt.gz"
    path.write_bytes(gzip.compress((b"0" * 1023 + b"\n") * 3000))
    refused(path, "200 times")


def test_a_line_of_ten_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt"
    path.write_text("short\n" + "word " * 2_000_000)
    refused(path, "line 2", f"{MAX_CHARACTERS:,}", "break the file")


def test_a_quote_that_never_closes(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text('id,text\n1,good\n2,"never closed\n' + "3,more text here\n" * 400_000)
    refused(path, "line 3", "quotation mark")


@pytest.mark.parametrize("name", ["docs.txt", "docs.csv", "docs.jsonl"])
def test_nul_bytes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"id,text\n1,some \x00\x00\x01 bytes\n" * 10)
    refused(path, "line 2", "NUL")


def test_nul_bytes_far_down(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt"
    path.write_bytes(b"plain text here\n" * 20_000 + b"odd \0 one\n")
    refused(path, "line 20001", "NUL")


def test_nul_bytes_in_one_file_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("good text")
    (tmp_path / "odd.txt").write_bytes(b"odd \0 text")
    with pytest.raises(InputError, match=r"odd\.txt"):
        read(tmp_path)


@pytest.mark.parametrize("line", ['{"text": "cut', "[1, 2]", '"text"', "[" * 100_000, "1" * 5000])
def test_a_broken_line_of_json_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps({"text": f"good {i}"}) + "\n" for i in range(100)) + line + "\n")
    refused(path, "line 101", "object")


def test_a_json_array_is_refused_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "docs.json"
    path.write_text(json.dumps([{"text": "one"}, {"text": "two"}]))
    refused(path, "array", "one object")


@pytest.mark.parametrize(("module", "name"), [(gzip, "docs.jsonl.gz"), (lzma, "docs.jsonl.xz")])
def test_a_truncated_file(tmp_path: Path, module: object, name: str) -> None:
    path = tmp_path / name
    whole = module.compress("".join(json.dumps({"text": f"{i * 7919}"}) + "\n" for i in range(20_000)).encode())  # type: ignore[attr-defined]
    path.write_bytes(whole[: len(whole) // 2])
    refused(path, "ends too early", "Fetch it again")


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "docs.parquet"
    path.write_bytes(b"PAR1" + b"junk" * 100)
    refused(path, "Parquet")


def test_no_documents(tmp_path: Path) -> None:
    for name, content in (("empty.txt", ""), ("blank.txt", "\n \n"), ("bare.csv", "id,text\n"), ("none.jsonl", "\n")):
        path = tmp_path / name
        path.write_text(content)
        refused(path)
    folder = tmp_path / "folder"
    folder.mkdir()
    refused(folder, "no document")
    refused(tmp_path / "missing.csv", "no file")


def test_one_document_is_too_few_to_index(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt"
    path.write_text("just one line")
    target = tmp_path / "corpus"
    target.mkdir()
    with pytest.raises(InputError, match="one document"):
        build_corpus(read_documents(path), target)


def test_an_unknown_encoding(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt"
    path.write_text("one\ntwo")
    with pytest.raises(InputError, match="klingon"):
        read_documents(path, encoding="klingon")
