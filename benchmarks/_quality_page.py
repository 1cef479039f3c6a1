"""EVALUATION.md: prose by hand, and between markers what a program wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_BLOCK = re.compile(r"<!-- begin (?P<name>[\w-]+) -->.*?<!-- end (?P=name) -->", re.DOTALL)


def fill(page: str, blocks: Mapping[str, str]) -> str:
    """Put each block between its markers; everything outside markers stays byte for byte.

    A block without markers, or markers without a block, is an error: a table must not be lost nor grow stale.
    """
    marked = [match["name"] for match in _BLOCK.finditer(page)]
    repeated = sorted({name for name in marked if marked.count(name) > 1})
    if repeated:
        raise ValueError(f"The markers of {repeated[0]!r} stand on the page {marked.count(repeated[0])} times.")
    lost = sorted(set(blocks) ^ set(marked))
    if lost:
        where = "is not marked on the page" if lost[0] in blocks else "is marked on the page but was not made"
        raise ValueError(f"The block {lost[0]!r} {where}. Markers: <!-- begin NAME --> … <!-- end NAME -->.")
    return _BLOCK.sub(lambda match: _block(match["name"], blocks[match["name"]]), page)


def _block(name: str, content: str) -> str:
    return f"<!-- begin {name} -->\n\n{content.strip()}\n\n<!-- end {name} -->"


def fill_file(path: Path, blocks: Mapping[str, str]) -> None:
    """Fill the blocks of a file; it is written whole or stays as it was."""
    filled = fill(path.read_text(encoding="utf-8"), blocks)
    partial = path.with_suffix(".partial")
    partial.write_text(filled, encoding="utf-8")
    partial.replace(path)
