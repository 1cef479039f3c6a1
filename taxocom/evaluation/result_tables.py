"""The tables of an evaluation, made from reports alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from taxocom.evaluation.metrics import LevelScores
from taxocom.evaluation.scenario_report import EvaluationReport

Value = str | float | int | None
Measure = Callable[[EvaluationReport], float | None]
LevelsOf = Callable[[EvaluationReport], tuple[LevelScores, ...]]


@dataclass(frozen=True)
class Spread:
    """A mean over random states with its standard deviation; None if there was one state."""

    mean: float
    deviation: float | None = None
    n_digits: int = 3

    def __str__(self) -> str:
        shown = f"{self.mean:.{self.n_digits}f}"
        return shown if self.deviation is None else f"{shown} ± {self.deviation:.{self.n_digits}f}"


@dataclass(frozen=True)
class Table:
    """A table with a caption that says what is counted; `best` holds the (row, column) of cells to set off."""

    title: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value | Spread, ...], ...]
    best: frozenset[tuple[int, int]] = frozenset()


def comparison(
    title: str,
    caption: str,
    reports: Sequence[EvaluationReport],
    measures: dict[str, Measure],
    *,
    lower_is_better: Iterable[str] = (),
) -> Table:
    """Compare systems scenario by scenario: a row for each, means over its random states, the best set off."""
    groups: dict[tuple[str, str, str], list[EvaluationReport]] = {}
    for report in reports:
        groups.setdefault((report.corpus, report.scenario, report.system), []).append(report)
    order = {key: i for i, key in enumerate(dict.fromkeys(key[:2] for key in groups))}
    keys = sorted(groups, key=lambda key: order[key[:2]])
    rows = tuple((*key, *(_spread(measure, groups[key]) for measure in measures.values())) for key in keys)
    low = {3 + i for i, name in enumerate(measures) if name in set(lower_is_better)}
    return Table(title, caption, ("Corpus", "Scenario", "System", *measures), rows, _best_cells(rows, low))


def _spread(measure: Measure, reports: Sequence[EvaluationReport]) -> Spread | None:
    values = [value for value in map(measure, reports) if value is not None]
    if not values:
        return None
    n_digits = 0 if all(isinstance(value, int) for value in values) and len(values) == 1 else 3
    return Spread(mean(values), stdev(values) if len(values) > 1 else None, n_digits)


def _best_cells(rows: Sequence[tuple[Value | Spread, ...]], low: set[int]) -> frozenset[tuple[int, int]]:
    """Find the best mean of each column among the rows of one scenario, unless it stands alone."""
    best: set[tuple[int, int]] = set()
    for scenario in {row[:2] for row in rows}:
        mine = [i for i, row in enumerate(rows) if row[:2] == scenario]
        for column in range(3, len(rows[0])):
            values = {i: cell.mean for i in mine if isinstance(cell := rows[i][column], Spread)}
            if len(set(values.values())) > 1:
                top = min(values.values()) if column in low else max(values.values())
                best |= {(i, column) for i, value in values.items() if value == top}
    return frozenset(best)


def tables_of(reports: Sequence[EvaluationReport]) -> list[Table]:
    """Make every table of the evaluation."""
    made = [_detection(reports), _recovery(reports), _quality(reports), *_assignments(reports), _names(reports)]
    return [table for table in [*made, _removed(reports), _case_study(reports), _notes(reports)] if table.rows]


def _detection(reports: Sequence[EvaluationReport]) -> Table:
    return comparison(
        "Documents of removed topics",
        "A document counts as predicted if any node on its path is novel, as gold if its label lies at or below a "
        "removed topic. The last column is the F1 of calling every document novel: what a system must beat.",
        reports,
        {
            "Precision": lambda r: r.detection.precision,
            "Recall": lambda r: r.detection.recall,
            "F1": lambda r: r.detection.f1,
            "F1 of all": lambda r: 2 * r.detection.n_gold / max(r.detection.n_gold + r.n_documents, 1),
        },
    )


def _recovery(reports: Sequence[EvaluationReport]) -> Table:
    return comparison(
        "Topics recovered",
        "Removed topics are matched to novel nodes one to one by the F1 of their documents; recovered at F1 of 0.5 or "
        "more. Topmost leaves out topics whose parent was removed too. Novel nodes that recovered none are spurious.",
        reports,
        {
            "Removed": lambda r: r.recovery.n_removed,
            "Recovered": lambda r: r.recovery.n_recovered,
            "Topmost removed": lambda r: r.recovery.n_topmost,
            "Topmost recovered": lambda r: r.recovery.n_topmost_recovered,
            "Under the right parent": lambda r: r.recovery.n_placed,
            "Spurious": lambda r: r.recovery.n_spurious,
        },
        lower_is_better=["Spurious"],
    )


def _quality(reports: Sequence[EvaluationReport]) -> Table:
    return comparison(
        "Quality of the taxonomy",
        "Coherency: mean NPMI of the top ten terms. Intrusion: how often a foreign term is spotted by co-occurrence in "
        "held-out documents. Completeness: share of gold topics with a node that matches by documents; graded: its "
        "mean F1; by identity: seed topics count because they are there. Diversity: share of different top terms among "
        "nodes of one depth.",
        reports,
        {
            "Coherency": lambda r: r.quality.coherency,
            "Intrusion": lambda r: r.quality.intrusion,
            "Completeness": lambda r: r.quality.completeness,
            "Graded": lambda r: r.quality.completeness_graded,
            "By identity": lambda r: r.quality.completeness_by_identity,
            "Diversity": lambda r: r.quality.diversity,
            "Seconds": lambda r: r.seconds,
        },
        lower_is_better=["Seconds"],
    )


def _assignments(reports: Sequence[EvaluationReport]) -> list[Table]:
    own = _assignment(
        "Documents assigned by the system itself",
        "Nodes stand for the gold topics they were matched to. A document labelled less deep than a level is left out "
        "there.",
        reports,
        lambda report: report.levels,
    )
    downstream = _assignment(
        "Documents classified by WeSHClass",
        "Trained without labels on the top ten terms of each system's topics.",
        reports,
        lambda report: report.downstream,
    )
    return [own, downstream]


def _assignment(title: str, caption: str, reports: Sequence[EvaluationReport], levels_of: LevelsOf) -> Table:
    n_levels = max((len(levels_of(report)) for report in reports), default=0)
    measures: dict[str, Measure] = {}
    for level in range(n_levels):
        measures[f"NMI, level {level + 1}"] = _at_level(levels_of, level, lambda scores: scores.nmi)
        measures[f"Macro F1, level {level + 1}"] = _at_level(levels_of, level, lambda scores: scores.macro_f1)
        measures[f"Micro F1, level {level + 1}"] = _at_level(levels_of, level, lambda scores: scores.micro_f1)
    return comparison(title, caption, [report for report in reports if levels_of(report)], measures)


def _at_level(levels_of: LevelsOf, level: int, measure: Callable[[LevelScores], float]) -> Measure:
    def at_level(report: EvaluationReport) -> float | None:
        scores = levels_of(report)
        return measure(scores[level]) if level < len(scores) else None

    return at_level


def _names(reports: Sequence[EvaluationReport]) -> Table:
    return comparison(
        "Names",
        "Share of recovered topics with the gold name, or the same words with other endings, among the first "
        "suggestions.",
        [report for report in reports if report.names.n_topics],
        {
            "Recovered": lambda r: r.names.n_topics,
            "First": lambda r: r.names.first,
            "Among 3": lambda r: r.names.among_3,
            "Among 5": lambda r: r.names.among_5,
        },
    )


def _removed(reports: Sequence[EvaluationReport]) -> Table:
    rows = tuple(
        (
            r.corpus,
            r.scenario,
            r.system,
            r.random_state,
            row.topic,
            row.node,
            Spread(row.f1),
            _verdict(row.recovered, row.placed),
        )
        for r in reports
        for row in r.removed
    )
    return Table(
        "What became of each removed topic",
        "The novel node matched to it and the F1 of their documents.",
        ("Corpus", "Scenario", "System", "Random state", "Removed topic", "Node", "F1", "Verdict"),
        rows,
    )


def _verdict(recovered: bool, placed: bool) -> str:
    if not recovered:
        return "missed"
    return "recovered" if placed else "recovered elsewhere"


def _case_study(reports: Sequence[EvaluationReport]) -> Table:
    rows = tuple(
        (r.corpus, r.scenario, r.system, row.topic or "(spurious)", row.node, row.n_documents, ", ".join(row.top_terms))
        for r in reports
        if r.random_state == min(other.random_state for other in reports)
        for row in r.novel
    )
    return Table(
        "Novel topics side by side",
        "Of the first random state: the removed topic each novel node recovered, and its top ten terms.",
        ("Corpus", "Scenario", "System", "Removed topic", "Node", "Documents", "Top terms"),
        rows,
    )


def _notes(reports: Sequence[EvaluationReport]) -> Table:
    notes = dict.fromkeys((report.system, report.note) for report in reports if report.note)
    return Table("Where an implementation departs from the published system", "", ("System", "Departure"), tuple(notes))
