"""From topics with keys and parents, in any order, to a tree; what cannot be one is refused with its place."""

from __future__ import annotations

import gc
import math
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from taxocom.errors import DecisionError, SeedError
from taxocom.interchange.base.seed_document import Problem, SeedDocument, Severity
from taxocom.interchange.base.source import MAX_DEPTH, MAX_TOPICS, Source
from taxocom.taxonomy.kinds import PIN_PLACES
from taxocom.taxonomy.mutable_tree import free_text, one_line
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id

RESERVED_IDS = frozenset({ROOT_ID, *PIN_PLACES})


@dataclass
class _Entry:
    node: TopicNode
    line: int | None
    linked: bool = False
    parent: Hashable | None = None
    parent_line: int | None = None
    # Collected apart and joined at the end: a topic may come with thousands of rows.
    keywords: dict[str, None] = field(default_factory=dict)
    properties: list[tuple[str, str]] = field(default_factory=list)

    def settled(self, node_id: str) -> TopicNode:
        """Return the topic with all that was collected for it."""
        node = replace(self.node, node_id=node_id)
        if self.keywords:
            node = replace(node, keywords=tuple(dict.fromkeys([*node.keywords, *self.keywords])))
        return replace(node, properties=(*node.properties, *self.properties)) if self.properties else node


