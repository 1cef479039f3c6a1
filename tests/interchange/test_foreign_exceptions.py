"""What once came out of a reader as an exception of Python's own is told like everything else."""

from __future__ import annotations

import contextlib
import io
import json
import struct
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from taxocom.errors import InputError
from taxocom.interchange import read_seed, replay_bundle, write_bundle
from taxocom.text.input.loading import read_documents
from tests.interchange.samples import CONTEXT, TREE

DEEP = "[" * 3000
_PREFIX = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix t: <urn:taxocom:vocabulary#> .\n"
_TOPIC = '<urn:a> a skos:Concept ; skos:prefLabel "A"@en'


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name or "x"), "a text")
    return out.getvalue()


def nameless(data: bytes) -> bytes:
    """Return a zip whose one-letter member has lost its name."""
    local = struct.pack("<H", 1)
    for at, sign in ((26, b"PK\x03\x04"), (28, b"PK\x01\x02")):
        start = data.index(sign)
        length = 30 if sign == b"PK\x03\x04" else 46
        assert data[start + at : start + at + 2] == local
        data = data[: start + at] + b"\0\0" + data[start + at + 2 : start + length] + data[start + length + 1 :]
    end = data.rindex(b"PK\x05\x06")
    size, offset = struct.unpack_from("<II", data, end + 12)
    return data[: end + 12] + struct.pack("<II", size - 1, offset - 1) + data[end + 20 :]


def too_new(data: bytes) -> bytes:
    start = data.index(b"PK\x01\x02")
    return data[: start + 6] + struct.pack("<H", 84) + data[start + 8 :]


ZIPS = {"no name": nameless(zipped("x")), "too new": too_new(zipped("x.txt"))}


@pytest.mark.parametrize("data", ZIPS.values(), ids=ZIPS.keys())
def test_odd_zips_are_refused_by_every_reader(tmp_path: Path, data: bytes):
    file = tmp_path / "docs.zip"
    file.write_bytes(data)
    with pytest.raises(InputError):
        list(read_documents(file))
    with pytest.raises(InputError):
        read_seed(data, "xlsx")
    with pytest.raises(InputError):
        replay_bundle(data)


def test_a_label_that_opens_brackets_without_end_is_a_label(tmp_path: Path):
    file = tmp_path / "a.csv"
    file.write_text(f"id,text,label\n1,a text,{DEEP}\n2,another,sport\n")
    first, _ = read_documents(file)
    assert first.labels == (DEEP,)


def test_values_nested_deep_in_a_line_are_read_or_refused(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    for deep in ("[" * 700 + "]" * 700, '{"a":' * 700 + "1" + "}" * 700):
        file.write_text(f'{{"text": {deep}}}\n{{"text": "b"}}\n')
        with contextlib.suppress(InputError):
            list(read_documents(file))


@pytest.mark.parametrize(
    "cell", [DEEP, "[" * 700 + "]" * 700, '[["a",' + "9" * 5000 + "]]", "{" * 10, '[["a"]]', "5", "null"]
)
def test_properties_that_are_none_are_refused_with_their_line(cell: str):
    quoted = '"' + cell.replace('"', '""') + '"'
    with pytest.raises(InputError, match=r"line 2.*properties"):
        read_seed(f"id,prefLabel,properties\na,A,{quoted}\n".encode(), "csv")


@pytest.mark.parametrize("line", [DEEP, "[" * 700 + "]" * 700, '{"sequence": ' + "9" * 5000 + "}", "5", "[]"])
def test_a_log_that_is_none_is_refused_with_its_line(line: str):
    with zipfile.ZipFile(io.BytesIO(write_bundle(TREE, CONTEXT))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["replay/decisions.jsonl"] = line.encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="line 1"):
        replay_bundle(out.getvalue())


def test_parquet_with_texts_and_names_that_are_not_utf8_is_refused(tmp_path: Path):
    out = io.BytesIO()
    pq.write_table(pa.table({"text": ["ABCDEFGH"] * 3, "title": ["ABCDEFGH"] * 3}), out, compression="none")
    whole = out.getvalue()
    named = io.BytesIO()
    pq.write_table(pa.table({"textABCDEFGH": ["words"] * 3}), named, compression="none", store_schema=False)
    for data in (whole, named.getvalue()):
        file = tmp_path / "a.parquet"
        file.write_bytes(data.replace(b"ABCDEFGH", b"AB\xff\xfeEFGH"))
        with pytest.raises(InputError, match=r"a\.parquet"):
            list(read_documents(file))


def test_a_number_of_four_hundred_digits_is_refused():
    topic = {"id": "a", "label": "A", "concentration": int("9" * 400), "children": []}
    data = {"format": "taxocom-taxonomy", "version": 1, "id": "root", "label": "R", "children": [topic]}
    with pytest.raises(InputError, match="not a finite number"):
        read_seed(json.dumps(data).encode(), "json")


def test_xml_in_an_encoding_that_nobody_knows_is_refused():
    with pytest.raises(InputError, match="encoding"):
        read_seed(b'<?xml version="1.0" encoding="nonsense-8"?><a/>', "rdfxml")


def test_signs_that_no_address_may_have_are_written_as_an_address_has_them():
    text = f"{_PREFIX}{_TOPIC} ; skos:related <urn:b^c|d> ; skos:note [ skos:prefLabel <urn:e^f> ] .\n"
    document = read_seed(text.encode(), "turtle")
    held = str([node.properties for node in document.taxonomy.subtree_of("root")])
    assert "urn:b%5Ec%7Cd" in held
    assert "^c" not in held


def test_a_place_of_five_thousand_digits_is_no_place():
    text = f'{_PREFIX}{_TOPIC} ; t:position "{"9" * 5000}" ; t:documentCount "{"9" * 5000}" .\n'
    assert len(read_seed(text.encode(), "turtle").taxonomy) == 1


def test_anchors_that_are_none_are_left_out():
    record = json.dumps({"anchors": [[["x"], 1, 1, 1, 1, 1], ["a", int("9" * 400), 1, 1, 1, 1]]}).replace('"', '\\"')
    text = f'{_PREFIX}{_TOPIC} ; t:id "a" ; t:record "{record}" .\n'
    assert len(read_seed(text.encode(), "turtle").taxonomy) == 1


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-32", "base64", "rot13", "zip", "nonsense", "a\0b", "idna", "undefined"]
)
def test_an_encoding_that_does_not_fit_is_refused(tmp_path: Path, encoding: str):
    file = tmp_path / "a.txt"
    file.write_bytes(b"plain \xe9 words\n" * 9)
    with contextlib.suppress(InputError):
        assert list(read_documents(file, encoding=encoding))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_bytes(b"plain \xe9 words\n")
    with contextlib.suppress(InputError):
        assert list(read_documents(tmp_path / "folder", encoding=encoding))
