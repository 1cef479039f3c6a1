"""Our own JSON, versioned and described by a JSON Schema, and the simpler JSON that people write by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

from taxocom.errors import ExportError, InputError
from taxocom.interchange.base.building import TreeBuilder
from taxocom.interchange.base.seed_document import SeedDocument
from taxocom.interchange.base.source import MAX_DEPTH, Source, bounded_json
from taxocom.taxonomy.codec import from_plain, to_plain
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode

FORMAT = "taxocom-taxonomy"
VERSION = 1
# Written even where they say nothing, so that a reader can rely on them.
_ALWAYS = ("center_term", "origin", "anchors", "n_documents", "concentration")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what `write_json` writes."""
    text = resources.files("taxocom.interchange.plain").joinpath("taxonomy.schema.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def to_nested(tree: Taxonomy) -> dict[str, Any]:
    """Return a tree as nested plain data, the root outermost."""
    plain = {node.node_id: _plain_node(node) for node in tree.subtree_of(ROOT_ID)}
    for node_id, data in plain.items():
        data["children"] = [plain[child] for child in tree.children.get(node_id, ())]
    return {**_frame(tree), **plain[ROOT_ID]}


def from_nested(data: Mapping[str, Any], source: Source) -> SeedDocument:
    """Read what `to_nested` returned, strictly."""
    version = data.get("version")
    if version != VERSION:
        raise source.error(
            f"version {version!r} of our JSON; this program reads version {VERSION}. Update the program."
        )
    language = data.get("language", "en")
    if not isinstance(language, str):
        raise source.error(f'the language is {language!r}; give a language tag such as "en".')
    builder = TreeBuilder(source, language=language)
    root = {key: value for key, value in data.items() if key not in ("format", "version", "language")}
    builder.root = _read_node(builder, root, "root")
    if builder.root.node_id != ROOT_ID:
        raise source.error(f"the outermost topic has the id {builder.root.node_id!r}; it must be {ROOT_ID!r}.")
    pending: list[tuple[Any, str | None, str]] = [(data.get("children", []), None, "root")]
    while pending:
        below, parent, where = pending.pop()
        for index, raw in enumerate(_listed(source, below, where)):
            place = f"{where}.children[{index}]"
            node = _read_node(builder, raw, place)
            if node.node_id in builder:
                raise source.error(f"{place}: the id {node.node_id!r} is taken by {builder.label_of(node.node_id)!r}.")
            builder.add(node.node_id, node)
            builder.link(node.node_id, parent)
            pending.append((raw.get("children", []), node.node_id, place))
    return builder.finish("json")


def write_json(tree: Taxonomy) -> bytes:
    """Write our JSON: nested topics, the root outermost, a line a topic, keys in a fixed order."""
    if deepest(tree) > MAX_DEPTH:
        raise ExportError(f"The tree is more than {MAX_DEPTH} levels deep. Write it as CSV or SKOS instead.")
    depths = {ROOT_ID: 0}
    for node in tree.walk():
        depths[node.node_id] = depths[tree.parents[node.node_id]] + 1
    written: dict[str, str] = {}
    # From the leaves up: every topic is put together once the topics below it are.
    for node in reversed(list(tree.subtree_of(ROOT_ID))):
        frame = _frame(tree) if node.node_id == ROOT_ID else {}
        own = json.dumps({**frame, **_plain_node(node)}, ensure_ascii=False)[:-1]
        below = ",\n".join(written.pop(child) for child in tree.children.get(node.node_id, ()))
        indent = " " * depths[node.node_id]
        written[node.node_id] = (
            f'{indent}{own}, "children": [\n{below}]}}' if below else f'{indent}{own}, "children": []}}'
        )
    return (written[ROOT_ID] + "\n").encode()


def read_json(source: Source) -> SeedDocument:
    """Read our JSON, or objects with a name, keywords and children, or objects whose keys are names."""
    data = parse_json(source)
    if isinstance(data, Mapping) and data.get("format") == FORMAT:
        return from_nested(data, source)
    return read_simple(data, source)


def parse_json(source: Source) -> Any:
    """Parse JSON; what is malformed or nested too deep is a SeedError with its line."""
    try:
        return bounded_json(source.text())
    except json.JSONDecodeError as error:
        raise source.error(f"not valid JSON: {error.msg} at column {error.colno}.", error.lineno) from error
    except ValueError as error:
        raise source.error(f"not valid JSON: {error}.") from error


def deepest(tree: Taxonomy) -> int:
    """Return the number of levels below the root."""
    depth, level = 0, list(tree.children.get(ROOT_ID, ()))
    while level:
        depth, level = depth + 1, [child for node_id in level for child in tree.children.get(node_id, ())]
    return depth


def _frame(tree: Taxonomy) -> dict[str, Any]:
    return {"format": FORMAT, "version": VERSION, "language": tree.language}


def _plain_node(node: TopicNode) -> dict[str, Any]:
    plain = to_plain(node)
    always = {name: to_plain(getattr(node, name)) for name in _ALWAYS}
    return {"id": plain.pop("node_id"), "label": plain.pop("label"), **always, **plain}


def _read_node(builder: TreeBuilder, raw: Any, where: str) -> TopicNode:
    if not isinstance(raw, Mapping) or "id" not in raw:
        raise builder.source.error(f'{where}: a topic must be an object with an "id" and a "label".')
    fields = {"node_id" if name == "id" else name: value for name, value in raw.items() if name != "children"}
    try:
        return builder.clean(from_plain(TopicNode, fields, where))
    except InputError as error:
        raise builder.source.error(str(error)) from error


def _listed(source: Source, below: Any, where: str) -> list[Any]:
    if not isinstance(below, list):
        raise source.error(f'{where}: "children" must be a list, found {type(below).__name__}.')
    return below


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
