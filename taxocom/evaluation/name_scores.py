"""Whether a recovered topic is called what gold calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from taxocom.evaluation.metrics import RecoveryScores
from taxocom.text.language.stems import same_stem

NAME_RANKS = (1, 3, 5)


@dataclass(frozen=True)
class NameScores:
    """The share of recovered topics with the gold name among the first so many suggestions.

    `hits` maps each rank asked for to that share; `positions` maps each recovered topic (its path joined by slashes) to
    the position of the gold name among its suggestions, 1 for the first, None if it is not there.
    """

    n_topics: int
    hits: Mapping[int, float]
    positions: Mapping[str, int | None]


def score_names(
    recovery: RecoveryScores, suggestions: Mapping[str, Sequence[str]], *, ranks: Sequence[int] = NAME_RANKS
) -> NameScores:
    """Score the names suggested for the nodes that recovered a topic.

    A suggestion is the gold name if they are the same words up to case and endings (`same_stem`); a longer or shorter
    phrase is another name. Topics that were not recovered are not counted, and without any recovered topic shares are
    0.
    """
    positions = {
        "/".join(path): _position(path[-1], suggestions.get(node_id, ())) for node_id, path in recovery.matched.items()
    }
    n_topics = len(positions)
    hits = {
        rank: sum(position is not None and position <= rank for position in positions.values()) / max(n_topics, 1)
        for rank in ranks
    }
    return NameScores(n_topics, hits, positions)


def _position(name: str, suggested: Sequence[str]) -> int | None:
    return next((i for i, suggestion in enumerate(suggested, start=1) if same_stem(name, suggestion)), None)
