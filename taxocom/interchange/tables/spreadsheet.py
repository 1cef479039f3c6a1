"""The table as an Excel workbook."""

from __future__ import annotations

import datetime
import io
import re
import zipfile

from taxocom.errors import ExportError
from taxocom.interchange.base.cells import Row, neutralised, restored
from taxocom.interchange.base.seed_document import SeedDocument
from taxocom.interchange.base.source import MAX_TOPICS, Source
from taxocom.interchange.base.zip_files import Archive, pack
from taxocom.interchange.tables.seed_csv import read_rows
from taxocom.interchange.tables.table import HEADER, table_rows
from taxocom.taxonomy.tree import Taxonomy

SHEET = "Topics"
_WIDTHS = {"prefLabel": 32, "altLabel": 32, "definition": 48, "scopeNote": 40, "keywords": 40, "anchors": 40}
_MAX_COLUMNS = 200
# Four for a cell: a million cells would take minutes to read.
_MAX_TAGS = 1_500_000
# Excel's own limit; openpyxl would cut the text there without a word.
_MAX_CELL = 32_767
_EPOCH = datetime.datetime(1980, 1, 1)
_MODIFIED = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*")


def write_xlsx(tree: Taxonomy) -> bytes:
    """Write the table with a frozen, bold header; every cell is text, and no cell is a formula."""
    # Imported where it is used: it takes a third of a second that no other format needs.
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    # Checked before the workbook is opened: one that is never saved leaves its temporary file behind.
    rows = [[_checked(neutralised(cell), row[1]) if cell else None for cell in row] for row in table_rows(tree)]
    book = Workbook(write_only=True)
    book.properties.created = book.properties.modified = _EPOCH
    book.properties.creator = "TaxoCom Studio"
    sheet = book.create_sheet(SHEET)
    sheet.freeze_panes = "C2"
    for index, name in enumerate(HEADER, start=1):
        sheet.column_dimensions[get_column_letter(index)].width = _WIDTHS.get(name, 16)
    header = [WriteOnlyCell(sheet, value=name) for name in HEADER]
    for cell in header:
        cell.font = Font(bold=True)
    sheet.append(header)
    for cells in rows:
        sheet.append(cells)
    out = io.BytesIO()
    book.save(out)
    with zipfile.ZipFile(out) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    # openpyxl stamps the moment of saving on the workbook; the same tree must give the same bytes.
    core = "docProps/core.xml"
    members[core] = _MODIFIED.sub(rb"\g<1>1980-01-01T00:00:00Z", members[core])
    return pack(members)


def read_xlsx(source: Source) -> SeedDocument:
    """Read the first sheet, in any of the shapes that CSV may have; formulas count as their last results."""
    from openpyxl import load_workbook

    if Archive(source).count(b"<") > _MAX_TAGS:
        raise source.error("this workbook holds too much for a tree of topics. Save the sheet of topics as .csv.")
    try:
        book = load_workbook(io.BytesIO(source.data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        # The file may claim any size for itself; without one, rows are as wide as what is in them.
        sheet.reset_dimensions()
        rows = [
            Row(line, tuple(_text(value) for value in values[:_MAX_COLUMNS]))
            for line, values in enumerate(sheet.iter_rows(max_row=MAX_TOPICS + 2, values_only=True), start=1)
            if any(value is not None and str(value).strip() for value in values[:_MAX_COLUMNS])
        ]
    # openpyxl raises whatever its parts raise on a damaged file, bare TypeErrors included.
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise source.error(f"not a workbook that can be read ({reason}). Save it as .xlsx or .csv again.") from error
    width = max((len(row.cells) for row in rows), default=0)
    used = max((i + 1 for row in rows for i in range(width) if i < len(row.cells) and row.cells[i]), default=0)
    return read_rows(source, [Row(row.line, row.cells[:used]) for row in rows], "xlsx")


def _text(value: object) -> str:
    if value is None:
        return ""
    # Excel has no whole numbers: 3 comes back as 3.0 from some programs.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return restored(str(value))


def _checked(cell: str, label: str) -> str:
    if len(cell) > _MAX_CELL:
        raise ExportError(f"A text of {label!r} has {len(cell)} characters; a cell holds {_MAX_CELL}. Use CSV or JSON.")
    return cell
