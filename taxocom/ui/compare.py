"""What changed between two trees, in words a person would use. Topics are matched by their ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from taxocom.taxonomy.tree import Taxonomy

ChangeKind = Literal["added", "removed", "renamed", "moved", "edited"]


@dataclass(frozen=True)
class Change:
    """One difference: which topic, where it is (or was), and what is different about it."""

    kind: ChangeKind
    node_id: str
    path: str
    detail: str


def compare(before: Taxonomy, after: Taxonomy) -> list[Change]:
    """Return every difference in the order of the newer tree, with removed topics last."""
    found: list[Change] = []
    for node in after.walk():
        path = " › ".join(after.path_of(node.node_id))
        if node.node_id not in before:
            found.append(Change("added", node.node_id, path, node.origin))
            continue
        old = before[node.node_id]
        if old.label != node.label:
            found.append(Change("renamed", node.node_id, path, f"was {old.label}"))
        old_parent, parent = before.parent_of(node.node_id), after.parent_of(node.node_id)
        if old_parent != parent and old_parent is not None:
            was = " › ".join(before.path_of(old_parent)) or before.root.label
            found.append(Change("moved", node.node_id, path, f"was under {was}"))
        edited = [
            word
            for name, word in (
                ("keywords", "keywords"),
                ("definition", "definition"),
                ("scope_note", "scope note"),
                ("notes", "notes"),
                ("status", "status"),
                ("alt_labels", "other names"),
            )
            # An old name among the other names is what a rename leaves behind, said above already.
            if getattr(old, name) != getattr(node, name) and not (name == "alt_labels" and old.label != node.label)
        ]
        if edited:
            found.append(Change("edited", node.node_id, path, ", ".join(edited)))
    found += [
        Change("removed", node.node_id, " › ".join(before.path_of(node.node_id)), "")
        for node in before.walk()
        if node.node_id not in after
    ]
    return found
