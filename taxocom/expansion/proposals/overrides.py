"""What a curator asks of a proposal without training again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Overrides:
    """Changes to a split; None leaves what the proposal chose.

    `pins` put terms by hand: a cluster's id, or `known`, `novel` or `general`. `merged` are groups of novel clusters
    that become one, under the id of the first of each group; `split` are novel clusters to be taken apart; `included`
    are groups that were left out, to be proposed all the same.
    """

    threshold: float | None = None
    significance_threshold: float | None = None
    n_novel: int | None = None
    pins: Mapping[str, str] = field(default_factory=dict)
    merged: tuple[tuple[str, ...], ...] = ()
    split: tuple[str, ...] = ()
    included: tuple[str, ...] = ()
