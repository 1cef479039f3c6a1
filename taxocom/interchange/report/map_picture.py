"""The map of terms as one SVG: drawn from coordinates, without a script."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from taxocom.interchange.base.context import MapPoint
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy

WIDTH, HEIGHT, MARGIN = 1000, 700, 30
# Okabe and Ito's colours, told apart by the colour-blind; grey is for terms of no topic.
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c6d31", "#5e4fa2")
GREY = "#c4cad3"
_DOT = 'stroke-width="5" stroke-linecap="round" opacity=".75"'
_LETTERING = (
    'text-anchor="middle" font-size="14" font-family="sans-serif" font-weight="600" '
    'fill="#1c2430" stroke="#fff" stroke-width="3" paint-order="stroke"'
)
_MAX_LABELS = 60
_LABEL_HEIGHT, _LETTER_WIDTH = 16, 7.5


@dataclass(frozen=True)
class _Label:
    x: float
    y: float
    text: str

    def overlaps(self, other: _Label) -> bool:
        reach = (len(self.text) + len(other.text)) * _LETTER_WIDTH / 2
        return abs(self.y - other.y) < _LABEL_HEIGHT and abs(self.x - other.x) < reach


def draw_map(tree: Taxonomy, points: Sequence[MapPoint]) -> str:
    """Return an SVG with a dot a term, coloured by top topic, and a legend in words; empty without points."""
    finite = [point for point in points if abs(point.x) < 1e9 and abs(point.y) < 1e9]
    if not finite:
        return ""
    placed = _scaled(finite)
    tops = _top_topics(tree)
    colours = {top: PALETTE[index % len(PALETTE)] for index, top in enumerate(tree.children.get(ROOT_ID, ()))}
    by_top: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for point, place in zip(finite, placed, strict=True):
        by_top[tops.get(point.node_id, "")].append(place)
    dots = []
    for top in sorted(by_top, key=lambda top: top != ""):
        # A line of no length with a round cap is a dot: one element for thousands of terms.
        path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in by_top[top])
        dots.append(f'<path d="{path}" stroke="{colours.get(top, GREY)}" {_DOT}/>')
    texts = [
        f'<text x="{label.x:.1f}" y="{label.y:.1f}" {_LETTERING}>{escape(label.text)}</text>'
        for label in _labels(tree, finite, placed)
    ]
    legend = [_legend_entry(colours[top], tree[top].label, len(by_top[top])) for top in colours if top in by_top]
    if "" in by_top:
        legend.append(_legend_entry(GREY, "terms of no topic", len(by_top[""])))
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Map of {len(finite)} terms, coloured by topic">'
        f'{"".join(dots)}{"".join(texts)}</svg>\n<ul class="legend">{"".join(legend)}</ul>'
    )


def _scaled(points: Sequence[MapPoint]) -> list[tuple[float, float]]:
    xs, ys = [point.x for point in points], [point.y for point in points]
    west, south = min(xs), min(ys)
    width, height = max(xs) - west or 1.0, max(ys) - south or 1.0
    scale = min((WIDTH - 2 * MARGIN) / width, (HEIGHT - 2 * MARGIN) / height)
    left, top = (WIDTH - scale * width) / 2, (HEIGHT - scale * height) / 2
    # A map's y grows upwards, a picture's downwards.
    return [(left + scale * (x - west), HEIGHT - top - scale * (y - south)) for x, y in zip(xs, ys, strict=True)]


def _top_topics(tree: Taxonomy) -> dict[str, str]:
    tops: dict[str, str] = {}
    for node in tree.walk():
        parent = tree.parents[node.node_id]
        tops[node.node_id] = node.node_id if parent == ROOT_ID else tops[parent]
    return tops


def _labels(tree: Taxonomy, points: Sequence[MapPoint], placed: Sequence[tuple[float, float]]) -> list[_Label]:
    """Return the names of topics at the middle of their terms, the larger first, those that would overlap left out."""
    places: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for point, place in zip(points, placed, strict=True):
        if point.node_id in tree and point.node_id != ROOT_ID:
            places[point.node_id].append(place)
    shown: list[_Label] = []
    for node_id, spots in sorted(places.items(), key=lambda item: -len(item[1])):
        middle = [sum(axis) / len(spots) for axis in zip(*spots, strict=True)]
        label = _Label(middle[0], middle[1], tree[node_id].label[:40])
        if len(shown) < _MAX_LABELS and not any(label.overlaps(other) for other in shown):
            shown.append(label)
    return shown


def _legend_entry(colour: str, label: str, count: int) -> str:
    dot = f'<svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4" fill="{colour}"/></svg>'
    counted = "1 term" if count == 1 else f"{count} terms"
    return f'<li>{dot}{escape(label)} <span class="soft">{counted}</span></li>'
