"""The folders inside a layer form an order: no two of them import each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "taxocom"


def folder_of(module: str) -> tuple[str, ...]:
    """Return the folder of a dotted module name, from the package on."""
    place = PACKAGE.joinpath(*module.split(".")[1:])
    return tuple(module.split(".")[1:]) if place.is_dir() else tuple(module.split(".")[1:-1])


def imports_of(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("taxocom."):
            for name in node.names:
                inner = PACKAGE.joinpath(*f"{node.module}.{name.name}".split(".")[1:])
                is_module = inner.is_dir() or inner.with_suffix(".py").exists()
                yield f"{node.module}.{name.name}" if is_module else str(node.module)


def test_no_two_folders_import_each_other() -> None:
    ways: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    for file in PACKAGE.rglob("*.py"):
        here = file.relative_to(PACKAGE).parent.parts
        # A package's own __init__ hands out names of its rooms; it is a door and no room.
        if file.name != "__init__.py" and here:
            ways |= {(here, folder_of(module)) for module in imports_of(file)}
    assert len(ways) > 100
    assert sorted(way for way in ways if way[0] < way[1] and way[::-1] in ways) == []
