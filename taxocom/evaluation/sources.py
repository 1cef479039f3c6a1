"""Which source decides what a module does: a digest of it and of all that it imports from this package."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


@cache
def source_digest(module: str, layers: tuple[str, ...]) -> str:
    """Return a digest of a module and of every module below it that lies in one of these layers.

    A layer is a sub-package or a module of the package ("numerics", "settings"). Only what Python executes counts:
    comments, blank lines and docstrings may change without another digest. A module outside the package is digested
    by its name alone.
    """
    digest = hashlib.sha256()
    for name in sorted(_closure(module, layers)):
        path = _file_of(name)
        digest.update(name.encode() + b"\0")
        if path is not None:
            digest.update(_executed(path.read_text(encoding="utf-8")).encode() + b"\0")
    return digest.hexdigest()[:16]


def _closure(module: str, layers: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    pending = [module]
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        path = _file_of(name)
        if path is not None:
            below = _imported(ast.parse(path.read_text(encoding="utf-8")))
            pending += [other for other in below if _file_of(other) is not None and other.split(".")[1] in layers]
    return found


def _imported(tree: ast.Module) -> Iterator[str]:
    """Name the modules of the package that are imported anywhere in a module, inside functions too."""
    package = _PACKAGE.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith(f"{package}."))
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == package:
            if node.module != package:
                yield node.module
            # What is imported from a package may itself be a module.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _file_of(name: str) -> Path | None:
    head, *steps = name.split(".")
    if head != _PACKAGE.name or not steps:
        return None
    place = _PACKAGE.joinpath(*steps)
    candidates = place.with_suffix(".py"), place / "__init__.py"
    return next((path for path in candidates if path.is_file()), None)


def _executed(source: str) -> str:
    """Return the syntax tree as text, without docstrings and places."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
    return ast.dump(tree)
