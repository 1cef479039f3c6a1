"""The Timeline page: each topic's share of the texts, period by period, and what has changed."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any, cast

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from taxocom.errors import InputError
from taxocom.interchange.base.timeline_data import By, Timeline, TopicLine
from taxocom.store import Project
from taxocom.store.projects.topic_timeline import timeline
from taxocom.ui.corpus import batches_view
from taxocom.ui.quality.quality_charts import AMBER, BLUE, CONFIG, GREEN, GREY, PINK, RED, SKY
from taxocom.ui.runtime import session
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.runtime.telling import told
from taxocom.ui.shared import jobs_view
from taxocom.ui.shared.thinking import show_when_known

_COLOURS = (BLUE, AMBER, GREEN, PINK, SKY, RED)
_SIGNS = {"new": "★ new", "rising": "▲ rising", "falling": "▼ falling", "gone": "✕ gone", "": ""}
_NAMED = 6
_AUTOMATIC = "Automatic"
_PERIODS: dict[str, By | None] = {
    _AUTOMATIC: None,
    "Batches": "batch",
    "Years": "year",
    "Months": "month",
    "Days": "day",
}


def show(project: Project) -> None:
    """Show the topics over time; without batches and dates say what is needed."""
    st.title("Timeline", anchor=False)
    if batches_view.is_busy(project):
        jobs_view.show_jobs(project, ("index", *batches_view.KINDS))
    if not project.has_corpus:
        session.empty_state("This project has no corpus yet", "Choose the texts first.")
        _to_corpus(project)
        return
    chosen = st.segmented_control("Periods", list(_PERIODS), default=_AUTOMATIC, key="timeline-by")
    by = _PERIODS[chosen or _AUTOMATIC]
    show_when_known(project, f"timeline by {by}", lambda: _ask(project, by), lambda f: _show(project, f), "Counting…")


def _ask(project: Project, by: By | None) -> Timeline | str:
    try:
        return timeline(project, by=by)
    except InputError as error:
        return told(error)


def _show(project: Project, found: Timeline | str) -> None:
    if isinstance(found, str):
        session.empty_state("Nothing to compare yet", found)
        _to_corpus(project)
        return
    _changes(found)
    st.plotly_chart(share_figure(found), key="timeline-chart", config=CONFIG)
    _one_topic(found)
    _table(found)
    if found.n_undated:
        st.caption(f"{count(found.n_undated, 'document')} left out: no date in a form like 2026-11-18.")


def _to_corpus(project: Project) -> None:
    st.page_link("pages/corpus.py", label="Go to Corpus & seed", query_params=session.params(project))


def _changes(found: Timeline) -> None:
    """Say what has changed, in a sentence for each kind."""
    now = found.periods[-1]
    st.subheader(f"{md(now)}, compared with everything before", anchor=False)
    flagged = found.flagged()
    for flag in ("new", "rising", "falling", "gone"):
        names = [
            f"{md(' / '.join(line.path))} ({line.share_before:.1%} → {line.share_now:.1%})"
            for line in flagged
            if line.flag == flag
        ]
        if names:
            more = f" and {len(names) - _NAMED} more in the table below" if len(names) > _NAMED else ""
            st.markdown(f"**{_SIGNS[flag]}**: {', '.join(names[:_NAMED])}{more}")
    if not flagged:
        st.markdown("No topic has more or fewer documents than chance explains.")
    st.caption(
        "A topic is marked when its share in the last period differs from its share before by more than chance. If "
        "nothing had changed, at most one table in twenty would have a mark (exact test, corrected for the number of "
        "topics)."
    )


def _one_topic(found: Timeline) -> None:
    """Show one topic and what is directly below it, in a chart of their own."""
    topics = {" / ".join(line.path): line for line in found.lines if line.node_id}
    chosen = st.selectbox("One topic", list(topics), index=None, placeholder="Choose a topic", key="timeline-topic")
    if chosen is None or chosen not in topics:
        return
    top = topics[chosen]
    below = [line for line in topics.values() if line.path[:-1] == top.path]
    st.plotly_chart(share_figure(found, [top, *below]), key="timeline-topic-chart", config=CONFIG)
    said = f"{md(chosen)}: {count(sum(top.counts), 'document')}, {_SIGNS[top.flag] or 'no more change than by chance'}"
    st.caption(f"{said} (p = {top.p:.2g}).")


def share_figure(found: Timeline, lines: Sequence[TopicLine] | None = None) -> Any:
    """Return a line for each of some topics, else of the first level: its share of the documents of each period."""
    figure = go.Figure()
    tops = [line for line in found.lines if len(line.path) == 1] if lines is None else lines
    for number, line in enumerate(tops):
        name = html.escape(line.path[-1])
        colour = _COLOURS[number % len(_COLOURS)] if line.node_id else GREY
        figure.add_scatter(
            x=[html.escape(period) for period in found.periods],
            y=found.shares(line),
            name=name,
            mode="lines+markers",
            line={"color": colour, "dash": "solid" if line.node_id and number < len(_COLOURS) else "dot"},
            customdata=[[made, total] for made, total in zip(line.counts, found.totals, strict=True)],
            hovertemplate="%{x}: %{y:.1%}, %{customdata[0]} of %{customdata[1]}<extra>" + name + "</extra>",
        )
    figure.update_yaxes(tickformat=".0%", rangemode="tozero", fixedrange=True)
    figure.update_xaxes(type="category", fixedrange=True)
    figure.update_layout(margin={"l": 4, "r": 12, "t": 8, "b": 4}, height=360, dragmode=False)
    return figure


def _table(found: Timeline) -> None:
    rows = [
        {
            "topic": " / ".join(line.path),
            "share": found.shares(line),
            "documents": sum(line.counts),
            "before": 100 * line.share_before,
            "now": 100 * line.share_now,
            "change": _SIGNS[line.flag],
            "p": line.p,
        }
        for line in found.lines
    ]
    config = cast(
        "dict[str, Any]",
        {
            "share": st.column_config.LineChartColumn("share by period", y_min=0.0),
            "before": st.column_config.NumberColumn(format="%.1f %%"),
            "now": st.column_config.NumberColumn(format="%.1f %%"),
            "p": st.column_config.NumberColumn(format="%.2g", help="How probable such a difference is by chance."),
        },
    )
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="timeline-table", column_config=config)
