"""Whole, well-formed files of every kind that is read, small enough to be spoilt thousands of times."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import tempfile
import zipfile
from decimal import Decimal
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from taxocom.interchange import export, write_bundle
from tests.interchange.samples import CONTEXT, KITCHEN, LOG, TREE

TEXTS = (
    "The league title went to the visitors after a late goal.",
    "Shares of the bank rose as profit beat every forecast; analysts said so.",
    "Le cinéma d’été : un festival, des acteurs, « une fête ».",
    "The senate passed the bill, and the minister resigned.",
    "映画祭で新しい作品が上映された。",
)
_LABELS = ("sport/soccer", '["business", "banks"]', "film > arts", "politics", "")
_ROWS = [
    {"id": str(n), "title": f"Title {n}", "text": text, "label": label, "date": f"2026-11-1{n}"}
    for n, (text, label) in enumerate(zip(TEXTS, _LABELS, strict=True))
]


def _table(separator: str) -> bytes:
    rows = [",".join(_ROWS[0]).replace(",", separator)]
    rows += [separator.join('"' + value.replace('"', '""') + '"' for value in row.values()) for row in _ROWS]
    return ("\n".join(rows) + "\n").encode()


CSV, TSV = _table(","), _table("\t")
JSONL = "".join(json.dumps(row, ensure_ascii=n % 2 == 0) + "\n" for n, row in enumerate(_ROWS)).encode()
LINES = ("\n".join(TEXTS) + "\n").encode()
GZ, XZ = gzip.compress(JSONL, mtime=0), lzma.compress(CSV, preset=0)


def parquet(compression: str) -> bytes:
    columns = {name: [row[name] for row in _ROWS] for name in _ROWS[0]}
    table = pa.table({**columns, "tags": [["a", "b"], [], ["c"], None, ["d"]], "year": [2026] * 5})
    out = io.BytesIO()
    pq.write_table(table, out, compression=compression, row_group_size=3)
    return out.getvalue()


def odd_parquet() -> bytes:
    """Return a table of what other programs write: nested, exact, dated and coded values, and a name twice."""
    n = len(_ROWS)
    columns = {
        "text": pa.array([row["text"] for row in _ROWS], pa.large_string()),
        "label": pa.array([1, 2, 1, 2, 1]).dictionary_encode(),
        "date": pa.array([2**50] * n, pa.timestamp("us", tz="UTC")),
        "title": pa.array([Decimal("9.5")] * n),
        "id": pa.array([b"\xff", b"1", b"2", b"3", None]),
        "place": pa.array([{"a": {"b": [1]}}] * n),
        "links": pa.array([[("a", 1)]] * n, pa.map_(pa.string(), pa.int32())),
        "nothing": pa.nulls(n),
    }
    table = pa.Table.from_arrays([*columns.values(), columns["label"]], names=[*columns, "label"])
    out = io.BytesIO()
    pq.write_table(table, out, compression="none")
    return out.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


FOLDER = {"sport/one.txt": TEXTS[0].encode(), "film/two.txt": TEXTS[2].encode("cp1252"), "three.md": TEXTS[3].encode()}
ZIP = zipped({name.replace(".md", ".txt"): data for name, data in FOLDER.items()})
ZIPPED_TABLE = zipped({"news.csv": CSV})
RESEARCH = {
    "docs.txt": b"late goal league_title\nbank profit rose\nfilm festival actor\n",
    "terms.txt": b"goal\nleague_title\nbank\nprofit\nfilm\nfestival\nactor\n",
    "term_integrity.txt": b"league_title\t0.9\nbank\t0.5\n",
    "doc_labels.txt": b"sport soccer\nbusiness\nfilm\n",
}

OUTLINE = b"Sport: match, league\n  Soccer: goal\n  Tennis\nPolitics\n  - Elections: vote; ballot\n# Film & arts\n"
SIMPLE_JSON = json.dumps(
    {"name": "News", "children": [{"label": "Sport", "keywords": ["goal"], "children": ["Soccer", {"Tennis": None}]}]}
).encode()
PATHS = b'path,keywords\nSport/Soccer,goal; match\nSport/Tennis,\nPolitics,"vote, ballot"\n'
LINKS = b"parent,child,keywords\n*,Sport,goal\nSport,Soccer,\n,Politics,vote\n"
LEVELS = b"level 1,level 2,keywords\nSport,Soccer,goal\n,Tennis,\nPolitics,,vote\n"
SEED_FORMATS = ("json", "csv", "xlsx", "turtle", "jsonld", "rdfxml", "tsv", "markdown")
KITCHEN_TURTLE = KITCHEN.read_bytes()
DECISIONS = "\n".join(json.dumps(entry.to_dict(), ensure_ascii=False) for entry in LOG).encode()


# Made when asked for: a process that spoils one kind of file need not make all of them.
@cache
def exported(name: str) -> bytes:
    """Return the sample tree in one of `SEED_FORMATS`."""
    return export(TREE, name, CONTEXT)


@cache
def bundle() -> bytes:
    """Return the sample tree with its history as a bundle."""
    return write_bundle(TREE, CONTEXT)


@cache
def tagger() -> bytes:
    """Return a tagger of two topics, fitted to a few words."""
    from taxocom.interchange.tagger_archive import write_tagger
    from taxocom.tagging.fitted import fit_tagger, halved
    from taxocom.tagging.tagger_parts import TaggerParts
    from taxocom.tagging.witnesses import read_witnesses
    from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
    from taxocom.text.corpus import Corpus

    texts = [f"{words} number{n}" for n in range(10) for words in ("the league and a late goal", "shares of the bank")]
    tree = Taxonomy.empty()
    for label in ("goal", "bank"):
        tree = tree.with_topic(TopicNode(label, label), ROOT_ID)
    corpus = Corpus.from_documents(texts, seed_phrases=["goal", "bank"])
    witnesses = read_witnesses(corpus)
    fitted = fit_tagger(witnesses, corpus.vocabulary, tree)
    return write_tagger(TaggerParts(fitted, corpus.vocabulary.terms, halved(witnesses.directions.terms)))


@cache
def backup() -> bytes:
    """Return the backup of a small project with decisions and an artifact."""
    from taxocom.store import backup_project, create_project
    from tests.interchange.samples import DECISIONS as DECIDED
    from tests.interchange.samples import SEED

    before = os.environ.get("TAXOCOM_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TAXOCOM_HOME"] = f"{folder}/home"
        try:
            with create_project("News", seed=SEED) as project:
                for decision in DECIDED:
                    project.record(decision, author="Ada")
                project.put_bytes(CSV, "upload", extension="csv")
                project.freeze_release("r1", author="Ada")
                return backup_project(project, Path(folder) / "backup.zip").read_bytes()
        finally:
            if before is None:
                del os.environ["TAXOCOM_HOME"]
            else:
                os.environ["TAXOCOM_HOME"] = before
