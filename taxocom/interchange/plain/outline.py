"""Indented text and Markdown lists: what a person types, and what a person reads."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass, replace
from typing import cast

from taxocom.interchange.base.building import TreeBuilder
from taxocom.interchange.base.seed_document import SeedDocument
from taxocom.interchange.base.source import Source
from taxocom.taxonomy.tree import Status, Taxonomy, TopicNode

_BULLET = re.compile(r"(?:[-*+•‣◦]|\d+[.)])\s+")
_STATUS = re.compile(r"\s\*\((proposed|rejected)\)\*(?=:|$)")
_TAB = 4
# Signs that Markdown or we ourselves would take for something else.
_SPECIAL = re.compile(r"[\\`*\[\]<>:]|^[-+#]|^\d+(?=[.)])")
_SPECIAL_KEYWORD = re.compile(r"[\\`*\[\]<>:,;]")


@dataclass(frozen=True)
class _Line:
    number: int
    indent: int
    body: str


def read_outline(source: Source) -> SeedDocument:
    """Read a topic a line, deeper by indentation; keywords follow a colon, a `#` heading at the top is the title.

    Spaces, tabs and Markdown bullets may be mixed; a tab is four spaces. A backslash keeps a sign as it is.
    """
    builder = TreeBuilder(source)
    stack: list[tuple[int, tuple[str, ...]]] = []
    for line in _lines(source):
        if line.body.startswith("# ") and not stack:
            builder.root = replace(builder.root, label=builder.name(_unescaped(line.body[2:]), line.number))
            continue
        left: int | None = None
        while stack and stack[-1][0] >= line.indent:
            left = stack.pop()[0]
        if left is not None and left != line.indent:
            raise source.error(
                f"indented by {line.indent}, which is the indentation of no topic above it (the nearest has {left}). "
                "Line it up with its siblings.",
                line.number,
            )
        stack.append((line.indent, _enter(builder, line, stack[-1][1] if stack else ())))
    return builder.finish("markdown")


def write_outline(tree: Taxonomy) -> bytes:
    """Write a Markdown list under the title, keywords after a colon."""
    lines = [f"# {_escaped(tree.root.label, _SPECIAL)}", ""]
    pending = [(node, 0) for node in reversed(tree.children_of(tree.root.node_id))]
    while pending:
        node, depth = pending.pop()
        keywords = ", ".join(_escaped(keyword, _SPECIAL_KEYWORD) for keyword in node.keywords)
        mark = "" if node.status == "approved" else f" *({node.status})*"
        topic = f"{'  ' * depth}- {_escaped(node.label, _SPECIAL)}{mark}"
        lines.append(f"{topic}: {keywords}" if keywords else topic)
        pending.extend((child, depth + 1) for child in reversed(tree.children_of(node.node_id)))
    return ("\n".join(lines) + "\n").encode()


def _lines(source: Source) -> list[_Line]:
    lines = []
    for number, raw in enumerate(source.text().splitlines(), start=1):
        text = raw.expandtabs(_TAB).rstrip()
        body = text.lstrip()
        if body and body != "```" and not re.fullmatch(r"-{3,}", body):
            lines.append(_Line(number, len(text) - len(body), body))
    return lines


def _enter(builder: TreeBuilder, line: _Line, parent: tuple[str, ...]) -> tuple[str, ...]:
    body = _BULLET.sub("", line.body, count=1) if _BULLET.match(line.body) else line.body
    marked = _STATUS.search(body)
    status = cast(Status, marked[1]) if marked else "approved"
    body = _STATUS.sub("", body, count=1)
    label, *rest = _split(body, ":", at_most=1)
    name = builder.name(_unescaped(label), line.number)
    key = (*parent, name.casefold())
    if key in builder:
        builder.problem(
            "warning", "duplicate", f"{name!r} is listed twice under the same topic; kept once.", line.number
        )
    else:
        builder.add(key, TopicNode("", name, status=status), line.number)
        builder.link(key, parent or None, line.number)
    keywords = [_unescaped(keyword) for part in rest for keyword in _split(part, ",;")]
    builder.add_keywords(key, builder.names(keywords, line.number))
    return key


def _split(text: str, breaks: str, at_most: int = -1) -> list[str]:
    parts: list[str] = []
    current = ""
    for token in re.findall(r"\\.|.", text):
        if token in breaks and len(parts) != at_most:
            parts.append(current)
            current = ""
        else:
            current += token
    return [*parts, current]


def _escaped(text: str, special: re.Pattern[str]) -> str:
    # A number before a full stop would start a list: the stop is what must be escaped there.
    return special.sub(lambda found: found[0] + "\\" if found[0].isdigit() else "\\" + found[0], text)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: found[1] if found[1] in string.punctuation else found[0], text)
