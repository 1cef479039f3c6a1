"""How an indexed corpus lies on disk: arrays as .npy, raw texts as one UTF-8 file, ids, titles and labels as Arrow."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from taxocom.errors import InputError
from taxocom.numerics.arrays import Ints1d, Offsets
from taxocom.text.input.documents import Document
from taxocom.text.mapping import map_array, map_file

TEXTS, TEXT_OFFSETS = "texts.utf8", "text_offsets.npy"
DOCUMENTS = "documents.arrow"
TOKENS, OFFSETS = "tokens.npy", "offsets.npy"
COUNT_VALUES, COUNT_COLUMNS, COUNT_OFFSETS = "counts_values.npy", "counts_columns.npy", "counts_offsets.npy"
VOCABULARY = "vocabulary.parquet"
META = "meta.json"

FORMAT_VERSION = 1

DOCUMENT_SCHEMA = pa.schema(
    [("id", pa.large_string()), ("title", pa.large_string()), ("labels", pa.list_(pa.string())), ("date", pa.string())]
)
_BATCH = 8192
_COPIED_AT_ONCE = 2**22

Item = TypeVar("Item")


class NpyWriter:
    """Write a one-dimensional .npy file piece by piece, its length known only at the end."""

    def __init__(self, path: Path, dtype: npt.DTypeLike) -> None:
        self._file = path.open("wb")
        self._dtype = np.dtype(dtype)
        self._length = 0
        self._write_header()

    def append(self, values: npt.NDArray[Any]) -> None:
        """Write some more values."""
        self._file.write(np.ascontiguousarray(values, dtype=self._dtype).data)
        self._length += len(values)

    def close(self) -> None:
        """Put the true length into the header and close the file."""
        self._file.seek(0)
        self._write_header()
        self._file.close()

    def _write_header(self) -> None:
        # numpy pads the header so that the first axis may grow without moving the data behind it.
        header = {"shape": (self._length,), "fortran_order": False, "descr": np.lib.format.dtype_to_descr(self._dtype)}
        np.lib.format.write_array_header_1_0(self._file, header)


class DocumentWriter:
    """Write raw texts and what is known of documents, in the order they come."""

    def __init__(self, directory: Path) -> None:
        self._texts = (directory / TEXTS).open("wb")
        self._offsets = NpyWriter(directory / TEXT_OFFSETS, np.int64)
        self._offsets.append(np.zeros(1, dtype=np.int64))
        self._arrow = pa.ipc.new_file(str(directory / DOCUMENTS), DOCUMENT_SCHEMA)
        self._rows: list[Document] = []
        self._ends: list[int] = []
        self._end = 0

    def __enter__(self) -> DocumentWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._flush()
        self._texts.close()
        self._offsets.close()
        self._arrow.close()

    def copy(self, directory: Path) -> None:
        """Write all documents of another corpus, which come first."""
        with (directory / TEXTS).open("rb") as texts:
            shutil.copyfileobj(texts, self._texts, _COPIED_AT_ONCE)
        offsets: Offsets = open_array(directory / TEXT_OFFSETS)
        self._offsets.append(offsets[1:])
        self._end = int(offsets[-1])
        for batch in open_documents(directory).to_batches():
            self._arrow.write_batch(batch)

    def append(self, document: Document) -> bytes:
        """Write one document and return its text as written; what UTF-8 cannot hold is replaced."""
        encoded = document.text.encode("utf-8", "replace")
        self._texts.write(encoded)
        self._end += len(encoded)
        self._ends.append(self._end)
        self._rows.append(document)
        if len(self._rows) >= _BATCH:
            self._flush()
        return encoded

    def _flush(self) -> None:
        rows = self._rows
        columns: list[list[Any]] = [
            [_storable(row.document_id) for row in rows],
            [_storable(row.title) for row in rows],
            [[_storable(label) for label in row.labels] for row in rows],
            [_storable(row.date) for row in rows],
        ]
        arrays = [pa.array(column, kind.type) for column, kind in zip(columns, DOCUMENT_SCHEMA, strict=True)]
        self._arrow.write_batch(pa.record_batch(arrays, schema=DOCUMENT_SCHEMA))
        self._offsets.append(np.array(self._ends, dtype=np.int64))
        self._rows, self._ends = [], []


def _storable(text: str) -> str:
    # Half of a surrogate pair, which JSON may hold, is no character and cannot be written.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


class TermWriter:
    """Write tokens and document-term counts, the documents of a chunk at a time."""

    def __init__(self, directory: Path) -> None:
        self._tokens = NpyWriter(directory / TOKENS, np.int32)
        self._offsets = NpyWriter(directory / OFFSETS, np.int64)
        self._columns = NpyWriter(directory / COUNT_COLUMNS, np.int32)
        self._values = NpyWriter(directory / COUNT_VALUES, np.int32)
        self._rows = NpyWriter(directory / COUNT_OFFSETS, np.int64)
        self._n_tokens = self._n_stored = 0
        for writer in (self._offsets, self._rows):
            writer.append(np.zeros(1, dtype=np.int64))

    def __enter__(self) -> TermWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for writer in (self._tokens, self._offsets, self._columns, self._values, self._rows):
            writer.close()

    def append(self, tokens: Ints1d, offsets: Offsets, columns: Ints1d, values: Ints1d, rows: Offsets) -> None:
        """Write the documents of one chunk; `offsets` and `rows` start from 0."""
        self._tokens.append(tokens)
        self._columns.append(columns)
        self._values.append(values)
        self._offsets.append(self._n_tokens + offsets[1:])
        self._rows.append(self._n_stored + rows[1:])
        self._n_tokens += len(tokens)
        self._n_stored += len(columns)


class LazySequence(Sequence[Item], Generic[Item]):
    """A sequence whose items are made when asked for, from memory-mapped data."""

    def __init__(self, length: int, item: Callable[[int], Item]) -> None:
        self._length = length
        self._item = item

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        if isinstance(index, slice):
            return [self._item(position) for position in range(*index.indices(self._length))]
        position = index + self._length if index < 0 else index
        if not 0 <= position < self._length:
            raise IndexError(f"document {index} of {self._length}")
        return self._item(int(position))

    def __iter__(self) -> Iterator[Item]:
        return map(self._item, range(self._length))


def open_texts(directory: Path) -> LazySequence[str]:
    """Return the raw texts, each decoded when asked for."""
    offsets: Offsets = open_array(directory / TEXT_OFFSETS)
    content = memoryview(map_file(directory / TEXTS))
    return LazySequence(len(offsets) - 1, lambda d: str(content[int(offsets[d]) : int(offsets[d + 1])], "utf-8"))


def open_documents(directory: Path) -> pa.Table:
    """Return what is known of the documents besides their text, mapped and not read."""
    return pa.ipc.open_file(map_file(directory / DOCUMENTS)).read_all()


def open_array(path: Path) -> npt.NDArray[Any]:
    """Map an array from a .npy file for reading."""
    return map_array(path)


def write_meta(
    directory: Path, fingerprint: str, built_from: Mapping[str, object], aliases: Mapping[str, str], report: object
) -> None:
    """Write what the corpus was built from; a directory with this file is whole."""
    meta = {**built_from, "fingerprint": fingerprint, "aliases": dict(aliases), "report": report}
    (directory / META).write_text(json.dumps(meta, ensure_ascii=False, indent=1), encoding="utf-8")


def read_meta(directory: Path) -> dict[str, Any]:
    """Read what the corpus was built from, refusing a directory that is not whole or of another format."""
    path = directory / META
    if not path.is_file():
        raise InputError(f"{directory} holds no indexed corpus ({META} is missing). Index the corpus again.")
    meta: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if meta["format_version"] != FORMAT_VERSION:
        raise InputError(
            f"{directory} was indexed in format {meta['format_version']}, this version reads format {FORMAT_VERSION}. "
            "Index the corpus again."
        )
    return meta
