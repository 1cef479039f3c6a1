"""Which column of a table is what, guessed from names and values, and a row as a document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from taxocom.errors import InputError
from taxocom.text.input.column_names import DATE, ID, LABEL, TEXT, TITLE
from taxocom.text.input.documents import Document
from taxocom.text.input.tables import Record


@dataclass(frozen=True)
class Columns:
    """The columns that documents are made from; several text columns are joined, in order."""

    text: tuple[str, ...]
    id: str | None = None
    title: str | None = None
    label: str | None = None
    date: str | None = None

    def __post_init__(self) -> None:
        text: str | tuple[str, ...] = self.text
        # A single name is what most people write.
        object.__setattr__(self, "text", (text,) if isinstance(text, str) else tuple(text))

    @property
    def names(self) -> tuple[str, ...]:
        """Every column that is read, each once."""
        others = (self.id, self.title, self.label, self.date)
        return tuple(dict.fromkeys((*self.text, *(name for name in others if name))))

    def check(self, available: Sequence[str], name: str) -> None:
        """Raise if a column is not there."""
        if not self.text:
            raise InputError(f"{name}: no text column chosen. It has: {', '.join(available)}.")
        for column in self.names:
            if column not in available:
                near = get_close_matches(column, available, 1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise InputError(f"{name} has no column {column!r}. It has: {', '.join(available)}.{hint}")


def guess_columns(available: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Columns:
    """Guess what the columns are: by their names, and the text, failing that, by being the longest."""
    sample = list(rows)
    taken: set[str] = set()

    def pick(known: Sequence[str]) -> str | None:
        chosen = _named(known, [name for name in available if name not in taken])
        if chosen is not None:
            taken.add(chosen)
        return chosen

    text = pick(TEXT)
    if text is None:
        text = max(available, key=lambda name: sum(_length(row.get(name)) for row in sample))
        taken.add(text)
    title, document_id, label, date = pick(TITLE), pick(ID), pick(LABEL), pick(DATE)
    return Columns((text,), document_id, title, label, date)


def _named(known: Sequence[str], available: Sequence[str]) -> str | None:
    plain = {name.strip().lower().replace(" ", "_").replace("-", "_"): name for name in reversed(available)}
    for wanted in known:
        if wanted in plain:
            return plain[wanted]
    for wanted in known:
        ending = next((name for name in plain if name.endswith("_" + wanted)), None)
        if ending is not None:
            return plain[ending]
    return None


def document_from(record: Record, columns: Columns, number: int) -> Document:
    """Make a document from a row; without an id column its number is its id."""
    try:
        return _document(record.values, columns, number)
    except RecursionError:
        raise InputError(f"{record.place}: a value is nested too deep. Give texts, or lists of texts.") from None


def _document(values: Mapping[str, Any], columns: Columns, number: int) -> Document:
    texts = (_plain(values.get(name)) for name in columns.text)
    return Document(
        document_id=_plain(values.get(columns.id)).strip() if columns.id else str(number),
        text="\n\n".join(text for text in texts if text),
        title=_plain(values.get(columns.title)).strip() if columns.title else "",
        labels=label_path(values.get(columns.label)) if columns.label else (),
        date=_plain(values.get(columns.date)).strip() if columns.date else "",
    )


def label_path(value: Any) -> tuple[str, ...]:
    """Return a path of topic names from a list, a JSON list, or names joined by a slash (or ">")."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return (value.strip(),)
    if isinstance(value, (list, tuple)):
        return tuple(name for item in value if (name := _plain(item).strip()))
    text = _plain(value)
    return tuple(name for part in text.replace(">", "/").split("/") if (name := part.strip()))


def _length(value: Any) -> int:
    try:
        return len(_plain(value))
    except RecursionError:
        return 0


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return "\n".join(map(_plain, value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)
