"""The pages of docs/evaluation: prose by hand, and between markers what a program wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_BLOCK = re.compile(r"<!-- begin (?P<name>[\w-]+) -->.*?<!-- end (?P=name) -->", re.DOTALL)


def fill(pages: Mapping[str, str], blocks: Mapping[str, str]) -> dict[str, str]:
    """Put each block between its markers; everything outside markers stays byte for byte.

    A block without markers, or markers without a block, is an error: a table must not be lost nor grow stale.
    """
    marked = [match["name"] for text in pages.values() for match in _BLOCK.finditer(text)]
    repeated = sorted({name for name in marked if marked.count(name) > 1})
    if repeated:
        raise ValueError(f"The markers of {repeated[0]!r} stand on the pages {marked.count(repeated[0])} times.")
    lost = sorted(set(blocks) ^ set(marked))
    if lost:
        where = "is not marked on any page" if lost[0] in blocks else "is marked on a page but was not made"
        raise ValueError(f"The block {lost[0]!r} {where}. Markers: <!-- begin NAME --> … <!-- end NAME -->.")
    return {name: _BLOCK.sub(lambda found: _block(found["name"], blocks[found["name"]]), pages[name]) for name in pages}


def _block(name: str, content: str) -> str:
    return f"<!-- begin {name} -->\n\n{content.strip()}\n\n<!-- end {name} -->"


def fill_folder(folder: Path, blocks: Mapping[str, str]) -> None:
    """Fill the blocks of all pages of a folder; each page is written whole, and none if any block has no place."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    for name, text in fill(pages, blocks).items():
        if text != pages[name]:
            partial = folder / f"{name}.partial"
            partial.write_text(text, encoding="utf-8")
            partial.replace(folder / name)
