"""How far to trust a proposal, in words: what was found again of the known topics that were hidden for practice."""

from __future__ import annotations

from collections.abc import Sequence

from taxocom.expansion.proposals.proposal import HiddenTopic, NodeExpansion
from taxocom.taxonomy.tree import Taxonomy

_TRUSTED = 0.75
"""Where practice finds less than three of four hidden topics, "nothing is missing" is not said."""

_UNEXPLAINED = 0.15
"""Nor where more than this share of the documents fits no topic: on complete trees that we know it is 0.1 to 0.28."""

_NAMED = 5


def practice_line(expansion: NodeExpansion, tree: Taxonomy) -> str:
    """Say what practice found; nothing, where there was too little to hide."""
    practice = expansion.practice
    if not practice:
        return ""
    found = sum(topic.is_found for topic in practice)
    lost = _names([topic for topic in practice if not topic.is_found], tree)
    again = "All" if found == len(practice) else str(found or "None")
    n_others = sum(topic.n_others for topic in practice)
    others = "no other new topic" if not n_others else f"{n_others} other new topic{'s' if n_others > 1 else ''}"
    return (
        f"Practice: {len(practice)} known topics were hidden, one at a time. "
        f"{again} {'was' if found == 1 else 'were'} found again{f' (not {lost})' if lost and found else ''}, "
        f"and {others} came up."
    )


def doubts(expansion: NodeExpansion) -> list[str]:
    """Say why an expansion that found nothing does not mean that nothing is missing; empty, if it does."""
    found = []
    n_hidden = len(expansion.practice)
    n_found = sum(topic.is_found for topic in expansion.practice)
    if n_hidden and n_found < _TRUSTED * n_hidden:
        found.append(
            f"Only {n_found} of {n_hidden} known topics were found again when they were hidden for practice, "
            "so a missing topic may have been overlooked."
        )
    unexplained = expansion.gap_after.documents
    if unexplained > _UNEXPLAINED:
        found.append(f"{unexplained:.0%} of the documents fit no known topic well.")
    return found


def _names(topics: Sequence[HiddenTopic], tree: Taxonomy) -> str:
    labels = [tree[topic.node_id].label for topic in topics if topic.node_id in tree]
    more = f" and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
    return ", ".join(labels[:_NAMED]) + more
