"""How much of the texts each topic has, batch by batch or month by month, and what changed more than by chance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from taxocom.errors import InputError
from taxocom.numerics.arrays import Doubles, Ints1d, Offsets
from taxocom.store import Project
from taxocom.store.projects.batches import batch_rows
from taxocom.store.projects.document_places import document_places
from taxocom.tagging.explanation import POOR_FIT

By = Literal["batch", "year", "month", "day"]
Flag = Literal["", "new", "rising", "falling", "gone"]

ERROR_RATE = 0.05
"""In so many tables at most is anything flagged where nothing has changed, however many topics there are."""

NOWHERE = "fits nowhere"
_DATE = re.compile(r"\s*(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_LENGTHS: dict[By, int] = {"year": 4, "month": 7, "day": 10}
_MOST_PERIODS = 36


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


def timeline(project: Project, *, by: By | None = None) -> Timeline:
    """Count the documents of every topic in each period, and flag what differs in the last one.

    Without `by` the periods are the batches, or months or years where there are dates and no batch.
    """
    by = by or _periods_on_offer(project)
    names, period = _by_batch(project) if by == "batch" else _by_date(project, by)
    if len(names) < 2:
        raise InputError(
            f"All texts are of one {by}, so there is nothing to compare. Add later texts: taxocom append PROJECT FILE"
        )
    places = document_places(project)
    dated = period >= 0
    totals = np.bincount(period[dated], minlength=len(names))
    keys: list[tuple[str, tuple[str, ...]]] = []
    counts = []
    for node in places.tree.walk():
        rows = places.documents_of(node.node_id)
        keys.append((node.node_id, places.tree.path_of(node.node_id)))
        counts.append(_counted(period[rows], len(names)))
    keys.append(("", (NOWHERE,)))
    counts.append(_counted(period[np.flatnonzero(places.fit < POOR_FIT)], len(names)))
    table = np.array(counts, dtype=np.int64)
    probabilities = shuffled_probabilities(table, totals)
    lines = [
        TopicLine(*key, tuple(row.tolist()), *_shares(row, totals), float(p), flag)
        for key, row, p, flag in zip(keys, table, probabilities, flags(table, totals, probabilities), strict=True)
    ]
    return Timeline(by, tuple(names), tuple(totals.tolist()), tuple(lines), int((~dated).sum()))


def shuffled_probabilities(counts: Offsets, totals: Offsets) -> Doubles:
    """Return how probable a last period as different as this, or more, is if documents were shuffled; exact.

    `counts` (n_topics, n_periods) are documents of topics, `totals` (n_periods,) those of all. The number of a topic's
    documents in the last period is then hypergeometric; twice the smaller tail is no less than the two-sided chance.
    """
    from scipy.stats import hypergeom

    of_topic, now = counts.sum(axis=1), counts[:, -1]
    n_all, n_last = int(totals.sum()), int(totals[-1])
    fewer = hypergeom.cdf(now, n_all, of_topic, n_last)
    more = hypergeom.sf(now - 1, n_all, of_topic, n_last)
    return np.asarray(np.minimum(1.0, 2.0 * np.minimum(fewer, more)))


def flags(counts: Offsets, totals: Offsets, probabilities: Doubles) -> list[Flag]:
    """Flag the topics that differ, by Holm's rule: over all topics together the error rate is `ERROR_RATE`."""
    found: list[Flag] = [""] * len(counts)
    for rank, topic in enumerate(np.argsort(probabilities, kind="stable").tolist()):
        if probabilities[topic] > ERROR_RATE / (len(counts) - rank):
            break
        before, now = int(counts[topic, :-1].sum()), int(counts[topic, -1])
        is_more = now * int(totals[:-1].sum()) > before * int(totals[-1])
        found[topic] = ("new" if not before else "rising") if is_more else ("gone" if not now else "falling")
    return found


def _counted(periods: Ints1d, n_periods: int) -> Offsets:
    return np.bincount(periods[periods >= 0], minlength=n_periods)


def _shares(row: Offsets, totals: Offsets) -> tuple[float, float]:
    return float(row[:-1].sum() / max(totals[:-1].sum(), 1)), float(row[-1] / max(totals[-1], 1))


def _periods_on_offer(project: Project) -> By:
    if len(batch_rows(project)) > 1:
        return "batch"
    parts = [found for date in project.corpus().dates if (found := _DATE.match(date or ""))]
    if not parts:
        raise InputError(
            "A timeline needs batches or dates, and this project has neither. Add later texts as a batch, or read the "
            "texts with a column of dates."
        )
    months = {found[0].strip()[:7] for found in parts}
    return "month" if all(found[2] for found in parts) and 1 < len(months) <= _MOST_PERIODS else "year"


def _by_batch(project: Project) -> tuple[Sequence[str], Ints1d]:
    found = batch_rows(project)
    sizes = [n_documents for _, _, n_documents in found]
    return [name for name, _, _ in found], np.repeat(np.arange(len(found), dtype=np.int32), sizes)


def _by_date(project: Project, by: By) -> tuple[Sequence[str], Ints1d]:
    length = _LENGTHS[by]
    written = [(_DATE.match(date or "") or [""])[0].strip()[:length] for date in project.corpus().dates]
    names = sorted({each for each in written if len(each) == length})
    number = {name: position for position, name in enumerate(names)}
    return names, np.array([number.get(each, -1) for each in written], dtype=np.int32)
