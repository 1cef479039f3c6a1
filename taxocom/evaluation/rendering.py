"""Tables as Markdown, and as one page of HTML that calls nobody."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from taxocom.evaluation.result_tables import Spread, Table, Value


def to_markdown(tables: Iterable[Table]) -> str:
    """Write tables as Markdown; text from the corpus is escaped so that it stays text."""
    return "\n".join(_markdown_table(table) for table in tables)


def _markdown_table(table: Table) -> str:
    lines = [f"### {_escape_markdown(table.title)}", "", _escape_markdown(table.caption), ""]
    lines.append("| " + " | ".join(_escape_markdown(column) for column in table.columns) + " |")
    lines.append("|" + "|".join("---:" if _is_number(table, i) else "---" for i in range(len(table.columns))) + "|")
    for i, row in enumerate(table.rows):
        cells = [_escape_markdown(_shown(cell)) for cell in row]
        cells = [f"**{cell}**" if (i, j) in table.best else cell for j, cell in enumerate(cells)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def _shown(cell: Value | Spread) -> str:
    if cell is None:
        return "–"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def _is_number(table: Table, column: int) -> bool:
    return bool(table.rows) and not isinstance(table.rows[0][column], str)


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|!~])", r"\\\1", " ".join(text.split()))


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #1c2733;
       background: #fff }
h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin: 2.2rem 0 .2rem }
p { margin: .2rem 0 .6rem; color: #4a5866; max-width: 60rem }
.scroll { overflow-x: auto } table { border-collapse: collapse; font-size: .9rem }
th, td { padding: .3rem .7rem; border-bottom: 1px solid #dde3e8; text-align: left; vertical-align: top }
th { border-bottom: 2px solid #8a99a6 } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
td.best { font-weight: 700; background: #e6f4ea }
@media (prefers-color-scheme: dark) {
  body { background: #14191f; color: #dfe6ec } p { color: #a4b1bd } td, th { border-color: #33404c }
  td.best { background: #1d3a28 } }
"""


def to_html(title: str, tables: Iterable[Table], *, facts: Sequence[str] = ()) -> str:
    """Write one page of HTML with everything in it: no script, no font, no picture from elsewhere."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body><main>",
        f"<h1>{html.escape(title)}</h1>",
        *(f"<p>{html.escape(fact)}</p>" for fact in facts),
        *(_html_table(table) for table in tables),
        "</main></body></html>",
    ]
    return "\n".join(parts)


def _html_table(table: Table) -> str:
    numbers = [_is_number(table, i) for i in range(len(table.columns))]
    head = "".join(
        f'<th scope="col"{_class("n" * number)}>{html.escape(column)}</th>'
        for column, number in zip(table.columns, numbers, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f"<td{_class('n' * numbers[j], 'best' * ((i, j) in table.best))}>{html.escape(_shown(cell))}</td>"
            for j, cell in enumerate(row)
        )
        + "</tr>"
        for i, row in enumerate(table.rows)
    )
    return (
        f"<section><h2>{html.escape(table.title)}</h2><p>{html.escape(table.caption)}</p>"
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></section>'
    )


def _class(*names: str) -> str:
    kept = " ".join(name for name in names if name)
    return f' class="{kept}"' if kept else ""
