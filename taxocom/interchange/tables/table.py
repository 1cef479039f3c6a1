"""A taxonomy as a table with the columns of the SKOS spreadsheet templates, a topic a row, the root first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast, get_args

from taxocom.interchange.base.building import TreeBuilder
from taxocom.interchange.base.cells import Row, joined, parted, read_csv, write_csv
from taxocom.interchange.base.seed_document import SeedDocument
from taxocom.interchange.base.source import Source, bounded_json
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Origin, Status, Taxonomy, TopicNode

HEADER = (
    "id", "prefLabel", "altLabel", "definition", "scopeNote", "notation", "broader", "editorialNote", "keywords",
    "centerTerm", "anchors", "anchorScores", "origin", "status", "documents", "concentration", "properties", "language",
)  # fmt: skip
_BY_LOWER = {name.lower(): name for name in HEADER}
_SYNONYMS = {
    "label": "prefLabel", "name": "prefLabel", "uri": "id", "parent": "broader", "note": "editorialNote",
    "synonyms": "altLabel", "concept": "id",
}  # fmt: skip


def write_table_csv(tree: Taxonomy) -> bytes:
    """Write the table as CSV."""
    return write_csv(HEADER, table_rows(tree))


def read_table_csv(source: Source) -> SeedDocument:
    """Read the table from CSV; only `prefLabel` must be there."""
    return read_table(source, read_csv(source), "csv")


def table_rows(tree: Taxonomy) -> Iterator[tuple[str, ...]]:
    """Yield a row per topic, parents before children: their order is the order of siblings."""
    for node in tree.subtree_of(ROOT_ID):
        parent = tree.parent_of(node.node_id)
        is_root = node.node_id == ROOT_ID
        yield (
            node.node_id,
            node.label,
            joined(node.alt_labels),
            node.definition,
            node.scope_note,
            node.notation,
            # Top topics have no broader one, as SKOS templates have it; the root is the scheme.
            "" if parent in (None, ROOT_ID) else str(parent),
            joined(node.notes),
            joined(node.keywords),
            node.center_term,
            joined(anchor.term for anchor in node.anchors),
            joined("/".join(map(repr, _scores(anchor))) for anchor in node.anchors),
            node.origin,
            node.status,
            "" if node.n_documents is None else str(node.n_documents),
            "" if node.concentration is None else repr(node.concentration),
            json.dumps(node.properties, ensure_ascii=False) if node.properties else "",
            tree.language if is_root else "",
        )


def is_table(header: Sequence[str]) -> bool:
    """Tell whether a header row is one of ours or of a SKOS template."""
    names = {_column(cell) for cell in header}
    return "prefLabel" in names and bool(names & {"id", "broader", "altLabel", "definition", "notation"})


def read_table(source: Source, rows: Sequence[Row], format_name: str) -> SeedDocument:
    """Build a tree from a table; `broader` may hold ids or labels, and a second broader topic is kept as a property."""
    if not rows or "prefLabel" not in {_column(cell) for cell in rows[0].cells}:
        raise source.error(
            "the table needs a first row with the column prefLabel. See the columns of our CSV export.", 1
        )
    columns = [_column(cell) for cell in rows[0].cells]
    builder = TreeBuilder(source)
    for cell, column in zip(rows[0].cells, columns, strict=True):
        if cell.strip() and column not in HEADER:
            builder.problem("info", "unknown-column", f"The column {cell!r} is kept as a property of each topic.", 1)
    records = [(row.line, _record(row, columns)) for row in rows[1:]]
    parents: list[tuple[str, tuple[str, ...], int]] = []
    by_label: dict[str, str] = {}
    for line, record in records:
        node = _read_row(builder, record, line)
        if node.node_id == ROOT_ID:
            builder.root = node
            builder.language = record.get("language", "").strip() or builder.language
            continue
        key = node.node_id or f"line {line}"
        if key in builder:
            raise source.error(f"the id {key!r} is taken by {builder.label_of(key)!r}. Ids must be unique.", line)
        builder.add(key, node, line)
        by_label.setdefault(node.label.casefold(), key)
        parents.append((key, parted(record.get("broader", "")), line))
    for key, broader, line in parents:
        found = [
            name if name in builder else by_label.get(name.casefold(), name) for name in broader if name != ROOT_ID
        ]
        builder.link(key, found[0] if found else None, line)
        for name in found[1:]:
            builder.add_property(key, "broader", name)
            builder.problem(
                "warning", "polyhierarchy", f"{builder.label_of(key)!r} has a second broader topic {name!r}; "
                "a topic has one parent here, so it is kept as a property.", line,
            )  # fmt: skip
    return builder.finish(format_name)


def _read_row(builder: TreeBuilder, record: Mapping[str, str], line: int) -> TopicNode:
    def said(column: str) -> str:
        return record.get(column, "").strip()

    extra = tuple((name, value.strip()) for name, value in record.items() if name not in HEADER and value.strip())
    node = TopicNode(
        said("id"),
        said("prefLabel"),
        center_term=said("centerTerm"),
        keywords=parted(said("keywords")),
        anchors=_anchors(builder, said("anchors"), said("anchorScores"), line),
        origin=cast(Origin, _choice(builder, said("origin") or "seed", get_args(Origin), "origin", line)),
        status=cast(Status, _choice(builder, said("status") or "approved", get_args(Status), "status", line)),
        alt_labels=parted(said("altLabel")),
        definition=said("definition"),
        scope_note=said("scopeNote"),
        notation=said("notation"),
        notes=parted(said("editorialNote")),
        n_documents=_number(builder, said("documents"), int, "documents", line),
        concentration=_number(builder, said("concentration"), float, "concentration", line),
        properties=(*_properties(builder, said("properties"), line), *extra),
    )
    return builder.clean(node, line)


def _record(row: Row, columns: Sequence[str]) -> dict[str, str]:
    record: dict[str, str] = {}
    for column, cell in zip(columns, row.cells, strict=False):
        if column and cell.strip():
            # Templates repeat a column for further values.
            record[column] = record[column] + "|" + cell if column in record else cell
    return record


def _column(cell: str) -> str:
    name = cell.strip().removeprefix("skos:").split("@")[0].strip()
    return _SYNONYMS.get(name.lower(), _BY_LOWER.get(name.lower(), name))


def _scores(anchor: AnchorTerm) -> tuple[float, ...]:
    return anchor.significance, anchor.relevance, anchor.integrity, anchor.distinctiveness, anchor.popularity


def _anchors(builder: TreeBuilder, terms: str, scores: str, line: int) -> tuple[AnchorTerm, ...]:
    names, numbers = parted(terms), parted(scores)
    if numbers and len(names) != len(numbers):
        raise builder.source.error(f"{len(names)} anchors but {len(numbers)} anchorScores; they must pair up.", line)
    try:
        parts = [tuple(float(number) for number in cell.split("/")) for cell in numbers] or [(0.0,)] * len(names)
        return tuple(AnchorTerm(name, *part) for name, part in zip(names, parts, strict=True))
    except (ValueError, TypeError) as error:
        raise builder.source.error("anchorScores must be numbers separated by slashes, as in 0.9/0.8.", line) from error


def _choice(builder: TreeBuilder, value: str, allowed: tuple[str, ...], column: str, line: int) -> str:
    if value not in allowed:
        raise builder.source.error(f"{column} is {value!r}; it must be one of {', '.join(allowed)}.", line)
    return value


def _number(builder: TreeBuilder, cell: str, kind: Any, column: str, line: int) -> Any:
    try:
        return kind(cell) if cell else None
    except ValueError as error:
        raise builder.source.error(f"{column} is {cell!r}, which is not a number.", line) from error


def _properties(builder: TreeBuilder, cell: str, line: int) -> tuple[tuple[str, str], ...]:
    if not cell:
        return ()
    try:
        return tuple((str(name), str(value)) for name, value in bounded_json(cell))
    except (ValueError, TypeError) as error:
        message = 'properties must be a JSON list of pairs, as in [["name", "value"]].'
        raise builder.source.error(message, line) from error
