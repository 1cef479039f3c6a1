"""What evaluations against labels came to: side by side, in charts and tables, and as files to take away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from taxocom.evaluation.matching import RECOVERED_F1
from taxocom.evaluation.scenario_report import EvaluationReport
from taxocom.jobs.quality_tasks import reports_of
from taxocom.store import Project
from taxocom.store.projects.quality_runs import QualityRun, drop_run, load_results
from taxocom.ui.quality.quality_charts import AMBER, GREEN, RED, Bar, bar_figure, grouped_figure
from taxocom.ui.quality.quality_reports import (
    Measure,
    ShownRun,
    reading,
    removed_rows,
    report_html,
    report_json,
    run_title,
    spread,
)
from taxocom.ui.quality.quality_views import SCORE, beside_its_table, listed, plain_tile
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.shared import curator, jobs_view
from taxocom.ui.shared.offering import offered


def show(project: Project, runs: Sequence[QualityRun]) -> None:
    """Let runs be chosen and show them side by side."""
    st.subheader("Results", anchor=False)
    by_id = {run.run_id: run for run in runs}
    chosen = st.multiselect(
        "Shown, side by side",
        list(by_id),
        default=[runs[0].run_id],
        format_func=lambda run_id: run_title(by_id[run_id]),
        # A new result takes the place of what was chosen before.
        key=f"label-results-{runs[0].run_id}",
        max_selections=6,
    )
    shown = [_loaded(project, by_id[run_id], letter) for run_id, letter in zip(chosen, "ABCDEF", strict=False)]
    _take_away(project, shown)
    for each in shown:
        _state_of(project, each)
    shown = [each for each in shown if each.reports]
    if not shown:
        return
    if len(shown) > 1:
        st.markdown("  \n".join(f"**{each.letter}**: {md(run_title(each.run))}" for each in shown))
    _tiles(shown[0]) if len(shown) == 1 else None
    _detection(shown)
    _removed(shown)
    _recovered(shown)
    _assignment(shown)
    _names(shown)
    _whole_tree(shown)
    _everything(shown)
    _novel(shown)


def _loaded(project: Project, run: QualityRun, letter: str) -> ShownRun:
    results = load_results(project, run)
    return ShownRun(letter, run, tuple(reports_of(results)), tuple(results.get("failures") or ()))


def _state_of(project: Project, each: ShownRun) -> None:
    """Say what is missing of a run, and offer to go on with it."""
    run = each.run
    problems = [f"{failure['scenario']}: {failure['message']}" for failure in each.failures]
    if not each.reports:
        problems.append("An earlier version measured it, and it cannot be shown. Measure again.")
    elif not run.is_whole and not problems:
        problems.append(f"Only {run.n_done} of {count(run.n_planned, 'part')} are done. The rest was not run.")
    stale = run.corpus != project.corpus().fingerprint
    if stale:
        problems.append("The texts have been read again since.")
    if not problems or jobs_view.is_running(project, "evaluate"):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"state-{run.run_id}"):
        st.warning(f"{each.letter}: {md(run_title(run))}. {' '.join(md(problem) for problem in problems)}")
        go_on = acting(lambda: jobs_view.submit(project, "evaluate", dict(run.settings)))
        st.button(
            "Go on" if not stale else "Measure again",
            key=f"go-on-{run.run_id}",
            on_click=go_on,
            **offered(project, "measure"),
        )


def _tiles(each: ShownRun) -> None:
    found = sum(report.recovery.n_topmost_recovered for report in each.reports)
    asked = sum(report.recovery.n_topmost for report in each.reports)
    recovered = sum(report.recovery.n_recovered for report in each.reports)
    placed = sum(report.recovery.n_placed for report in each.reports)
    f1 = spread(each.reports, lambda report: report.detection.f1)
    spurious = spread(each.reports, lambda report: report.recovery.n_spurious)
    named = sum(report.names.among_3 * report.names.n_topics for report in each.reports)
    tiles = [
        ("Hidden topics found", f"{found} of {asked}", "Over all runs; sub-topics of hidden topics are not counted."),
        ("Under the right parent", f"{placed} of {recovered}", "Of all that were found, sub-topics included."),
        (
            "Not asked for",
            f"{spurious.mean:.1f}" if spurious else "–",
            "New topics that were not hidden, on average in each run. Fewer are better.",
        ),
        (
            "F1 of their documents",
            f"{f1.mean:.2f}" if f1 else "–",
            "Are the documents of hidden topics told from the rest? 1 is perfect.",
        ),
        (
            "Right name in first 3",
            f"{named:.0f} of {recovered}",
            "Of the topics found, those whose label is among the first three names suggested.",
        ),
    ]
    with st.container(key="label-tiles", horizontal=True, gap="small"):
        for name, value, says in tiles:
            plain_tile(name, value, says)
    st.markdown(" ".join(reading(each.reports)))


def _side_by_side(
    shown: Sequence[ShownRun], measures: Mapping[str, Measure], key: str, alt: str, *, counts: bool = False
) -> None:
    """Show measures in [0, 1], or counts, as bars and, beside them, as a table."""
    spreads = {each.letter: [spread(each.reports, measure) for measure in measures.values()] for each in shown}
    figure = grouped_figure(
        list(measures),
        {letter: [value.mean if value else None for value in values] for letter, values in spreads.items()},
        {letter: [value.deviation if value else None for value in values] for letter, values in spreads.items()},
        counts=counts,
    )
    columns = {
        _column(shown, letter): [str(value) if value else "–" for value in values] for letter, values in spreads.items()
    }
    table = {"measure": list(measures), **columns}
    beside_its_table(figure, table, formats={}, key=key, alt=alt, widths=(1.2, 1))


def _column(shown: Sequence[ShownRun], letter: str) -> str:
    return letter if len(shown) > 1 else "mean ± deviation"


def _detection(shown: Sequence[ShownRun]) -> None:
    st.subheader("Documents of the hidden topics", anchor=False)
    st.caption(
        "Precision: of the documents put into new topics, how many belong to a hidden one. Recall: of the documents of "
        "hidden topics, how many were put into a new one. F1 joins both. "
        "The last bar is what you get if everything is called new."
    )
    measures: dict[str, Measure] = {
        "Precision": lambda report: report.detection.precision,
        "Recall": lambda report: report.detection.recall,
        "F1": lambda report: report.detection.f1,
        "F1 of all": lambda r: 2 * r.detection.n_gold / max(r.detection.n_gold + r.n_documents, 1),
    }
    _side_by_side(shown, measures, "detection", "Precision, recall and F1 of the documents of hidden topics")


def _removed(shown: Sequence[ShownRun]) -> None:
    st.subheader("Which hidden topics were found", anchor=False)
    st.caption(
        f"F1 of the documents of a hidden topic and of the new topic that fits it best; from {RECOVERED_F1:g} on it "
        "counts as found. Green: found where it belongs. Amber: found elsewhere. Red: missed. The sub-topics of a "
        "hidden topic are hidden with it."
    )
    rows = pd.DataFrame(removed_rows(shown))
    bars = [
        Bar(
            f"{row['run']} · {row['hidden topic']}" if len(shown) > 1 else row["hidden topic"],
            row["F1"],
            GREEN if row["placed"] * 2 > row["runs"] else AMBER if row["found"] * 2 > row["runs"] else RED,
            f"found in {row['found']} of {row['runs']} runs",
        )
        for row in rows.to_dict("records")
    ]
    beside_its_table(
        bar_figure(bars[:30], marks={"found": RECOVERED_F1}),
        rows if len(shown) > 1 else rows.drop(columns="run"),
        formats={"F1": SCORE},
        key="removed",
        alt="F1 of each hidden topic, and what became of it",
        widths=(1, 1.2),
    )


def _assignment(shown: Sequence[ShownRun]) -> None:
    st.subheader("Are documents in the right topic?", anchor=False)
    st.caption(
        "At each level of the hierarchy, hidden and known topics alike. Micro F1: the share of documents in the right "
        "topic. Macro F1: the same with every topic counting alike. NMI: how well the grouping agrees, whatever it is "
        "called."
    )
    n_levels = max(len(report.levels) for each in shown for report in each.reports)
    measures: dict[str, Measure] = {}
    for level in range(n_levels):
        for name, field in (("Micro F1", "micro_f1"), ("Macro F1", "macro_f1"), ("NMI", "nmi")):
            measures[f"{name}, level {level + 1}"] = _at_level(level, field)
    _side_by_side(shown, measures, "levels", "Agreement of documents with their labels at each level")


def _at_level(level: int, field: str) -> Measure:
    def measure(report: EvaluationReport) -> float | None:
        return float(getattr(report.levels[level], field)) if level < len(report.levels) else None

    return measure


def _names(shown: Sequence[ShownRun]) -> None:
    st.subheader("Are they named right?", anchor=False)
    st.caption("The share of the topics found whose label, up to endings, is among the first names suggested.")
    if not any(report.names.n_topics for each in shown for report in each.reports):
        st.markdown("No hidden topic was found, so there is no name to judge.")
        return
    measures: dict[str, Measure] = {
        "The first": lambda report: report.names.first if report.names.n_topics else None,
        "Among 3": lambda report: report.names.among_3 if report.names.n_topics else None,
        "Among 5": lambda report: report.names.among_5 if report.names.n_topics else None,
    }
    _side_by_side(shown, measures, "names", "Share of topics with the right name among the first suggestions")


def _recovered(shown: Sequence[ShownRun]) -> None:
    st.subheader("How many were found, and how many were wrong?", anchor=False)
    st.caption(
        "Topics of one run, sub-topics of hidden ones included. The last is what a curator would have to reject."
    )
    measures: dict[str, Measure] = {
        "Hidden": lambda report: report.recovery.n_removed,
        "Found": lambda report: report.recovery.n_recovered,
        "Rightly placed": lambda report: report.recovery.n_placed,
        "Not asked for": lambda report: report.recovery.n_spurious,
    }
    _side_by_side(shown, measures, "recovered", "Topics hidden, found, rightly placed and spurious", counts=True)


def _whole_tree(shown: Sequence[ShownRun]) -> None:
    st.subheader("The completed tree as a whole", anchor=False)
    st.caption(
        "Completeness: the share of the topics of the hierarchy that were found or known. Graded: the mean F1 of these "
        "pairs. With known: every known topic counts as found. Then the terms: do they occur "
        "together, does a term of another topic stand out in documents kept aside, do topics share terms."
    )
    measures: dict[str, Measure] = {
        "Complete": lambda report: report.quality.completeness,
        "Complete, graded": lambda report: report.quality.completeness_graded,
        "Complete, with known": lambda report: report.quality.completeness_by_identity,
        "Coherency": lambda report: report.quality.coherency,
        "Odd one out": lambda report: report.quality.intrusion,
        "Different terms": lambda report: report.quality.diversity,
    }
    _side_by_side(shown, measures, "whole", "Completeness of the tree and quality of its terms")


def _everything(shown: Sequence[ShownRun]) -> None:
    measures: dict[str, Measure] = {
        "Documents in no topic, seed alone": lambda report: report.quality.gap_before,
        "Documents in no topic, after": lambda report: report.quality.gap_after,
        "Documents measured": lambda report: report.n_documents,
        "Seconds a run": lambda report: report.seconds,
    }
    columns = {
        _column(shown, each.letter): [str(spread(each.reports, measure) or "–") for measure in measures.values()]
        for each in shown
    }
    frame = pd.DataFrame({"besides": list(measures), **columns})
    st.dataframe(frame, hide_index=True, key="besides", alt="Gaps, documents and seconds")


def _novel(shown: Sequence[ShownRun]) -> None:
    rows = [
        {
            "run": each.letter,
            "random state": report.random_state + 1,
            "new topic": row.node.replace("/", " › "),
            "is the hidden": row.topic.replace("/", " › ") or "none (not asked for)",
            "documents": row.n_documents,
            "first terms": listed(row.top_terms),
            "names suggested": listed(row.suggestions),
        }
        for each in shown
        for report in each.reports
        for row in report.novel
    ]
    with st.expander(f"Every new topic that was proposed ({len(rows)})"):
        st.dataframe(pd.DataFrame(rows), hide_index=True, key="novel", alt="Every new topic of every run")


def _take_away(project: Project, shown: Sequence[ShownRun]) -> None:
    with st.container(horizontal=True, gap="small", key="take-away"):
        if any(each.reports for each in shown):
            st.download_button(
                "Download report.html",
                lambda: report_html(project.name, shown).encode(),
                "report.html",
                "text/html",
                on_click="ignore",
                key="get-report",
            )
            st.download_button(
                "Download JSON",
                lambda: report_json(shown).encode(),
                "evaluation.json",
                "application/json",
                on_click="ignore",
                key="get-json",
            )
        for each in shown:
            name = f"Remove {each.letter}" if len(shown) > 1 else "Remove"
            drop = acting(partial(drop_run, project, each.run.run_id, by=curator.name()))
            told = "Deletes this result. Nothing else changes."
            st.button(name, key=f"drop-{each.run.run_id}", on_click=drop, **offered(project, "measure", told=told))
