"""Evaluations against labels as plain data: what a run is called, means over its reports, rows of tables, files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any

from taxocom.evaluation.rendering import to_html
from taxocom.evaluation.result_tables import tables_of
from taxocom.evaluation.scenario_report import EvaluationReport, RemovedTopicRow
from taxocom.store.projects.quality_runs import QualityRun
from taxocom.ui.runtime.safe_text import count

Measure = Callable[[EvaluationReport], float | None]

_MOST = 2 / 3
_MIXED = 0.6


@dataclass(frozen=True)
class ShownRun:
    """A run on show: its letter, what it is called, and its reports."""

    letter: str
    run: QualityRun
    reports: tuple[EvaluationReport, ...]
    failures: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Spread:
    """A mean over reports and their standard deviation, None for a single one; counts are shown with fewer digits."""

    mean: float
    deviation: float | None
    is_count: bool = False

    def __str__(self) -> str:
        if not self.deviation:
            return f"{self.mean:,.0f}" if self.is_count else f"{self.mean:.3f}"
        return (
            f"{self.mean:,.1f} ± {self.deviation:.1f}" if self.is_count else f"{self.mean:.3f} ± {self.deviation:.3f}"
        )


def spread(reports: Sequence[EvaluationReport], measure: Measure) -> Spread | None:
    """Return the mean of a measure over reports, None if none of them has it."""
    values = [value for value in map(measure, reports) if value is not None]
    if not values:
        return None
    return Spread(fmean(values), stdev(values) if len(values) > 1 else None, all(type(v) is int for v in values))


def run_title(run: QualityRun) -> str:
    """Say which run it is: when, what was hidden, how often."""
    settings = run.settings
    hidden = [" › ".join(path) for path in settings.get("remove") or ()]
    named = ", ".join(hidden[:3]) + (f" and {len(hidden) - 3} more" if len(hidden) > 3 else "")
    parts = [
        run.at[:16].replace("T", " "),
        f"without {named}" + (" (one at a time)" if settings.get("one_by_one") else ""),
        count(int(settings.get("n_states") or 0), "random state"),
    ]
    if (settings.get("settings") or {}).get("discovery") == "terms":
        parts.append("the paper's rule")
    if not run.is_whole:
        parts.append(f"{run.n_done} of {run.n_planned} done")
    return " · ".join(parts)


def reading(reports: Sequence[EvaluationReport]) -> list[str]:
    """Say in plain words what an evaluation means for the work on this corpus."""
    found = sum(report.recovery.n_topmost_recovered for report in reports)
    asked = max(sum(report.recovery.n_topmost for report in reports), 1)
    spurious = fmean(report.recovery.n_spurious for report in reports)
    said = []
    if found >= _MOST * asked:
        said.append("Most hidden topics were found: on texts like these, the proposals are worth a look.")
    elif found:
        said.append(
            "Some hidden topics were found and some missed: judge the proposals, and add by hand what you know to be "
            "missing."
        )
    else:
        said.append(
            "No hidden topic was found. More documents for each topic help most. Next, give the topics you know more "
            "keywords, so that their documents are not taken for a new topic."
        )
    recovered = sum(report.recovery.n_recovered for report in reports)
    misplaced = recovered - sum(report.recovery.n_placed for report in reports)
    if misplaced > recovered / 2:
        said.append("Most topics were found under another parent: check the place of a topic when you accept it.")
    f1 = fmean(report.detection.f1 for report in reports)
    if found and f1 < _MIXED:
        said.append(
            f"Their documents are mixed with others (F1 {f1:.2f}): look at a topic's documents before you accept it."
        )
    if spurious >= 1:
        said.append(f"Expect to reject about {spurious:.0f} of the topics proposed in a run.")
    return said


def removed_rows(shown: Sequence[ShownRun]) -> list[dict[str, Any]]:
    """Return a row for each run and hidden topic, over its random states, worst first."""
    rows = []
    for each in shown:
        topics: dict[tuple[str, str], list[RemovedTopicRow]] = {}
        for report in each.reports:
            for row in report.removed:
                topics.setdefault((report.scenario, row.topic), []).append(row)
        for (_, topic), found in topics.items():
            best = max(found, key=lambda row: row.f1)
            rows.append(
                {
                    "run": each.letter,
                    "hidden topic": topic.replace("/", " › "),
                    "F1": fmean(row.f1 for row in found),
                    "found": sum(row.recovered for row in found),
                    "placed": sum(row.placed for row in found),
                    "runs": len(found),
                    "found as": best.node.replace("/", " › ") if best.recovered else "",
                    "right name": f"suggestion {best.name_position}" if best.name_position else "",
                }
            )
    return sorted(rows, key=lambda row: (row["run"], row["F1"]))


def report_html(name: str, shown: Sequence[ShownRun]) -> str:
    """Return one page of HTML with the tables of all runs; letters tell runs of the same kind apart."""
    reports = [
        replace(report, system=f"{report.system} ({each.letter})") if len(shown) > 1 else report
        for each in shown
        for report in each.reports
    ]
    facts = [f"{each.letter}: {run_title(each.run)} (UTC)" for each in shown]
    return to_html(f"Evaluation of {name}", tables_of(reports), facts=facts)


def report_json(shown: Sequence[ShownRun]) -> str:
    """Return every number of the runs with their settings."""
    runs = [
        {
            "at": each.run.at,
            "corpus": each.run.corpus,
            "settings": dict(each.run.settings),
            "reports": [report.to_dict() for report in each.reports],
            "failures": [dict(failure) for failure in each.failures],
        }
        for each in shown
    ]
    return json.dumps({"runs": runs}, ensure_ascii=False, indent=1)
