"""Which document belongs to which topic, as a table."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.parquet as pq

from taxocom.interchange.base.cells import write_csv
from taxocom.interchange.base.context import DocumentAssignment, ExportContext
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy

COLUMNS = ("id", "path", "novel", "score", "topic_id", "title")
_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("path", pa.string()),
        ("novel", pa.bool_()),
        ("score", pa.float64()),
        ("topic_id", pa.string()),
        ("title", pa.string()),
    ]
)


@dataclass(frozen=True)
class _Place:
    path: str
    novel: bool


def write_documents_csv(tree: Taxonomy, context: ExportContext) -> bytes:
    """Write `id,path,novel,score,…`: labels from below the root joined by a slash, empty for what stays at the root."""
    places = _places(tree)
    return write_csv(COLUMNS, (_row(assignment, places) for assignment in context.documents))


def write_documents_parquet(tree: Taxonomy, context: ExportContext) -> bytes:
    """Write the same table as Parquet."""
    places = _places(tree)
    documents = context.documents
    table = pa.table(
        [
            [document.document_id for document in documents],
            [places[document.node_id].path for document in documents],
            [places[document.node_id].novel for document in documents],
            [document.score for document in documents],
            [document.node_id for document in documents],
            [document.title for document in documents],
        ],
        schema=_SCHEMA,
    )
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue()


def placed_documents(full: Taxonomy, kept: Taxonomy, context: ExportContext) -> Iterator[DocumentAssignment]:
    """Yield the documents, those of topics that do not go out with the nearest topic above that does."""
    nearest: dict[str, str] = {}
    for document in context.documents:
        if document.node_id not in nearest:
            above = (
                [ROOT_ID, *full.ancestors_of(document.node_id), document.node_id]
                if document.node_id in full
                else [ROOT_ID]
            )
            nearest[document.node_id] = next(node_id for node_id in reversed(above) if node_id in kept)
        yield replace(document, node_id=nearest[document.node_id])


def _places(tree: Taxonomy) -> dict[str, _Place]:
    places = {ROOT_ID: _Place("", False)}
    for node in tree.walk():
        above = places[tree.parents[node.node_id]]
        path = f"{above.path}/{node.label}" if above.path else node.label
        places[node.node_id] = _Place(path, above.novel or node.origin == "novel")
    return places


def _row(document: DocumentAssignment, places: dict[str, _Place]) -> tuple[str, ...]:
    place = places[document.node_id]
    score = "" if document.score is None else repr(float(document.score))
    return document.document_id, place.path, str(int(place.novel)), score, document.node_id, document.title
