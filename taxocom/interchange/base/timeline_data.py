"""The topics of a project over time, as data: what a page shows, a report prints and a bundle holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

By = Literal["batch", "year", "month", "day"]
Flag = Literal["", "new", "rising", "falling", "gone"]


@dataclass(frozen=True)
class TopicLine:
    """One topic over the periods: `counts` of its documents with those below it, and what became of it.

    `flag` compares the last period with all before it; `p` is the probability of a difference as large or larger if the
    documents were shuffled among the periods. `node_id` is empty for the texts that fit nowhere.
    """

    node_id: str
    path: tuple[str, ...]
    counts: tuple[int, ...]
    share_before: float
    share_now: float
    p: float
    flag: Flag


@dataclass(frozen=True)
class Timeline:
    """The topics of a project over periods of `totals` documents; `n_undated` documents are in none."""

    by: By
    periods: tuple[str, ...]
    totals: tuple[int, ...]
    lines: tuple[TopicLine, ...]
    n_undated: int = 0

    def flagged(self) -> list[TopicLine]:
        """Return what has changed, the surest first."""
        return sorted((line for line in self.lines if line.flag), key=lambda line: line.p)

    def shares(self, line: TopicLine) -> list[float]:
        """Return the share of a topic in the documents of each period."""
        return [made / total if total else 0.0 for made, total in zip(line.counts, self.totals, strict=True)]
