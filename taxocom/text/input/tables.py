"""Records from CSV, TSV, JSON lines and Parquet, one after another."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from taxocom.errors import InputError
from taxocom.text.input.column_names import KNOWN_NAMES
from taxocom.text.input.documents import LoadingReport
from taxocom.text.input.lines import MAX_CHARACTERS, read_lines
from taxocom.text.input.opening import MAX_RATIO, SMALL_ENOUGH, ByteSource, bomb

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 50
_LONGEST_NAME = 60
_BATCH_ROWS = 256
_MOST_ROWS_A_BYTE = 200


@dataclass(frozen=True)
class Record:
    """One row: its values by column, and where it stands, for messages."""

    values: Mapping[str, Any]
    place: str


@dataclass(frozen=True)
class Dialect:
    """How a table of cells is written; without a header, `columns` are numbered."""

    delimiter: str
    columns: tuple[str, ...]
    has_header: bool


def sniff_table(source: ByteSource, encoding: str, delimiter: str | None = None) -> Dialect:
    """Find out what parts the cells, and whether the first row names the columns."""
    choices = _DELIMITERS if delimiter is None else delimiter
    samples = _samples(source, encoding, choices)

    def regularity(choice: str) -> tuple[float, int]:
        (width, n_rows), *_ = Counter(map(len, samples[choice])).most_common(1)
        return (n_rows / len(samples[choice]) if width > 1 else 0.0, width)

    best = max(samples, key=regularity)
    rows = samples[best]
    if _is_header(rows[0]):
        return Dialect(best, _column_names(rows[0]), has_header=True)
    width = max(map(len, rows))
    return Dialect(best, tuple(f"column {number}" for number in range(1, width + 1)), has_header=False)


def _samples(source: ByteSource, encoding: str, delimiters: str) -> dict[str, list[list[str]]]:
    """Return the first rows as each delimiter would part them; a wrong one may find a quote that never closes."""
    samples: dict[str, list[list[str]]] = {}
    errors: list[InputError] = []
    for delimiter in delimiters:
        try:
            samples[delimiter] = _sample_rows(source, encoding, delimiter)
        except InputError as error:
            errors.append(error)
    if errors and max((max(map(len, rows)) for rows in samples.values()), default=0) < 2:
        raise errors[0]
    return samples


def _sample_rows(source: ByteSource, encoding: str, delimiter: str) -> list[list[str]]:
    rows = [row for _, row in islice(_rows(source, encoding, delimiter, LoadingReport()), _SAMPLE_ROWS)]
    if not rows:
        raise InputError(f"{source.name} holds no rows. Give a file with documents.")
    return rows


def _is_header(row: Sequence[str]) -> bool:
    """Tell whether a row names the columns: short, no numbers, and either all different or known from elsewhere."""
    names = [name for cell in row if (name := cell.strip())]
    if not names or any(len(name) > _LONGEST_NAME or name.replace(".", "").isdigit() for name in names):
        return False
    known = any(name.lower() in KNOWN_NAMES for name in names)
    return known or (len(row) > 1 and len(set(names)) == len(names))


def _column_names(header: Sequence[str]) -> tuple[str, ...]:
    """Return a name for every column, each once: an unnamed one is numbered, a repeated one too."""
    names: dict[str, None] = {}
    for number, cell in enumerate(header, 1):
        name = cell.strip() or f"column {number}"
        names[name if name not in names else f"{name} (column {number})"] = None
    return tuple(names)


def _rows(source: ByteSource, encoding: str, delimiter: str, report: LoadingReport) -> Iterator[tuple[int, list[str]]]:
    # The limit is the csv module's own and holds for the whole process; it guards against a quote that never closes.
    csv.field_size_limit(MAX_CHARACTERS)
    # Closed by hand: an error keeps its frames alive, and with them the file.
    with closing(read_lines(source, encoding, report, ends=True)) as lines:
        reader = csv.reader((line.text for line in lines), delimiter=delimiter, strict=False)
        while True:
            start = reader.line_num + 1
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise InputError(
                    f"{source.name}, the row from line {start}: {error}. A quotation mark is probably never closed: "
                    "close it, or double it inside a cell."
                ) from error
            if row:
                yield start, row


def read_table(source: ByteSource, encoding: str, dialect: Dialect, report: LoadingReport) -> Iterator[Record]:
    """Yield the rows of a CSV or TSV file. More cells than columns are an error, fewer leave the last ones empty."""
    rows = _rows(source, encoding, dialect.delimiter, report)
    if dialect.has_header:
        next(rows)
    width = len(dialect.columns)
    for line, row in rows:
        if len(row) > width and any(cell.strip() for cell in row[width:]):
            raise InputError(
                f"{source.name}, line {line}: {len(row)} cells, but {width} columns. A cell that holds "
                f"{dialect.delimiter!r} must stand in quotation marks."
            )
        yield Record(dict(zip(dialect.columns, row, strict=False)), f"{source.name}, line {line}")


def read_json_lines(source: ByteSource, encoding: str, report: LoadingReport) -> Iterator[Record]:
    """Yield the objects of a file with one JSON object a line."""
    for line in read_lines(source, encoding, report):
        if not line.text.strip():
            continue
        place = f"{source.name}, line {line.number}"
        try:
            values = json.loads(line.text)
        except (ValueError, RecursionError) as error:
            reason = "nested too deep" if isinstance(error, RecursionError) else error
            raise InputError(f"{place} is not JSON: {reason}. Each line must be one whole JSON object.") from error
        if not isinstance(values, dict):
            raise InputError(
                f"{place} is a JSON {_json_kind(values)}, not an object. Each line must be one object, such as "
                '{"id": "1", "text": "…"}.'
            )
        yield Record(values, place)


def _json_kind(value: object) -> str:
    return {list: "array", str: "string", bool: "truth value", type(None): "null"}.get(type(value), "number")


def json_columns(source: ByteSource, encoding: str) -> tuple[str, ...]:
    """Return the names that the first objects of a JSON lines file have, in the order met."""
    names: dict[str, None] = {}
    for record in islice(read_json_lines(source, encoding, LoadingReport()), _SAMPLE_ROWS):
        names.update(dict.fromkeys(record.values))
    if not names:
        raise InputError(f"{source.name} holds no objects. Give a file with documents.")
    return tuple(names)


def parquet_columns(path: Path) -> tuple[str, ...]:
    """Return the names of a Parquet file's columns."""
    with _open_parquet(path) as file:
        try:
            return tuple(file.schema_arrow.names)
        except (pa.ArrowException, ValueError) as error:
            raise InputError(f"{path}: the names of its columns cannot be read ({error}). Write it again.") from error


