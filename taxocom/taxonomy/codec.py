"""Frozen dataclasses to plain JSON-able data and back, checked field by field on the way in."""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from taxocom.errors import InputError

Record = TypeVar("Record")


def to_plain(value: Any) -> Any:
    """Return a dataclass (or anything inside one) as dicts, lists, strings and numbers.

    Fields that hold their default are left out, so that a file shows what was said and nothing else.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: to_plain(content)
            for field in dataclasses.fields(value)
            if (content := getattr(value, field.name)) != field.default
        }
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    return value


def from_plain(record: type[Record], data: Any, where: str) -> Record:
    """Build a dataclass from plain data; anything missing, unknown or of the wrong type is an InputError at `where`."""
    if not isinstance(data, Mapping):
        raise InputError(f"{where}: expected an object with named fields, found {_shown(data)}.")
    fields = _fields(cast(Hashable, record))
    unknown = sorted(str(name) for name in data if name not in fields)
    if unknown:
        raise InputError(f"{where}: unknown field {unknown[0]!r}. Known fields: {', '.join(fields)}.")
    missing = sorted(name for name, (_, required) in fields.items() if required and name not in data)
    if missing:
        raise InputError(f"{where}: the field {missing[0]!r} is missing.")
    values = {name: _read(fields[name][0], content, f"{where}.{name}") for name, content in data.items()}
    return record(**values)


@cache
def _fields(record: Any) -> dict[str, tuple[Any, bool]]:
    hints = get_type_hints(record)
    return {
        field.name: (
            hints[field.name],
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(record)
    }


def _read(kind: Any, value: Any, where: str) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in get_args(kind):
            return None
        return _read(next(part for part in get_args(kind) if part is not type(None)), value, where)
    if origin is tuple:
        return _read_tuple(get_args(kind), value, where)
    if origin is Literal:
        if value not in get_args(kind):
            raise InputError(f"{where}: {_shown(value)} is not one of {', '.join(map(repr, get_args(kind)))}.")
        return value
    if dataclasses.is_dataclass(kind):
        return from_plain(kind, value, where)  # type: ignore[arg-type]  # a dataclass type, as just asked
    return _read_scalar(kind, value, where)


def _read_tuple(parts: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise InputError(f"{where}: expected a list, found {_shown(value)}.")
    if len(parts) == 2 and parts[1] is Ellipsis:
        return tuple(_read(parts[0], item, f"{where}[{index}]") for index, item in enumerate(value))
    if len(value) != len(parts):
        raise InputError(f"{where}: expected {len(parts)} values, found {len(value)}.")
    return tuple(
        _read(part, item, f"{where}[{index}]") for index, (part, item) in enumerate(zip(parts, value, strict=True))
    )


def _read_scalar(kind: Any, value: Any, where: str) -> Any:
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise InputError(f"{where}: {_shown(value)} is not a finite number.")
        return number
    # bool is an int to Python but not to a reader of the file.
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise InputError(f"{where}: expected {kind.__name__}, found {_shown(value)}.")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
