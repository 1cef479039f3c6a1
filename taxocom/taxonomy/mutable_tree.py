"""A tree in the making: decisions change it in place, and every change can be taken back exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from taxocom.errors import DecisionError
from taxocom.taxonomy.clashes import Touched
from taxocom.taxonomy.kinds import PIN_PLACES
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Taxonomy, TopicNode

_GONE = object()
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Draft:
    """A mutable copy of a tree with a journal.

    Copying thousands of topics for each of thousands of decisions is what makes a naive replay slow; here a decision
    costs what it changes, and `back_to` a mark costs what was changed since.
    """

    def __init__(self, tree: Taxonomy) -> None:
        self._nodes = dict(tree.nodes)
        self._children = dict(tree.children)
        self._parents = dict(tree.parents)
        self._successors: dict[str, str] = {}
        self._language = tree.language
        self._journal: list[tuple[dict[str, Any], str, Any]] = []

    @property
    def language(self) -> str:
        """The language of the tree."""
        return self._language

    @property
    def nodes(self) -> Mapping[str, TopicNode]:
        """The topics by id."""
        return MappingProxyType(self._nodes)

    @property
    def parents(self) -> Mapping[str, str]:
        """The parent's id for every topic but the root."""
        return MappingProxyType(self._parents)

    def frozen(self) -> Taxonomy:
        """Return the tree as it is now."""
        return Taxonomy(self._nodes, self._children, self._language)

    def mark(self) -> int:
        """Return a point that `back_to` can return to."""
        return len(self._journal)

    def back_to(self, mark: int) -> None:
        """Take back every change made since `mark`."""
        while len(self._journal) > mark:
            table, key, old = self._journal.pop()
            if old is _GONE:
                del table[key]
            else:
                table[key] = old

    def touched(self, start: int, end: int | None = None) -> Touched:
        """Return which topics the changes between two marks touched.

        That a topic got or lost a child is said of its family and not of itself: two people may add to one topic.
        """
        found = Touched()
        for table, key, old in self._journal[start:end]:
            if table is self._nodes or table is self._parents:
                found.changed.add(key)
            elif table is self._children:
                found.families.add(key)
            if table is self._nodes and (old is _GONE or key not in table):
                found.come_or_gone.add(key)
        return found

    def node(self, node_id: str) -> TopicNode:
        """Return a topic, or refuse."""
        if node_id not in self._nodes:
            raise DecisionError(f"There is no topic with the id {node_id!r} in this tree; it may have been removed.")
        return self._nodes[node_id]

    def topic(self, node_id: str, action: str) -> TopicNode:
        """Return a topic that is not the root, or refuse to do `action` to it."""
        node = self.node(node_id)
        if node_id == ROOT_ID:
            raise DecisionError(f"The root cannot be {action}: it stands for the whole taxonomy.")
        return node

    def below(self, node_id: str) -> tuple[str, ...]:
        """Return the ids of the topics directly under one."""
        return self._children.get(node_id, ())

    def is_within(self, node_id: str, top_id: str) -> bool:
        """Tell whether a topic is `top_id` or lies below it."""
        current: str | None = node_id
        while current is not None and current != top_id:
            current = self._parents.get(current)
        return current is not None

    def successor(self, node_id: str) -> str | None:
        """Return the topic that a topic is now: itself, the one it was merged or split into, None if it is gone."""
        current: str | None = node_id
        while current is not None and current not in self._nodes:
            current = self._successors.get(current)
        return current

    def succeed(self, node_id: str, successor_id: str) -> None:
        """Remember which topic stands for one that goes."""
        self._set(self._successors, node_id, successor_id)

    def twin(self, label: str, parent_id: str, other_than: Iterable[str] = ()) -> str | None:
        """Return the id of the child of `parent_id` that already has this label, whatever the case."""
        wanted = label.casefold()
        ignored = set(other_than)
        for child in self.below(parent_id):
            if self._nodes[child].label.casefold() == wanted and child not in ignored:
                return child
        return None

    def refuse_twin(self, label: str, parent_id: str, other_than: Iterable[str] = ()) -> None:
        """Refuse a label that a sibling has: paths would no longer tell the two apart."""
        if self.twin(label, parent_id, other_than) is not None:
            raise DecisionError(
                f"There is already a topic {label!r} under {self.node(parent_id).label!r}. "
                "Choose another name, or merge the two."
            )

    def change(self, node: TopicNode) -> None:
        """Put `node` in the place of the topic with its id."""
        self._set(self._nodes, node.node_id, node)

    def insert(self, node: TopicNode, parent_id: str, position: int | None) -> None:
        """Put a new topic under a parent."""
        if not node.node_id or node.node_id in PIN_PLACES:
            raise DecisionError(f"{node.node_id!r} cannot be the id of a topic. Use an id made by topic_id().")
        if node.node_id in self._nodes:
            raise DecisionError(
                f"The topic id {node.node_id!r} is taken by {self._nodes[node.node_id].label!r}; "
                "this topic may have been accepted already."
            )
        self._drop(self._successors, node.node_id)
        self._set(self._nodes, node.node_id, node)
        self.attach(node.node_id, parent_id, position)

    def attach(self, node_id: str, parent_id: str, position: int | None) -> None:
        """Hang a topic that hangs nowhere under a parent."""
        siblings = list(self.below(parent_id))
        if position is not None and not 0 <= position <= len(siblings):
            raise DecisionError(
                f"Position {position} is outside 0 to {len(siblings)} under {self.node(parent_id).label!r}."
            )
        siblings.insert(len(siblings) if position is None else position, node_id)
        self._set(self._children, parent_id, tuple(siblings))
        self._set(self._parents, node_id, parent_id)

    def detach(self, node_id: str) -> int:
        """Take a topic off its parent, with all below it; return the position it had."""
        parent_id = self._parents[node_id]
        siblings = self._children[parent_id]
        position = siblings.index(node_id)
        self._set(self._children, parent_id, siblings[:position] + siblings[position + 1 :])
        self._drop(self._parents, node_id)
        return position

    def delete(self, node_id: str) -> None:
        """Remove a detached topic and all below it."""
        pending = [node_id]
        while pending:
            current = pending.pop()
            pending.extend(self.below(current))
            self._drop(self._nodes, current)
            self._drop(self._children, current)
            self._drop(self._parents, current)

    def absorb(self, into_id: str, merged_id: str) -> None:
        """Let one topic take in another; children of the same name are taken in likewise."""
        gone: list[str] = []
        pending = [(into_id, merged_id)]
        while pending:
            target_id, gone_id = pending.pop()
            self.detach(gone_id)
            self.change(_joined(self._nodes[target_id], self._nodes[gone_id]))
            for child_id in self.below(gone_id):
                twin_id = self.twin(self._nodes[child_id].label, target_id)
                if twin_id is None:
                    self.detach(child_id)
                    self.attach(child_id, target_id, None)
                else:
                    pending.append((twin_id, child_id))
            self.succeed(gone_id, target_id)
            gone.append(gone_id)
        for gone_id in gone:
            self.delete(gone_id)

    def _set(self, table: dict[str, Any], key: str, value: Any) -> None:
        self._journal.append((table, key, table.get(key, _GONE)))
        table[key] = value

    def _drop(self, table: dict[str, Any], key: str) -> None:
        if key in table:
            self._journal.append((table, key, table.pop(key)))


