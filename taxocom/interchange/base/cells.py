"""What goes into a cell of a spreadsheet and comes out of it again unchanged, and harmless in between."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from taxocom.interchange.base.source import MAX_BYTES, Source

JOINER = " | "
# What a spreadsheet takes for the start of a formula, full-width forms included.
_FORMULA_STARTS = tuple("=+-@＝＋－＠")
_FIELD_LIMIT = 1_000_000
_MAX_CELLS = 1_000


@dataclass(frozen=True)
class Row:
    """Cells of one row; `line` is where it starts in the file, counted from 1."""

    line: int
    cells: tuple[str, ...]


def neutralised(text: str) -> str:
    """Return text that no spreadsheet runs as a formula: an apostrophe goes in front of what looks like one."""
    return "'" + text if _looks_like_formula(text) else text


def restored(text: str) -> str:
    """Undo `neutralised`."""
    return text[1:] if text.startswith("'") and _looks_like_formula(text[1:]) else text


def joined(values: Iterable[str]) -> str:
    """Put several values into one cell; a bar inside a value is escaped."""
    return JOINER.join(value.replace("\\", "\\\\").replace("|", "\\|") for value in values)


def parted(cell: str) -> tuple[str, ...]:
    """Undo `joined`; spaces around the bars do not matter."""
    values, current = [], ""
    for token in re.findall(r"\\[\\|]|.", cell, re.DOTALL):
        if token == "|":
            values.append(current)
            current = ""
        else:
            current += token[-1]
    return tuple(value.strip() for value in [*values, current] if value.strip())


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Write UTF-8 with a byte order mark, without which Excel takes it for something else."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([neutralised(cell) for cell in row] for row in rows)
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def read_csv(source: Source) -> list[Row]:
    """Read rows separated by comma, semicolon or tab, whichever the first line has most of; blank rows are left out."""
    text = source.text()
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    rows = []
    before = csv.field_size_limit(min(_FIELD_LIMIT, MAX_BYTES))
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        line = 1
        for cells in reader:
            if len(cells) > _MAX_CELLS:
                raise source.error(f"{len(cells)} cells in a row; the limit is {_MAX_CELLS}. Is this the seed?", line)
            if any(cell.strip() for cell in cells):
                rows.append(Row(line, tuple(restored(cell) for cell in cells)))
            line = reader.line_num + 1
    except csv.Error as error:
        raise source.error(f"not valid CSV: {error}. Check the quotes around here.", reader.line_num) from error
    finally:
        csv.field_size_limit(before)
    return rows


def _looks_like_formula(text: str) -> bool:
    bare = text.lstrip("'")
    return bare.startswith(("\t", "\r", "\n")) or bare.lstrip().startswith(_FORMULA_STARTS)
