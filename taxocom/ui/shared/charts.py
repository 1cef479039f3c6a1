"""Plotly figures: the whole tree as an icicle or a treemap."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go

from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.ui.shared.overview import Overview

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


def tree_figure(overview: Overview, shape: Literal["icicle", "treemap"], documents: Mapping[str, int]) -> Any:
    """Return the tree with each topic's area by its documents; `documents` are those of a topic and no sub-topic."""
    tree = overview.tree
    areas = _areas(tree, documents)
    nodes = list(tree.subtree_of(ROOT_ID))
    states = [overview.state_of(node) for node in nodes]
    figure = go.Icicle if shape == "icicle" else go.Treemap
    trace = figure(
        ids=[node.node_id for node in nodes],
        # Plotly reads a little HTML in labels; a topic's name is text.
        labels=[html.escape(node.label) for node in nodes],
        parents=[tree.parent_of(node.node_id) or "" for node in nodes],
        values=[areas[node.node_id].size for node in nodes],
        branchvalues="total",
        # The root encloses all the others; its status would colour the whole picture.
        marker={"colors": [_GROUND, *(_COLOURS[state] for state in states[1:])]},
        customdata=[[state, areas[node.node_id].told] for node, state in zip(nodes, states, strict=True)],
        hovertemplate="%{label}<br>%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
        textinfo="label",
        textfont={"color": "#ffffff"},
    )
    chart = go.Figure(trace)
    chart.update_layout(margin={"l": 0, "r": 0, "t": 8, "b": 0}, height=460)
    return chart


@dataclass(frozen=True)
class _Area:
    size: float
    told: str


def _areas(tree: Taxonomy, documents: Mapping[str, int]) -> dict[str, _Area]:
    """Return an area for each topic that is at least the sum of its children's, as the chart demands.

    Sub-topics of a topic that was never expanded have no documents of their own yet. They are drawn alike, sharing
    their parent's, and say that they are not counted.
    """
    areas: dict[str, _Area] = {}

    def counted(node_id: str) -> int:
        return documents.get(node_id, 0) + sum(counted(child.node_id) for child in tree.children_of(node_id))

    def place(node_id: str, shared: float) -> None:
        own = counted(node_id)
        children = tree.children_of(node_id)
        told = f"{own:,} documents" if own else "not counted yet: expand the topic above it"
        size = max(float(own), shared)
        empty = [child for child in children if not counted(child.node_id)]
        left = size - sum(counted(child.node_id) for child in children)
        areas[node_id] = _Area(size, told)
        for child in children:
            place(child.node_id, max(left, 0.0) / (len(empty) + 1) if child in empty else 0.0)

    place(ROOT_ID, 1.0)
    return areas
