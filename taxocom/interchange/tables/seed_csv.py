"""CSV seeds that people make: paths, a column per level, or parent and child."""

from __future__ import annotations

import re
from collections.abc import Sequence

from taxocom.interchange.base.building import TreeBuilder
from taxocom.interchange.base.cells import Row, read_csv
from taxocom.interchange.base.seed_document import SeedDocument
from taxocom.interchange.base.source import Source
from taxocom.interchange.tables.table import is_table, read_table
from taxocom.taxonomy.tree import TopicNode

_PATH = ("path", "topic path", "topic_path", "label path")
_PARENT = ("parent", "parent topic", "broader", "parent_label")
_CHILD = ("child", "topic", "name", "label", "child topic", "narrower")
_KEYWORDS = ("keywords", "keyword", "terms", "further keywords")
_LEVEL = re.compile(r"(?:level|tier|l|depth|topic level)[ _-]?\d+", re.IGNORECASE)
_TOPS = ("", "*", "root")


def read_csv_seed(source: Source) -> SeedDocument:
    """Read a CSV seed; its header tells which of the four shapes it has."""
    return read_rows(source, read_csv(source), "csv")


def read_rows(source: Source, rows: Sequence[Row], format_name: str) -> SeedDocument:
    """Read rows of any of the shapes: our table, paths, parent and child, or a column per level."""
    if not rows:
        raise source.error("no rows found. A seed needs at least one topic.")
    names = [cell.strip().lower() for cell in rows[0].cells]
    if is_table(rows[0].cells):
        return read_table(source, rows, format_name)
    builder = TreeBuilder(source)
    if _index(names, _PATH) is not None:
        _read_paths(builder, rows[1:], names)
    elif _index(names, _PARENT) is not None and _index(names, _CHILD) is not None:
        _read_links(builder, rows[1:], names)
    else:
        _read_levels(builder, rows, names)
    return builder.finish(format_name)


def _read_paths(builder: TreeBuilder, rows: Sequence[Row], names: Sequence[str]) -> None:
    path_column, keyword_column = _index(names, _PATH) or 0, _index(names, _KEYWORDS)
    paths = [_cell(row, path_column) for row in rows]
    separator = ">" if any(">" in path for path in paths) else "/"
    for row, path in zip(rows, paths, strict=True):
        steps = [step.strip() for step in path.strip().strip(separator).split(separator)]
        _enter_path(builder, steps, _keywords(row, keyword_column), row.line)


def _read_links(builder: TreeBuilder, rows: Sequence[Row], names: Sequence[str]) -> None:
    parent_column, child_column = _index(names, _PARENT) or 0, _index(names, _CHILD) or 0
    keyword_column = _index(names, _KEYWORDS)
    links = []
    for row in rows:
        child = builder.name(_cell(row, child_column), row.line)
        key = child.casefold()
        if key not in builder:
            builder.add(key, TopicNode("", child), row.line)
        builder.add_keywords(key, builder.names(_keywords(row, keyword_column), row.line))
        links.append((key, " ".join(_cell(row, parent_column).split()), row.line))
    for key, parent, line in links:
        if parent.casefold() not in _TOPS and parent.casefold() not in builder:
            builder.add(parent.casefold(), TopicNode("", builder.name(parent, line)), line)
        builder.link(key, None if parent.casefold() in _TOPS else parent.casefold(), line)


def _read_levels(builder: TreeBuilder, rows: Sequence[Row], names: Sequence[str]) -> None:
    keyword_column = _index(names, _KEYWORDS)
    has_header = keyword_column is not None or any(_LEVEL.fullmatch(name) for name in names)
    if not has_header:
        builder.problem(
            "info", "no-header", "The first row names no columns we know; it is read as topics.", rows[0].line
        )
    above: list[str] = []
    for row in rows[1:] if has_header else rows:
        cells = [cell.strip() for index, cell in enumerate(row.cells) if index != keyword_column]
        while cells and not cells[-1]:
            cells.pop()
        n_blank = next((index for index, cell in enumerate(cells) if cell), len(cells))
        # A blank cell on the left stands for the cell above it, as people fill in such tables.
        if n_blank > len(above):
            raise builder.source.error(
                f"column {n_blank} is empty and so is everything above it. Name the parent.", row.line
            )
        steps = above[:n_blank] + cells[n_blank:]
        _enter_path(builder, steps, _keywords(row, keyword_column), row.line)
        above = steps


def _enter_path(builder: TreeBuilder, steps: Sequence[str], keywords: Sequence[str], line: int) -> None:
    if not all(steps) or not steps:
        raise builder.source.error(f"the path {' / '.join(steps)!r} has an empty name in it. Name every level.", line)
    parent: tuple[str, ...] = ()
    for step in steps:
        name = builder.name(step, line)
        key = (*parent, name.casefold())
        if key not in builder:
            builder.add(key, TopicNode("", name), line)
            builder.link(key, parent or None, line)
        parent = key
    builder.add_keywords(parent, builder.names(keywords, line))


def _index(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((index for name in wanted for index, found in enumerate(names) if found == name), None)


def _cell(row: Row, index: int) -> str:
    return row.cells[index].strip() if index < len(row.cells) else ""


def _keywords(row: Row, index: int | None) -> list[str]:
    return [] if index is None else [word.strip() for word in re.split(r"[,;|]", _cell(row, index))]
