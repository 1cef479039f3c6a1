"""Our smaller components: the tree, cluster cards, the novelty chart, candidates and passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from taxocom.ui.frontend import component

_HERE = Path(__file__).parent

_tree = component("taxocom_tree", _HERE, ("tree.js",), ("tree.css",))
_cards = component("taxocom_cards", _HERE, ("cards.js",), ("cards.css",))
_novelty = component("taxocom_novelty", _HERE, ("novelty.js",), ("novelty.css",))
_candidates = component("taxocom_candidates", _HERE, ("candidates.js",), ("candidates.css",))
_passages = component("taxocom_passages", _HERE, ("passages.js",), ("passages.css",))

Action = Mapping[str, Any]


def topic_tree(data: Mapping[str, Any], *, key: str) -> str | None:
    """Show the tree; return the id of the topic just opened."""
    opened = _tree(key=key, data=dict(data), on_open_change=_noted).open
    return None if opened is None else str(opened)


def cluster_cards(data: Mapping[str, Any], *, key: str) -> Action | None:
    """Show a card per cluster; return what the curator just did to one."""
    action: Action | None = _cards(key=key, data=dict(data), on_action_change=_noted).action
    return action


def novelty_chart(
    *, points: str, threshold: float, proposed: float, crossed: Mapping[str, Any], key: str
) -> float | None:
    """Show the novelty of the terms on the map with this digest; return a threshold just set."""
    data = {"points": points, "threshold": threshold, "proposed": proposed, "crossed": dict(crossed)}
    value = _novelty(key=key, data=data, on_threshold_change=_noted).threshold
    return None if value is None else float(value)


def candidate_table(candidates: Sequence[Mapping[str, Any]], *, n_known: int, using: int, key: str) -> int | None:
    """Show every count of novel clusters that was tried; return one just chosen."""
    data = {"candidates": list(candidates), "nKnown": n_known, "using": using}
    chosen = _candidates(key=key, data=data, on_choose_change=_noted).choose
    return None if chosen is None else int(chosen)


def passages(data: Mapping[str, Any], *, key: str) -> Action | None:
    """Show documents with marked passages; return a move of one to another topic."""
    moved: Action | None = _passages(key=key, data=dict(data), on_move_change=_noted).move
    return moved


def _noted() -> None:
    """Make a trigger a value of the result; the page reads it there."""