def read_parquet(path: Path, columns: Sequence[str], report: LoadingReport) -> Iterator[Record]:
    """Yield the rows of a Parquet file, some columns of them."""
    row = n_read = 0
    size = path.stat().st_size
    with _open_parquet(path) as file:
        try:
            for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=list(columns), use_threads=False):
                report.fraction = row / max(1, file.metadata.num_rows)
                for values in _values(batch):
                    row += 1
                    n_read += sum(len(value) for value in values.values() if isinstance(value, (str, bytes)))
                    if n_read > SMALL_ENOUGH and n_read > MAX_RATIO * size:
                        raise bomb(str(path), n_read, size)
                    yield Record(values, f"{path}, row {row}")
        except (pa.ArrowException, OSError, ValueError, OverflowError, NotImplementedError) as error:
            raise InputError(f"{path} is damaged after row {row} ({error}). Fetch or write it again.") from error


def _values(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Yield rows; one at a time where a long text, kept once for many rows, would be written out for all of them."""
    longest = sum(
        pc.max(pc.binary_length(column.dictionary)).as_py() or 0
        for column in batch.columns
        if pa.types.is_dictionary(column.type)
    )
    if longest * batch.num_rows < SMALL_ENOUGH:
        yield from batch.to_pylist()
        return
    for index in range(batch.num_rows):
        yield {name: batch.column(name)[index].as_py() for name in batch.schema.names}


def _open_parquet(path: Path) -> pq.ParquetFile:
    try:
        with pq.ParquetFile(path) as file:
            texts = _texts(path, file)
        # Left as numbers into the distinct values, as the file has them: written out they may be any size. Arrow's
        # threads, which it also reads ahead with, wait for ever where memory is too short to start one.
        return pq.ParquetFile(path, read_dictionary=texts, pre_buffer=False)
    except (pa.ArrowException, OSError, ValueError, OverflowError, NotImplementedError) as error:
        raise InputError(f"{path} is not a whole Parquet file ({error}). Fetch or write it again.") from error


def _texts(path: Path, file: pq.ParquetFile) -> list[str]:
    """Return the columns of texts, having refused a file that means harm.

    What the file says of single columns is not asked: pyarrow ends the process where that is damaged.
    """
    size, metadata = path.stat().st_size, file.metadata
    unpacked = sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
    if unpacked > SMALL_ENOUGH and unpacked > MAX_RATIO * size:
        raise bomb(str(path), unpacked, size)
    if metadata.num_rows > _MOST_ROWS_A_BYTE * size:
        raise InputError(f"{path} claims {metadata.num_rows:,} rows in {size:,} bytes, so they cannot be texts.")
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return [field.name for field in file.schema_arrow if any(kind(field.type) for kind in kinds)]
