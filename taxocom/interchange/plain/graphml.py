"""A taxonomy as a graph for Gephi, yEd, Cytoscape and networkx."""

from __future__ import annotations

from taxocom.interchange.base.cells import joined
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy


def write_graphml(tree: Taxonomy) -> bytes:
    """Write GraphML: a node a topic, an edge from each topic to each of its children."""
    # Imported where it is used: it takes a third of a second that no other format needs.
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph(name=tree.root.label)
    depths = {ROOT_ID: 0}
    for node in tree.subtree_of(ROOT_ID):
        parent = tree.parent_of(node.node_id)
        if parent is not None:
            depths[node.node_id] = depths[parent] + 1
        attributes: dict[str, str | int | float] = {
            "label": node.label,
            "depth": depths[node.node_id],
            "origin": node.origin,
            "status": node.status,
            "center_term": node.center_term,
            "keywords": joined(node.keywords),
            "anchors": joined(anchor.term for anchor in node.anchors),
            "alt_labels": joined(node.alt_labels),
            "definition": node.definition,
        }
        # GraphML has no null: a number that is not known is left out.
        if node.n_documents is not None:
            attributes["documents"] = node.n_documents
        if node.concentration is not None:
            attributes["concentration"] = node.concentration
        graph.add_node(node.node_id, **attributes)
        if parent is not None:
            graph.add_edge(parent, node.node_id, relation="narrower")
    lines = nx.generate_graphml(graph, encoding="utf-8", prettyprint=True)
    return ('<?xml version="1.0" encoding="utf-8"?>\n' + "\n".join(lines) + "\n").encode()
