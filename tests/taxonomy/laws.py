"""What every tree must be, however it was made."""

from __future__ import annotations

from taxocom.taxonomy.tree import ROOT_ID, Taxonomy


def check_tree(tree: Taxonomy) -> None:
    """Every topic is reached exactly once from the root, and nothing else is named."""
    reached = [node.node_id for node in tree.subtree_of(ROOT_ID)]
    assert len(reached) == len(set(reached))
    assert set(reached) == set(tree.nodes)
    assert set(tree.children) <= set(tree.nodes)
    assert all(node_id == node.node_id for node_id, node in tree.nodes.items())
