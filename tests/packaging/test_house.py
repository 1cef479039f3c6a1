"""What keeps the code readable is held here: short functions, short files, each name and each line once."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = [path for top in ("taxocom", "pages", "benchmarks") for path in (ROOT / top).rglob("*.py")]
SOURCES = [ROOT / "app.py", *CODE]
SCRIPTS = sorted((ROOT / "taxocom").rglob("*.js"))
LONGEST_FUNCTION = 60
LONGEST_REPEAT = 12
"""Lines in a row, without blank ones, comments and imports, that may stand in two places."""


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def too_long(text: str, limit: int = LONGEST_FUNCTION) -> list[tuple[str, int]]:
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    lengths = ((node.name, (node.end_lineno or node.lineno) - node.lineno + 1) for node in found)
    return [(name, length) for name, length in lengths if length > limit]


def telling_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        bare = " ".join(line.split())
        if re.search(r"\w", bare) and not re.match(r"#|//|\*|(from|import) ", bare):
            yield number, bare


def repeats(texts: dict[str, str], limit: int = LONGEST_REPEAT) -> list[str]:
    """Name the places where more than `limit` lines in a row are the same as elsewhere."""
    places: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, text in texts.items():
        lines = list(telling_lines(text))
        for start in range(len(lines) - limit):
            run = tuple(bare for _, bare in lines[start : start + limit + 1])
            places[run].append(f"{name}:{lines[start][0]}")
    return [" = ".join(where) for where in places.values() if len(where) > 1]


def test_no_function_outside_the_kernels_is_longer_than_a_page() -> None:
    found = {
        f"{named(path)}: {name}": length
        for path in SOURCES
        if "numerics" not in path.parts
        for name, length in too_long(path.read_text(encoding="utf-8"))
    }
    assert found == {}


def test_a_long_function_is_seen() -> None:
    body = "\n".join(f"    a = {number}" for number in range(LONGEST_FUNCTION))
    assert too_long(f"def long():\n{body}") == [("long", LONGEST_FUNCTION + 1)]
    assert too_long(f"def short():\n{body.rpartition(chr(10))[0]}") == []


def test_every_module_has_a_name_of_its_own() -> None:
    # Migrations are numbered, and `__init__` and `__main__` are Python's names.
    names = Counter(path.stem for path in (ROOT / "taxocom").rglob("*.py") if not path.stem.startswith("__"))
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("kind", ["py", "js"])
def test_nothing_is_written_twice(kind: str) -> None:
    files = SOURCES if kind == "py" else SCRIPTS
    assert len(files) > 10
    assert repeats({named(path): path.read_text(encoding="utf-8") for path in files}) == []


def test_a_repeat_is_seen() -> None:
    lines = [f"a{number} = {number}" for number in range(LONGEST_REPEAT + 1)]
    text = "\n".join(lines)
    assert repeats({"one": text, "two": "other = 1\n\n" + text.replace("\n", "\n\n# why\n")}) == ["one:1 = two:3"]
    assert repeats({"one": text, "two": "\n".join(lines[:-1])}) == []


def fixed_numbers() -> dict[str, str]:
    """Return the constants of the engine and the tagger that hold a number, as the source has them."""
    found = {}
    for path in (path for top in ("expansion", "tagging") for path in (ROOT / "taxocom" / top).rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign):
                for name, value in pairs_of(node):
                    if name.isupper() and any(map(is_number, ast.walk(value))):
                        found[f"{path.stem}.{name}"] = ast.unparse(value)
    return found


def pairs_of(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    target, value = node.targets[0], node.value
    several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
    targets, values = (target.elts, value.elts) if several else ([target], [value])
    yield from ((name.id, each) for name, each in zip(targets, values, strict=True) if isinstance(name, ast.Name))


def is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def test_the_table_of_constants_is_true() -> None:
    rows = re.findall(r"(?m)^\| `([\w.]+)` \| `(.+?)` \| (.+?) \| (.+?) \|$", (ROOT / "docs/constants.md").read_text())
    assert {name: value for name, value, *_ in rows} == fixed_numbers(), "write the constant into docs/constants.md"
    assert all(len(why) > 5 and known for _, _, why, known in rows)