def one_line(text: str, what: str) -> str:
    """Return a name with single spaces, or refuse one that is empty or has control characters."""
    name = " ".join(text.split())
    if not name:
        raise DecisionError(f"{what} is empty. Type at least one character.")
    return _printable(name, what)


def free_text(text: str, what: str) -> str:
    """Return a text of any number of lines, or refuse one with control characters."""
    return _printable("\n".join(text.replace("\t", "    ").strip().splitlines()), what)


def unique(values: Iterable[str], what: str) -> tuple[str, ...]:
    """Return names in order, each once."""
    return tuple(dict.fromkeys(one_line(value, what) for value in values))


def _printable(text: str, what: str) -> str:
    found = _CONTROL.search(text)
    if found:
        raise DecisionError(f"{what} holds the control character U+{ord(found[0]):04X}; remove it.")
    return text


def _joined(into: TopicNode, gone: TopicNode) -> TopicNode:
    names = dict.fromkeys([*into.alt_labels, gone.label, *gone.alt_labels])
    both = into.n_documents is not None and gone.n_documents is not None
    return into.but(
        keywords=tuple(dict.fromkeys([*into.keywords, *gone.keywords])),
        anchors=_joined_anchors(into.anchors, gone.anchors),
        alt_labels=tuple(name for name in names if name.casefold() != into.label.casefold()),
        definition=into.definition or gone.definition,
        scope_note=into.scope_note or gone.scope_note,
        notation=into.notation or gone.notation,
        notes=tuple(dict.fromkeys([*into.notes, *gone.notes])),
        n_documents=(into.n_documents or 0) + (gone.n_documents or 0) if both else None,
        # A concentration belongs to one set of terms; the joined set has none until the next run.
        concentration=None,
        properties=tuple(dict.fromkeys([*into.properties, *gone.properties])),
    )


def _joined_anchors(first: tuple[AnchorTerm, ...], second: tuple[AnchorTerm, ...]) -> tuple[AnchorTerm, ...]:
    best: dict[str, AnchorTerm] = {}
    for anchor in (*first, *second):
        if anchor.term not in best or anchor.significance > best[anchor.term].significance:
            best[anchor.term] = anchor
    return tuple(best.values())
