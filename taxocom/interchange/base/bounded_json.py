"""JSON from strangers: refused before it fills the memory, and never nested deeper than Python can walk."""

from __future__ import annotations

import json
from typing import Any

from taxocom.interchange.base.source import MAX_DEPTH

# A topic's children are a list in an object, and its anchors are a level below that.
_MAX_NESTING = 2 * MAX_DEPTH + 20
_MAX_MEMORY = 600 * 2**20
# What Python needs for an object or list, and for a string or a place in a list, beyond the characters.
_PER_BRACKET, _PER_QUOTE, _PER_COMMA = 72, 30, 16


def bounded_json(text: str) -> Any:
    """Parse JSON; what is malformed, nested too deep or would need too much memory is a ValueError."""
    needed = (
        _PER_BRACKET * (text.count("{") + text.count("["))
        + _PER_QUOTE * text.count('"')
        + _PER_COMMA * text.count(",")
        + len(text)
    )
    if needed > _MAX_MEMORY:
        raise ValueError("it holds more values than any tree of topics has")
    try:
        data = json.loads(text)
    except RecursionError:
        raise ValueError(f"nested more than {MAX_DEPTH} deep, which no person could read") from None
    level: list[Any] = [data]
    for _ in range(_MAX_NESTING):
        level = [
            item
            for value in level
            if isinstance(value, (dict, list))
            for item in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return data
    raise ValueError(f"nested more than {MAX_DEPTH} deep, which no person could read")
