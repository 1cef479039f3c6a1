"""JSON as people write it by hand: objects with a name and children, or objects whose keys are the names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from taxocom.interchange.base.building import TreeBuilder
from taxocom.interchange.base.seed_document import SeedDocument
from taxocom.interchange.base.source import Source
from taxocom.taxonomy.tree import TopicNode

_NAMES = ("label", "name", "title", "prefLabel", "topic")
_BELOW = ("children", "topics", "subtopics", "narrower")
_LISTS = {"keywords": "keywords", "alt_labels": "alt_labels", "altLabel": "alt_labels", "notes": "notes"}
_TEXTS = {"id": "node_id", "definition": "definition", "scope_note": "scope_note", "scopeNote": "scope_note",
          "notation": "notation"}  # fmt: skip


@dataclass(frozen=True)
class _Found:
    """A topic and what was written below it."""

    node: TopicNode
    below: Any


def read_simple(data: Any, source: Source) -> SeedDocument:
    """Read nested topics; ids are kept where given and made from the path where not."""
    builder = TreeBuilder(source)
    if isinstance(data, Mapping):
        name = _name_of(data)
        if name is not None and _below(data):
            builder.root = replace(builder.root, label=builder.name(name))
        if name is not None or (set(data) & set(_BELOW) and not set(data) - set(_BELOW)):
            data = _below(data) or data
    pending: list[tuple[Any, tuple[str, ...], str]] = [(data, (), "root")]
    while pending:
        below, parent, where = pending.pop()
        for index, found in enumerate(_topics(builder, below, where)):
            key = (*parent, found.node.label.casefold())
            if key in builder:
                builder.problem(
                    "warning",
                    "duplicate",
                    f"{where}: {found.node.label!r} is listed twice under the same topic; kept once.",
                )
                builder.add_keywords(key, found.node.keywords)
            else:
                builder.add(key, found.node)
                builder.link(key, parent or None)
            pending.append((found.below, key, f"{where}[{index}]"))
    return builder.finish("json")


def _topics(builder: TreeBuilder, below: Any, where: str) -> Iterator[_Found]:
    if below is None or below == "":
        return
    if isinstance(below, str):
        below = [below]
    if isinstance(below, Mapping):
        if _name_of(below) is not None:
            yield _topic(builder, below, where)
            return
        for name, further in below.items():
            yield _Found(TopicNode("", builder.name(str(name))), further)
        return
    if not isinstance(below, list):
        raise builder.source.error(f"{where}: expected topics, found {below!r}. Write names, objects or lists.")
    for index, item in enumerate(below):
        if isinstance(item, str):
            yield _Found(TopicNode("", builder.name(item)), None)
        elif isinstance(item, Mapping):
            yield from _topics(builder, item, f"{where}[{index}]")
        else:
            raise builder.source.error(
                f"{where}[{index}]: expected a topic, found {item!r}. Write a name or an object."
            )


def _topic(builder: TreeBuilder, raw: Mapping[str, Any], where: str) -> _Found:
    fields: dict[str, Any] = {"node_id": ""}
    for name, value in raw.items():
        if name in _LISTS:
            fields[_LISTS[name]] = _strings(builder, value, f"{where}.{name}")
        elif name in _TEXTS:
            fields[_TEXTS[name]] = _string(builder, value, f"{where}.{name}")
        elif name not in (*_NAMES, *_BELOW):
            builder.problem("info", "unknown-field", f"{where}: the field {name!r} means nothing to us; left out.")
    node = TopicNode(label=_name_of(raw) or "", **fields)
    return _Found(builder.clean(node), _below(raw))


def _strings(builder: TreeBuilder, value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.replace(";", ",").split(",") if part.strip())
    if not isinstance(value, list):
        raise builder.source.error(f"{where}: expected a list of strings, found {value!r}.")
    return tuple(_string(builder, item, where) for item in value)


def _string(builder: TreeBuilder, value: Any, where: str) -> str:
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise builder.source.error(f"{where}: expected a string, found {value!r}.")
    return str(value)


def _name_of(raw: Mapping[str, Any]) -> str | None:
    """Return what an object calls itself; an object whose keys are names has no such field with a string."""
    return next((raw[name] for name in _NAMES if isinstance(raw.get(name), str)), None)


def _below(raw: Mapping[str, Any]) -> Any:
    return next((raw[name] for name in _BELOW if name in raw), None)
