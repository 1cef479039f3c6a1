"""What the tabs of the Quality page have in common: tiles, tables of scores, and a chart beside its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from taxocom.text.terms.vocabulary import display
from taxocom.ui.quality.quality_charts import CONFIG, table_height
from taxocom.ui.quality.quality_words import Scale

SCORE, SHARE = "%.2f", "%.1f %%"
"""How a column of scores, and one of percentages, is written."""


def tile(scale: Scale, value: float | None, name: str = "") -> None:
    """Show one measure with its word; the colour says the same as the word."""
    verdict = scale.verdict(value)
    colour: Any = {"good": "green", "fair": "orange", "poor": "red", None: "gray"}[verdict]
    st.metric(
        name or scale.name,
        "–" if value is None else f"{value:.2f}",
        delta=verdict or "nothing to score",
        delta_color=colour,
        delta_arrow="off",
        help=scale.help,
        border=True,
        width=210,
        height="stretch",
    )


def plain_tile(name: str, value: str, says: str, delta: str | None = None) -> None:
    """Show one number without a word for it."""
    st.metric(name, value, delta=delta, help=says, border=True, width=210, height="stretch")


def score_table(
    columns: Mapping[str, Sequence[Any]] | pd.DataFrame, *, formats: Mapping[str, str], key: str, alt: str
) -> None:
    """Show a table whole if it is short; `formats` say how columns of numbers are written."""
    frame = pd.DataFrame(columns)
    config: dict[str, Any] = {name: st.column_config.NumberColumn(format=written) for name, written in formats.items()}
    if "first terms" in frame:
        config["first terms"] = {"width": "large"}
    st.dataframe(
        frame, hide_index=True, height=table_height(len(frame)), column_config=config, key=f"{key}-table", alt=alt
    )


def beside_its_table(
    figure: Any,
    columns: Mapping[str, Sequence[Any]] | pd.DataFrame,
    *,
    formats: Mapping[str, str],
    key: str,
    alt: str,
    widths: tuple[float, float] = (1.3, 1),
) -> None:
    """Show a chart, and beside it the same numbers for those who use no chart."""
    left, right = st.columns(widths, gap="large")
    with left:
        st.plotly_chart(figure, key=key, config=CONFIG, alt=f"{alt}; the table beside it holds the same")
    with right:
        score_table(columns, formats=formats, key=key, alt=alt)


def listed(terms: Sequence[str]) -> str:
    """Return terms as a cell shows them."""
    return ", ".join(display(term) for term in terms)
