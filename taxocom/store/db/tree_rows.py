"""A tree of topics as the database keeps it, checked on the way out: a restored file may come from anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from taxocom.errors import StoreError
from taxocom.taxonomy.codec import from_plain, to_plain
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode


def tree_to_plain(tree: Taxonomy) -> dict[str, Any]:
    """Return a tree as plain data for JSON."""
    return {
        "language": tree.language,
        "nodes": [to_plain(node) for node in tree.nodes.values()],
        "children": {parent: list(children) for parent, children in tree.children.items()},
    }


def tree_from_plain(data: Mapping[str, Any], where: str) -> Taxonomy:
    """Read what `tree_to_plain` wrote; anything that is not a tree is refused, naming `where` it was found."""
    try:
        nodes = [from_plain(TopicNode, node, f"{where}, topic {n}") for n, node in enumerate(data["nodes"])]
        children = {str(parent): tuple(map(str, below)) for parent, below in data["children"].items()}
        tree = Taxonomy({node.node_id: node for node in nodes}, children, str(data["language"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{where} is not a tree of topics ({error!r}). Restore the project from a backup.") from error
    _refuse_other_than_tree(tree, where)
    return tree


def _refuse_other_than_tree(tree: Taxonomy, where: str) -> None:
    reached = {ROOT_ID}
    pending = [ROOT_ID]
    while pending:
        for child in tree.children.get(pending.pop(), ()):
            if child in reached or child not in tree.nodes:
                raise StoreError(
                    f"{where}: topic {child!r} is unknown or has two parents. Restore the project from a backup."
                )
            reached.add(child)
            pending.append(child)
    if reached != set(tree.nodes):
        raise StoreError(f"{where}: some topics hang nowhere in the tree. Restore the project from a backup.")
