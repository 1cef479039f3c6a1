"""Which source decides what a function or class does: a digest of its definition and of all that it refers to."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


@cache
def source_digest(module: str, name: str, layers: tuple[str, ...]) -> str:
    """Return a digest of a definition and of every definition that it refers to, directly or not.

    Only definitions in these layers count; a layer is a sub-package or a module of the package ("numerics",
    "settings"). So a run may be kept while code beside what it uses changes. Comments, blank lines and docstrings may
    change without another digest. What lies outside the package is digested by its name alone.
    """
    digest = hashlib.sha256()
    for place, defined in sorted(_closure(module, name, layers).items()):
        digest.update(f"{place.module}.{place.name}\0{defined}\0".encode())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, order=True)
class _Symbol:
    """A name at the top level of a module; an empty name stands for all of them."""

    module: str
    name: str


@dataclass
class _Module:
    """What the names at the top level of a module mean: definitions in its text, or something imported."""

    defined: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imported: dict[str, _Symbol] = field(default_factory=dict)


def _closure(module: str, name: str, layers: tuple[str, ...]) -> dict[_Symbol, str]:
    found: dict[_Symbol, str] = {}
    modules: dict[str, _Module] = {}
    pending = [_Symbol(module, name)]
    while pending:
        symbol = pending.pop()
        if symbol in found:
            continue
        read = modules[symbol.module] = modules.get(symbol.module) or _read(symbol.module)
        names = [symbol.name] if symbol.name else [*read.defined]
        statements = [statement for part in names for statement in read.defined.get(part, ())]
        found[symbol] = "\n".join(_executed(statement) for statement in statements)
        pending += [other for other in _referred(symbol, read, statements) if other.module.split(".")[1] in layers]
    return found


def _referred(symbol: _Symbol, read: _Module, statements: Iterable[ast.stmt]) -> Iterator[_Symbol]:
    """Name what some statements of a module refer to in the package; what is imported inside them is read too."""
    if symbol.name in read.imported:
        yield read.imported[symbol.name]
    for statement in statements:
        inner = _Module()
        _note_imports(inner, ast.walk(statement))
        yield from inner.imported.values()
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id in read.imported:
                yield read.imported[node.id]
            elif isinstance(node, ast.Name) and node.id in read.defined:
                yield _Symbol(symbol.module, node.id)


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _read(module: str) -> _Module:
    read = _Module()
    path = _file_of(module)
    if path is not None:
        _note_definitions(read, _parsed(path).body)
    return read


def _note_definitions(read: _Module, body: Iterable[ast.stmt]) -> None:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            read.defined.setdefault(statement.name, []).append(statement)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            _note_imports(read, [statement])
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            _note_definitions(read, [part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.stmt)])
        else:
            stored = (n for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            for target in stored:
                read.defined.setdefault(target.id, []).append(statement)


def _note_imports(read: _Module, nodes: Iterable[ast.AST]) -> None:
    package = _PACKAGE.name
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith(f"{package}."):
                    # `import a.b.c` binds `a`; whatever is used through it is somewhere in the module.
                    read.imported[alias.asname or package] = _Symbol(alias.name, "")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == package:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                symbol = _Symbol(whole, "") if _file_of(whole) else _Symbol(node.module, alias.name)
                if _file_of(symbol.module):
                    read.imported[alias.asname or alias.name] = symbol


def _file_of(name: str) -> Path | None:
    head, *steps = name.split(".")
    if head != _PACKAGE.name or not steps:
        return None
    place = _PACKAGE.joinpath(*steps)
    candidates = place.with_suffix(".py"), place / "__init__.py"
    return next((path for path in candidates if path.is_file()), None)


@cache
def _executed(statement: ast.stmt) -> str:
    """Return a statement's syntax as text, without docstrings and places."""
    plain = ast.parse(ast.unparse(statement))
    for node in ast.walk(plain):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
    return ast.dump(plain)
