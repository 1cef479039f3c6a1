"""How much of the texts each topic has, batch by batch or month by month, and what changed more than by chance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.errors import InputError
from taxocom.interchange.base.timeline_data import By, Flag, Timeline, TopicLine
from taxocom.numerics.arrays import Doubles, Ints1d, Offsets
from taxocom.store.disk.memory import Memory
from taxocom.store.projects.batches import batch_rows
from taxocom.store.projects.document_places import document_places
from taxocom.store.projects.project import Project
from taxocom.tagging.explanation import POOR_FIT

ERROR_RATE = 0.05
"""At most this share of tables flag anything where nothing has changed, however many topics there are."""

NOWHERE = "fits nowhere"
_DATE = re.compile(r"\s*(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_LENGTHS: dict[By, int] = {"year": 4, "month": 7, "day": 10}
_MOST_PERIODS = 36
_PERIODS: Memory[Periods] = Memory(4)


@dataclass(frozen=True, eq=False)
class Periods:
    """The batches or dates of a project: their names, and the number of each document's one, -1 for none."""

    by: By
    names: tuple[str, ...]
    of_document: Ints1d


def periods_of(project: Project, by: By | None = None) -> Periods:
    """Return the periods of a project's documents; without two of them there is an InputError that says what to do.

    Without `by` they are the batches, or months or years where there are dates and no batch.
    """
    texts = project.used_for("corpus")
    found = _PERIODS.get((project.path, texts and texts.name, by), lambda: _read_periods(project, by))
    if len(found.names) < 2:
        raise InputError(
            f"All texts are of one {found.by}, so there is nothing to compare. Add later texts: taxocom append PROJECT "
            "FILE"
        )
    return found


def _read_periods(project: Project, by: By | None) -> Periods:
    by = by or _periods_on_offer(project)
    names, period = _by_batch(project) if by == "batch" else _by_date(project, by)
    return Periods(by, tuple(names), period)


def periods_if_any(project: Project) -> Periods | None:
    """Return the periods of a project's documents, None if all of them are of one time."""
    try:
        return periods_of(project) if project.has_corpus else None
    except InputError:
        return None


def timeline(project: Project, *, by: By | None = None, at: int | None = None) -> Timeline:
    """Count the documents of every topic in each period, now or after a step of the log (`at`).

    What differs in the last period is flagged.
    """
    found = periods_of(project, by)
    names, period = found.names, found.of_document
    places = document_places(project, at=at)
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
    return Timeline(found.by, names, tuple(totals.tolist()), tuple(lines), int((~dated).sum()))


def timeline_if_any(project: Project, *, at: int | None = None) -> Timeline | None:
    """Return the timeline of a project, None if it has no texts, or all of them are of one time."""
    if not project.has_corpus:
        return None
    try:
        return timeline(project, at=at)
    except InputError:
        return None


@dataclass(frozen=True)
class Since:
    """From which period on a group of documents came more often than texts did: `n_since` of `n_documents`.

    By chance it would have been `expected` of them.
    """

    period: str
    n_since: int
    n_documents: int
    expected: float

    def said(self) -> str:
        """Say it in words."""
        how = "Mostly" if 2 * self.n_since > self.n_documents else "More often"
        return (
            f"{how} since {self.period}: {self.n_since:,} of {self.n_documents:,} documents, where chance would give "
            f"{self.expected:,.0f}"
        )


def since_when(periods: Periods, documents: Ints1d) -> Since | None:
    """Return since when documents (rows of the corpus) come more often; None if they came as all texts did.

    Every period is tried as the beginning, and the least probable share is taken: the chance of it under shuffling,
    times the number of beginnings tried, must not exceed `ERROR_RATE`.
    """
    from scipy.stats import hypergeom

    of_all = _counted(periods.of_document, len(periods.names))
    own = _counted(periods.of_document[documents], len(periods.names))
    n_all, n_own, n_tried = int(of_all.sum()), int(own.sum()), len(periods.names) - 1
    if not n_own or n_tried < 1:
        return None
    later, later_own = of_all[::-1].cumsum()[::-1][1:], own[::-1].cumsum()[::-1][1:]
    chances: Doubles = np.asarray(hypergeom.sf(later_own - 1, n_all, n_own, later))
    first = int(np.argmin(chances))
    if chances[first] * n_tried > ERROR_RATE:
        return None
    expected = n_own * int(later[first]) / n_all
    return Since(periods.names[first + 1], int(later_own[first]), n_own, expected)


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
