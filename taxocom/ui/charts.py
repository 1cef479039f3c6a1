"""Plotly figures: the whole tree as an icicle or a treemap."""

from __future__ import annotations

import html
from typing import Any, Literal

import plotly.graph_objects as go

from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.ui.overview import Overview

# Okabe and Ito's palette, by the status of a topic.
_COLOURS = {
    "seed": "#7a93a8",
    "manual": "#cc79a7",
    "accepted": "#009e73",
    "proposed": "#d55e00",
    "stale": "#e69f00",
    "expanding": "#e69f00",
    "rejected": "#b9c0c7",
}

_GROUND = "#5b6b7a"


def tree_figure(overview: Overview, shape: Literal["icicle", "treemap"]) -> Any:
    """Return the tree with each topic's area by its documents, or by its leaves where those are not known."""
    tree = overview.tree
    sizes = _sizes(tree)
    nodes = list(tree.subtree_of(ROOT_ID))
    states = [overview.state_of(node) for node in nodes]
    figure = go.Icicle if shape == "icicle" else go.Treemap
    trace = figure(
        ids=[node.node_id for node in nodes],
        # Plotly reads a little HTML in labels; a topic's name is text.
        labels=[html.escape(node.label) for node in nodes],
        parents=[tree.parent_of(node.node_id) or "" for node in nodes],
        values=[sizes[node.node_id] for node in nodes],
        branchvalues="total",
        # The root encloses all the others; its status would colour the whole picture.
        marker={"colors": [_GROUND, *(_COLOURS[state] for state in states[1:])]},
        customdata=states,
        hovertemplate="%{label}<br>%{customdata}<br>%{value:,}<extra></extra>",
        textinfo="label",
    )
    chart = go.Figure(trace)
    chart.update_layout(margin={"l": 0, "r": 0, "t": 8, "b": 0}, height=460)
    return chart


def _sizes(tree: Taxonomy) -> dict[str, int]:
    """Return a size for each topic that is at least the sum of its children's, as the chart demands."""
    sizes: dict[str, int] = {}
    for node in reversed(list(tree.subtree_of(ROOT_ID))):
        below = sum(sizes[child.node_id] for child in tree.children_of(node.node_id))
        sizes[node.node_id] = max(below, node.n_documents or 1)
    return sizes
