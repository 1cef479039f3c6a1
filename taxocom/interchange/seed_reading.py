"""Read a seed tree in whatever format it comes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path, PurePath

from taxocom.errors import SeedError
from taxocom.interchange.base.building import collection_paused
from taxocom.interchange.base.seed_document import SeedDocument
from taxocom.interchange.base.source import Source, open_source
from taxocom.interchange.plain.json_format import read_json
from taxocom.interchange.plain.outline import read_outline
from taxocom.interchange.plain.research_format import ROOT_NAMES, read_research
from taxocom.interchange.skos.skos_reading import read_jsonld, read_rdfxml, read_turtle
from taxocom.interchange.tables.seed_csv import read_csv_seed
from taxocom.interchange.tables.spreadsheet import read_xlsx

READERS: dict[str, Callable[[Source], SeedDocument]] = {
    "json": read_json,
    "csv": read_csv_seed,
    "xlsx": read_xlsx,
    "tsv": read_research,
    "markdown": read_outline,
    "turtle": read_turtle,
    "rdfxml": read_rdfxml,
    "jsonld": read_jsonld,
}
_EXTENSIONS = {
    ".json": "json", ".csv": "csv", ".xlsx": "xlsx", ".xlsm": "xlsx", ".md": "markdown", ".markdown": "markdown",
    ".ttl": "turtle", ".turtle": "turtle", ".nt": "turtle", ".rdf": "rdfxml", ".xml": "rdfxml", ".owl": "rdfxml",
    ".jsonld": "jsonld",
}  # fmt: skip
_HEADER = re.compile(r"\b(?:path|parent|child|preflabel|level[ _-]?\d|keywords)\b")


def read_seed(content: Path | str | bytes, format: str | None = None, *, name: str | None = None) -> SeedDocument:
    """Read a seed from a path or from bytes; without `format` the name and the content tell.

    What is no tree is a SeedError with file, line and remedy; what could be repaired or kept aside is in `problems`.
    """
    source = open_source(content, name)
    chosen = format or guess_format(source)
    if chosen not in READERS:
        raise SeedError(f"{source.name}: no seed can be read from {chosen!r}. Known formats: {', '.join(READERS)}.")
    with collection_paused():
        return READERS[chosen](source)


def guess_format(source: Source) -> str:
    """Tell the format by the name's extension, or by the content where that says nothing or lies."""
    if source.data[:4] == b"PK\x03\x04":
        return "xlsx"
    extension = PurePath(source.name).suffix.lower()
    if extension in _EXTENSIONS and extension != ".json":
        return _EXTENSIONS[extension]
    return _guess_from(source.text())


def _guess_from(text: str) -> str:
    start = text.lstrip()
    if start[:1] in ("{", "["):
        return "jsonld" if re.search(r'"@(?:context|graph|id)"\s*:', text) else "json"
    if start.startswith("<") and re.match(r"<(?:\?xml|rdf:RDF|!DOCTYPE|!--|\w+:?\w*[\s>])", start):
        return "rdfxml"
    if re.search(r"^\s*(?:@prefix|@base|PREFIX|BASE)\s", text, re.MULTILINE):
        return "turtle"
    lines = [line for line in text.splitlines() if line.strip()]
    if any(line.split("\t")[0].strip() in ROOT_NAMES and "\t" in line for line in lines):
        return "tsv"
    first = lines[0].strip().lower() if lines else ""
    if first == "path" or (re.search(r"[,;\t]", first) and _HEADER.search(first)):
        return "csv"
    # A research file without its root line still has names on both sides of its tabs.
    if lines and all(re.match(r"\S.*\t\S", line) for line in lines):
        return "tsv"
    return "markdown"