class TreeBuilder:
    """Collects topics under keys (a name, a path, an id, a URI) and links between keys, then builds the tree.

    Topics and the children of one parent keep the order in which they came.
    """

    def __init__(self, source: Source, title: str = "Topics", language: str = "en") -> None:
        self.source = source
        self.root = TopicNode(ROOT_ID, title)
        self.language = language
        self.problems: list[Problem] = []
        self._entries: dict[Hashable, _Entry] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def label_of(self, key: Hashable) -> str:
        """Return the label of the topic with this key."""
        return self._entries[key].node.label

    def problem(self, severity: Severity, code: str, message: str, line: int | None = None) -> None:
        """Note something that a person should know."""
        self.problems.append(Problem(severity, code, message, line))

    def name(self, text: str, line: int | None = None) -> str:
        """Return a clean name, or refuse an empty or unprintable one."""
        try:
            return one_line(text, "The name of a topic")
        except DecisionError as error:
            raise self.source.error(str(error), line) from error

    def names(self, texts: Iterable[str], line: int | None = None) -> tuple[str, ...]:
        """Return clean names, each once, without the empty ones."""
        return tuple(dict.fromkeys(self.name(text, line) for text in texts if text.strip()))

    def text(self, text: str, line: int | None = None) -> str:
        """Return a clean text of any number of lines, or refuse an unprintable one."""
        try:
            return free_text(text, "A text")
        except DecisionError as error:
            raise self.source.error(str(error), line) from error

    def clean(self, node: TopicNode, line: int | None = None) -> TopicNode:
        """Return a topic with clean names and texts; one that is clean already comes back equal."""
        label = self.name(node.label, line)
        scores = sum(
            a.significance + a.relevance + a.integrity + a.distinctiveness + a.popularity for a in node.anchors
        )
        if not math.isfinite(scores + (node.concentration or 0.0)) or (node.n_documents or 0) < 0:
            raise self.source.error(f"{label!r} has a number that is not finite, or fewer than no documents.", line)
        return replace(
            node,
            label=label,
            keywords=self.names(node.keywords, line),
            alt_labels=tuple(name for name in self.names(node.alt_labels, line) if name != label),
            definition=self.text(node.definition, line),
            scope_note=self.text(node.scope_note, line),
            notation=self.text(node.notation, line),
            notes=tuple(filter(None, (self.text(note, line) for note in node.notes))),
        )

    def add(self, key: Hashable, node: TopicNode, line: int | None = None) -> None:
        """Enter a topic; an empty `node_id` means one made from its path."""
        if isinstance(key, tuple) and len(key) > MAX_DEPTH + 1:
            raise self.source.error(f"topics are nested more than {MAX_DEPTH} deep, which no person could read.", line)
        if len(self._entries) >= MAX_TOPICS:
            raise self.source.error(f"more than {MAX_TOPICS} topics. Import a part of the tree.", line)
        self._entries[key] = _Entry(node, line)

    def add_keywords(self, key: Hashable, keywords: tuple[str, ...]) -> None:
        """Let a topic that was entered have further keywords."""
        self._entries[key].keywords.update(dict.fromkeys(keywords))

    def add_property(self, key: Hashable, name: str, value: str) -> None:
        """Let a topic that was entered carry a statement that has no place of its own."""
        self._entries[key].properties.append((name, value))

    def link(self, key: Hashable, parent: Hashable | None, line: int | None = None) -> None:
        """Put a topic under another, None for the root; a second parent is refused, a repetition noted."""
        entry = self._entries[key]
        label = entry.node.label
        if not entry.linked:
            entry.linked, entry.parent, entry.parent_line = True, parent, line
            return
        if entry.parent == parent:
            self.problem("warning", "duplicate", f"{label!r} is listed twice under the same topic; kept once.", line)
            return
        seen = f" (line {entry.parent_line})" if entry.parent_line is not None else ""
        raise self.source.error(
            f"{label!r} is already under {self._place(entry.parent)}{seen}, now also under {self._place(parent)}. "
            "A topic has one parent: remove one of the two, or rename one of them.",
            line,
        )

    def finish(self, format_name: str) -> SeedDocument:
        """Build the tree; a cycle, a clash of ids or too deep a tree is a SeedError."""
        if not self._entries:
            raise self.source.error("no topics found. A seed needs at least one topic.")
        self._settle_orphans()
        below: dict[Hashable | None, list[Hashable]] = {}
        for key, entry in self._entries.items():
            below.setdefault(entry.parent, []).append(key)
        nodes = {ROOT_ID: self.root}
        children: dict[str, list[str]] = {}
        pending: list[tuple[Hashable | None, str, tuple[str, ...]]] = [(None, ROOT_ID, ())]
        while pending:
            parent, parent_id, path = pending.pop()
            if len(path) > MAX_DEPTH:
                raise self.source.error(f"topics are nested more than {MAX_DEPTH} deep, which no person could read.")
            for key in below.get(parent, ()):
                entry = self._entries[key]
                here = (*path, entry.node.label)
                node_id = self._claim_id(entry, here, nodes)
                nodes[node_id] = entry.settled(node_id)
                children.setdefault(parent_id, []).append(node_id)
                pending.append((key, node_id, here))
        if len(nodes) <= len(self._entries):
            raise self._cycle_error()
        tree = Taxonomy(nodes, {parent: tuple(found) for parent, found in children.items()}, self.language)
        self._note_repeated_names(tree)
        return SeedDocument(tree, format_name, self.source.name, tuple(self.problems))

    def _settle_orphans(self) -> None:
        # A file that never names the root means its tops to be tops; one that does has forgotten the others.
        if any(entry.linked and entry.parent is None for entry in self._entries.values()):
            for entry in self._entries.values():
                if not entry.linked:
                    message = f"{entry.node.label!r} is under no other topic in the file; put at the top."
                    self.problem("warning", "orphan", message, entry.line)
        for entry in self._entries.values():
            if entry.parent is not None and entry.parent not in self._entries:
                self.problem(
                    "warning",
                    "orphan",
                    f"{entry.node.label!r} is to go under {entry.parent!r}, which is not in the file; put at the top.",
                    entry.parent_line,
                )
                entry.parent = None

    def _claim_id(self, entry: _Entry, path: tuple[str, ...], nodes: dict[str, TopicNode]) -> str:
        given = entry.node.node_id
        if given in RESERVED_IDS:
            self.problem(
                "warning", "reserved-id", f"The id {given!r} is reserved; {path[-1]!r} got a new one.", entry.line
            )
            given = ""
        node_id = given or topic_id(*path)
        if node_id in nodes:
            raise self.source.error(
                f"{path[-1]!r} and {nodes[node_id].label!r} have the same {'id' if given else 'path'} "
                f"({given or ' / '.join(path)}). Rename one of them, or give it an id of its own.",
                entry.line,
            )
        return node_id

    def _cycle_error(self) -> SeedError:
        cleared: set[Hashable] = set()
        for start in self._entries:
            trail: dict[Hashable, None] = {}
            current: Hashable | None = start
            while current is not None and current not in cleared and current not in trail:
                trail[current] = None
                current = self._entries[current].parent
            if current in trail:
                break
            cleared.update(trail)
        way = list(trail)
        cycle = way[way.index(current) :][::-1]
        shown = " > ".join(self._entries[key].node.label for key in [*cycle, cycle[0]])
        line = self._entries[cycle[0]].parent_line
        return self.source.error(f"the topics go round in a circle: {shown}. Remove one of these links.", line)

    def _note_repeated_names(self, tree: Taxonomy) -> None:
        places: dict[str, list[str]] = {}
        for node in tree.walk():
            places.setdefault(node.label.casefold(), []).append(node.node_id)
        for found in places.values():
            if len(found) > 1:
                paths = ["/".join(tree.path_of(node_id)) for node_id in found[:3]]
                self.problem(
                    "warning",
                    "repeated-name",
                    f"{len(found)} topics have the same name: {', '.join(paths)}{' …' if len(found) > 3 else ''}. "
                    "The corpus cannot tell them apart unless their keywords differ.",
                )

    def _place(self, key: Hashable | None) -> str:
        if key is None:
            return "the root"
        return repr(self._entries[key].node.label) if key in self._entries else repr(key)


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the search for reference cycles: among hundreds of thousands of new objects it takes half of the time.

    Nothing is leaked, since cycles are found afterwards. Whoever paused it lets it go on, so threads may overlap.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
