"""The map as a table: every term with its cluster and scores, to be read, searched and moved without a map."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from taxocom.numerics.arrays import UNASSIGNED
from taxocom.taxonomy.kinds import PIN_PLACES
from taxocom.text.terms.vocabulary import display
from taxocom.ui.expand.workbench import Workbench
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count

_HEIGHT = 230
_TO = "move-terms-to"
_PLACES = {"known": "known", "novel": "novel", "general": "general: drop them"}


def show(work: Workbench) -> None:
    """Show the terms; those that are selected can be moved as on the map."""
    frame = terms_of(work)
    n_terms = len(frame)
    wanted = st.text_input("Find a term", key="find-term", placeholder="Find a term", label_visibility="collapsed")
    if wanted and wanted.strip():
        frame = frame[frame["term"].str.contains(wanted.strip().lower(), regex=False)]
    # A move sorts the rows again, so what was selected before it must not stay selected by its place.
    key = f"terms-{work.proposal_id}-{len(work.history.past)}"
    event: Any = st.dataframe(
        frame,
        hide_index=True,
        height=_HEIGHT,
        key=key,
        on_select="rerun",
        selection_mode="multi-row",
        alt="Every term of this topic with its cluster and scores: the map as text",
    )
    st.caption(f"{len(frame):,} of {count(n_terms, 'term')}")
    _moving(work, key, frame.index.to_list(), len(event["selection"]["rows"]))


def _moving(work: Workbench, key: str, term_ids: Sequence[int], n_selected: int) -> None:
    names = work.names()
    places = {c.cluster_id: f"{names[c.cluster_id]} ({c.kind})" for c in work.expansion.clusters if names[c.cluster_id]}
    places |= {place: _PLACES[place] for place in _PLACES if place in PIN_PLACES}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox("Move the selected terms to", list(places), format_func=lambda place: places[place], key=_TO)
        label = f"Move {count(n_selected, 'term')}" if n_selected else "Move terms"
        move = acting(partial(_move, work, key, term_ids))
        st.button(label, key="move-terms", disabled=not n_selected, on_click=move)


def _move(work: Workbench, key: str, term_ids: Sequence[int]) -> None:
    """Move what is selected now to the place that is chosen now: the page that the click was made on may be older."""
    given = session.fields()
    chosen = tuple(int(term_ids[row]) for row in given[key]["selection"]["rows"])
    work.again().move_terms(chosen, str(given[_TO]))


def terms_of(work: Workbench) -> pd.DataFrame:
    """Return a row for each term, indexed by its id: terms of clusters before general ones, by significance."""
    expansion, vocabulary = work.expansion, work.vocabulary
    terms = expansion.terms
    names = list(work.names().values())
    where = np.array([*names, "general"], dtype=object)[
        np.where(terms.cluster == UNASSIGNED, len(names), terms.cluster)
    ]
    frame = pd.DataFrame(
        {
            "term": [display(term) for term in vocabulary.select(terms.term_ids)],
            "cluster": where,
            "novel": terms.is_novel,
            "anchor": terms.is_anchor,
            "novelty": terms.novelty.round(3),
            "topicality": terms.topicality.round(3),
            "significance": terms.significance.round(3),
            "documents": vocabulary.document_frequencies[terms.term_ids],
        },
        index=terms.term_ids,
    )
    return frame.iloc[np.lexsort((-terms.significance, terms.cluster == UNASSIGNED))]
