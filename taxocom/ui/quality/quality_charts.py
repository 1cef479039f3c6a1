"""Plotly figures of the Quality page. Colours are Okabe and Ito's and read on light and dark alike."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go

GREEN, AMBER, RED, BLUE, GREY, SKY, PINK = (
    "#009e73", "#e69f00", "#d55e00", "#2a88c2", "#7a93a8", "#56b4e9", "#cc79a7",
)  # fmt: skip
VERDICT_COLOURS = {"good": GREEN, "fair": AMBER, "poor": RED, None: GREY}
ORIGIN_COLOURS = {"seed": GREY, "novel": GREEN, "manual": PINK}
_LIGHT, _DARK = "#ffffff", "#11171d"
# Each with the colour of the number written on it.
_SERIES = ((BLUE, _LIGHT), (AMBER, _DARK), (GREEN, _LIGHT), (PINK, _DARK), (SKY, _DARK), (GREY, _LIGHT))
CONFIG = {"displayModeBar": False}

_ROW = 26
_ROWS_SHOWN = 14
_LONGEST = 34
_NARROW = 9


@dataclass(frozen=True)
class Bar:
    """One bar: its name (any text), its length, its colour, and what is said when a pointer is on it."""

    name: str
    value: float
    colour: str
    said: str = ""


def table_height(n_rows: int) -> Literal["content"] | int:
    """Return a height that shows a short table whole and lets a long one scroll."""
    return "content" if n_rows <= _ROWS_SHOWN else 37 + 35 * _ROWS_SHOWN


def bar_figure(bars: Sequence[Bar], *, percent: bool = False, marks: Mapping[str, float] | None = None) -> Any:
    """Return horizontal bars, the first on top; `marks` are named values drawn as dotted lines."""
    values = [bar.value for bar in bars]
    figure = go.Figure(
        go.Bar(
            x=values,
            y=list(range(len(bars))),
            orientation="h",
            marker={"color": [bar.colour for bar in bars]},
            text=[f"{value:.0%}" if percent else f"{value:.2f}" for value in values],
            textposition="outside",
            cliponaxis=False,
            customdata=[[html.escape(bar.name), html.escape(bar.said)] for bar in bars],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
        )
    )
    for name, value in (marks or {}).items():
        figure.add_vline(
            value, line={"dash": "dot", "width": 1, "color": GREY}, annotation_text=name, annotation_position="top"
        )
    figure.update_yaxes(
        tickvals=list(range(len(bars))),
        ticktext=[html.escape(_short(bar.name)) for bar in bars],
        autorange="reversed",
        automargin=True,
        showgrid=False,
    )
    top = max([*values, *(marks or {}).values(), 0.01])
    figure.update_xaxes(
        range=[min(0.0, *values) * 1.1, top * 1.18], tickformat=".0%" if percent else None, fixedrange=True
    )
    return _framed(figure, 56 + _ROW * max(len(bars), 2), has_marks=bool(marks))


def grouped_figure(
    groups: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    spreads: Mapping[str, Sequence[float | None]],
    *,
    counts: bool = False,
) -> Any:
    """Return upright bars: a group for each measure, a bar in it for each series, with its spread over the runs.

    They go from 0 to 1, unless they are `counts`.
    """
    figure = go.Figure()
    for (name, values), (colour, ink) in zip(series.items(), _SERIES * 9, strict=False):
        errors = [spread or 0.0 for spread in spreads.get(name, ())]
        figure.add_bar(
            x=["<br>".join(map(html.escape, textwrap.wrap(group, _NARROW))) for group in groups],
            y=list(values),
            name=html.escape(_short(name)),
            marker={"color": colour},
            error_y={"type": "data", "array": errors, "visible": any(errors), "thickness": 1.5, "color": GREY},
            text=["" if value is None else f"{value:.1f}" if counts else f"{value:.2f}" for value in values],
            textposition="auto",
            insidetextanchor="start",
            insidetextfont={"color": ink},
            textangle=0,
            hovertemplate="%{x}: %{y:.3f}<extra>" + html.escape(_short(name)) + "</extra>",
        )
    top = max([value or 0.0 for values in series.values() for value in values], default=1.0) if counts else 1.0
    figure.update_yaxes(range=[0, max(top, 1.0) * 1.08], fixedrange=True)
    figure.update_xaxes(fixedrange=True)
    figure.update_layout(
        barmode="group",
        showlegend=len(series) > 1,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    return _framed(figure, 280, has_marks=len(series) > 1)


def gap_figure(names: Sequence[str], before: Sequence[float], after: Sequence[float]) -> Any:
    """Return the share of documents that no topic holds, before and after, a pair of bars for each topic."""
    figure = go.Figure()
    places = list(range(len(names)))
    for label, values, colour in (("with the seed alone", before, GREY), ("now", after, BLUE)):
        figure.add_bar(
            x=list(values),
            y=places,
            orientation="h",
            name=label,
            marker={"color": colour},
            text=[f"{value:.0%}" for value in values],
            textposition="outside",
            cliponaxis=False,
            customdata=[html.escape(name) for name in names],
            hovertemplate="%{customdata}: %{x:.1%}<extra>" + label + "</extra>",
        )
    figure.update_yaxes(
        tickvals=places,
        ticktext=[html.escape(_short(name)) for name in names],
        autorange="reversed",
        automargin=True,
        showgrid=False,
    )
    figure.update_xaxes(range=[0, max([*before, 0.01]) * 1.18], tickformat=".0%", fixedrange=True)
    figure.update_layout(barmode="group", legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0})
    return _framed(figure, 110 + 44 * len(names), has_marks=True)


def _framed(figure: Any, height: int, *, has_marks: bool = False) -> Any:
    figure.update_layout(
        margin={"l": 4, "r": 12, "t": 26 if has_marks else 6, "b": 4}, height=height, dragmode=False, bargap=0.25
    )
    return figure


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
