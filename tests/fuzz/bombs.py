"""Small files that are made to take a reader's time or memory; each is (name, bytes)."""

from __future__ import annotations

import io
import json
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq

from taxocom.interchange import export, write_bundle
from tests.interchange.samples import CONTEXT, TREE

_PREFIX = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
_CONCEPT = '<urn:a> a skos:Concept ; skos:prefLabel "A"@en .\n'
_SHEET = "xl/worksheets/sheet1.xml"


def turtle_pairs() -> bytes:
    pairs = "".join(f"_:a{n} skos:related _:b{n} . _:b{n} skos:related _:a{n} .\n" for n in range(50))
    return (_PREFIX + _CONCEPT + pairs).encode()


def turtle_ring() -> bytes:
    ring = "".join(f"_:n{n} skos:related _:n{(n + 1) % 3000} .\n" for n in range(3000))
    return (_PREFIX + _CONCEPT + ring).encode()


def keyword_rows() -> bytes:
    rows = "".join(f"Sport,word{n}\n" for n in range(20_000))
    return f"path,keywords\n{rows}".encode()


def wide_row() -> bytes:
    return b"prefLabel" + b",altLabel" * 200_000 + b"\nA" + b",b" * 200_000 + b"\n"


def long_path() -> bytes:
    return b"path\n" + b"a/" * 200_000 + b"a\n"


def empty_objects() -> bytes:
    return b"[" + b"{}," * 15_000_000 + b"{}]"


def deep_outline() -> bytes:
    return "\n".join(" " * n + f"- t{n}" for n in range(3000)).encode()


def deep_json() -> bytes:
    return b'{"a":' * 900 + b"1" + b"}" * 900


def _workbook(**changed: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(export(TREE, "xlsx", CONTEXT))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (members | changed).items():
            archive.writestr(name, data)
    return out.getvalue()


def _sheet(rows: str) -> bytes:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'.encode()


def workbook_cells() -> bytes:
    row = "<row>" + "<c><v>1</v></c>" * 200 + "</row>"
    return _workbook(**{_SHEET: _sheet(row * 10_000)})


def workbook_far_row() -> bytes:
    cell = '<row r="1"><c r="A1" t="inlineStr"><is><t>path</t></is></c></row>'
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    return _workbook(**{_SHEET: _sheet(cell + far)})


def workbook_strings() -> bytes:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    strings = f'<sst xmlns="{space}">' + "<si><t>a</t></si>" * 2_000_000 + "</sst>"
    return _workbook(**{"xl/sharedStrings.xml": strings.encode()})


def bundle_of_lists() -> bytes:
    with zipfile.ZipFile(io.BytesIO(write_bundle(TREE, CONTEXT))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    parts = json.loads(members["manifest.json"])["replay"]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, b"[" + b"[]," * 60_000_000 + b"[]]" if name == parts["seed"] else data)
    return out.getvalue()


def parquet_long_text() -> bytes:
    text = pa.array(["x" * 1_000_000]).dictionary_encode()
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 4000, pa.int32()), text.dictionary)
    out = io.BytesIO()
    pq.write_table(pa.table({"text": column, "title": column}), out, compression="zstd")
    return out.getvalue()


def parquet_many_rows() -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"text": pa.nulls(50_000_000, pa.string())}), out, compression="zstd")
    return out.getvalue()


SEEDS = {
    "turtle": (turtle_pairs, turtle_ring),
    "csv": (keyword_rows, wide_row, long_path),
    "json": (empty_objects, deep_json),
    "markdown": (deep_outline,),
    "xlsx": (workbook_cells, workbook_far_row, workbook_strings),
}
CORPORA = (parquet_long_text, parquet_many_rows)
BUNDLES = (bundle_of_lists,)
