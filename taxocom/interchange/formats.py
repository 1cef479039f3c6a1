"""Every format that a taxonomy can leave in, and which of them it can come back from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from taxocom.errors import ExportError
from taxocom.interchange.base.building import collection_paused
from taxocom.interchange.base.context import ExportContext, selected
from taxocom.interchange.base.seed_document import SeedDocument
from taxocom.interchange.plain.classifier import write_classifier
from taxocom.interchange.plain.graphml import write_graphml
from taxocom.interchange.plain.json_format import write_json
from taxocom.interchange.plain.outline import write_outline
from taxocom.interchange.plain.research_format import write_research
from taxocom.interchange.report.html_report import write_report
from taxocom.interchange.seed_reading import READERS, read_seed
from taxocom.interchange.skos.skos_writing import write_jsonld, write_rdfxml, write_turtle
from taxocom.interchange.tables.document_tables import placed_documents, write_documents_csv, write_documents_parquet
from taxocom.interchange.tables.spreadsheet import write_xlsx
from taxocom.interchange.tables.table import write_table_csv
from taxocom.taxonomy.tree import Taxonomy

Write = Callable[[Taxonomy, ExportContext], bytes]


@dataclass(frozen=True)
class Format:
    """A format by the name that the command line knows it by; `file_name` is what it is called in a bundle."""

    name: str
    title: str
    file_name: str
    media_type: str
    description: str
    write: Write
    needs_documents: bool = False

    @property
    def extension(self) -> str:
        """The file's extension, with its dot."""
        return "." + self.file_name.rsplit(".", 1)[1]

    @property
    def readable(self) -> bool:
        """Whether a taxonomy can be read back from it."""
        return self.name in READERS

    def read(self, data: bytes) -> SeedDocument:
        """Read a taxonomy back."""
        if not self.readable:
            raise ExportError(f"{self.title} goes out only. To bring a taxonomy back, export JSON, CSV, XLSX or SKOS.")
        return read_seed(data, self.name, name=self.file_name)


def _plain(write: Callable[[Taxonomy], bytes]) -> Write:
    return lambda tree, _: write(tree)


_ALL = (
    Format("json", "JSON", "taxonomy.json", "application/json",
           "Everything, in our own format with a JSON Schema.", _plain(write_json)),
    Format("csv", "CSV", "topics.csv", "text/csv",
           "One topic per row, with the columns of the SKOS spreadsheet templates.", _plain(write_table_csv)),
    Format("xlsx", "Excel", "topics.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
           "The same table as a workbook.", _plain(write_xlsx)),
    Format("turtle", "SKOS, Turtle", "skos.ttl", "text/turtle",
           "For thesaurus editors and triple stores.", write_turtle),
    Format("jsonld", "SKOS, JSON-LD", "skos.jsonld", "application/ld+json",
           "The same statements for web developers.", write_jsonld),
    Format("rdfxml", "SKOS, RDF/XML", "skos.rdf", "application/rdf+xml",
           "The same statements for older tools.", write_rdfxml),
    Format("graphml", "GraphML", "topics.graphml", "application/graphml+xml",
           "For Gephi, yEd and Cytoscape.", _plain(write_graphml)),
    Format("tsv", "Research TSV", "topics.tsv", "text/tab-separated-values",
           "One parent with its children per line, as the published systems read it.", _plain(write_research)),
    Format("markdown", "Markdown", "outline.md", "text/markdown",
           "An indented list, for reading and for mail.", _plain(write_outline)),
    Format("html", "Report", "report.html", "text/html",
           "One page with tree, map, evidence and decisions; opens without a network.", write_report),
    Format("documents-csv", "Documents, CSV", "documents.csv", "text/csv",
           "Which document belongs to which topic.", write_documents_csv, needs_documents=True),
    Format("documents-parquet", "Documents, Parquet", "documents.parquet", "application/vnd.apache.parquet",
           "The same for data frames.", write_documents_parquet, needs_documents=True),
    Format("classifier", "Classifier keywords", "classifier.zip", "application/zip",
           "label_hier.txt and keywords.txt for a weakly supervised classifier.", _plain(write_classifier)),
)  # fmt: skip

FORMATS: dict[str, Format] = {entry.name: entry for entry in _ALL}
"""The formats by name, in the order in which people want them."""


def export(taxonomy: Taxonomy, format: str, context: ExportContext | None = None) -> bytes:
    """Write a taxonomy in one of `FORMATS`: approved topics only, unless the context asks for more."""
    if format not in FORMATS:
        raise ExportError(f"There is no format {format!r}. Known formats: {', '.join(FORMATS)}.")
    context = context or ExportContext()
    kept = selected(taxonomy, context)
    if not len(kept):
        raise ExportError(
            "There is no topic to export: none is approved. Accept topics first, or export proposed ones too."
        )
    if FORMATS[format].needs_documents:
        context = replace(context, documents=tuple(placed_documents(taxonomy, kept, context)))
    with collection_paused():
        return FORMATS[format].write(kept, context)
