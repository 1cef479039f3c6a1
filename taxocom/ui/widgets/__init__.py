"""Our smaller components: the tree, cluster cards, the novelty chart, candidates and passages.

Each takes a handler that runs before the page does, so that one click costs one run of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from taxocom.ui.frontend import component
from taxocom.ui.frontend.events import shown

_HERE = Path(__file__).parent

_tree = component("taxocom_tree", _HERE, ("tree.js",), ("tree.css",))
_cards = component("taxocom_cards", _HERE, ("cards.js",), ("cards.css",))
_novelty = component("taxocom_novelty", _HERE, ("novelty.js",), ("novelty.css",))
_candidates = component("taxocom_candidates", _HERE, ("candidates.js",), ("candidates.css",))
_passages = component("taxocom_passages", _HERE, ("passages.js",), ("passages.css",))
_judging = component("taxocom_judging", _HERE, ("judging.js",), ("judging.css",))
form_component = component("taxocom_form", _HERE, ("form.js",), ("form.css",))

Action = Mapping[str, Any]


def topic_tree(
    data: Mapping[str, Any],
    *,
    key: str,
    on_open: Callable[[str], None],
    on_miss: Callable[[str], None] | None = None,
) -> None:
    """Show the tree; `on_open` gets the id of a topic that was opened, `on_miss` one under which another is missing."""

    def hear(told: str | Mapping[str, str]) -> None:
        if isinstance(told, str):
            on_open(told)
        elif on_miss is not None:
            on_miss(told["miss"])

    shown(_tree, {**data, "canMiss": on_miss is not None}, key=key, event="open", handle=hear)


def cluster_cards(data: Mapping[str, Any], *, key: str, on_action: Callable[[Action], None]) -> None:
    """Show a card per cluster; `on_action` gets what the curator did to one."""
    shown(_cards, data, key=key, event="action", handle=on_action)


def novelty_chart(
    *,
    points: str,
    threshold: float,
    proposed: float,
    crossed: Mapping[str, Any],
    by_term: bool,
    key: str,
    on_threshold: Callable[[Action], None],
) -> None:
    """Show the novelty of the terms on the map with this digest; `on_threshold` gets the value that was set.

    `by_term` says that a term is novel by its own novelty alone, so that the browser can tell what a threshold changes.
    Values that were set in one movement of the hand carry the same `gesture`.
    """
    data = {"points": points, "threshold": threshold, "proposed": proposed, "crossed": dict(crossed)}
    shown(_novelty, {**data, "byTerm": by_term}, key=key, event="threshold", handle=on_threshold)


def candidate_table(
    candidates: Sequence[Mapping[str, Any]], *, n_known: int, using: int, key: str, on_choose: Callable[[int], None]
) -> None:
    """Show every count of novel clusters that was tried; `on_choose` gets one that was chosen."""
    data = {"candidates": list(candidates), "nKnown": n_known, "using": using}
    shown(_candidates, data, key=key, event="choose", handle=on_choose)


def passages(data: Mapping[str, Any], *, key: str, on_move: Callable[[Action], None]) -> None:
    """Show documents with marked passages; `on_move` gets the move of one to another topic."""
    shown(_passages, data, key=key, event="move", handle=on_move)


def judging(data: Mapping[str, Any], *, key: str, on_answers: Callable[[Action], None]) -> None:
    """Show documents to judge by yes and no; `on_answers` gets the ids of both once the person sends them."""
    shown(_judging, data, key=key, event="answers", handle=on_answers)
