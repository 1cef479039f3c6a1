"""Others at work: a page notices what they decide without being asked to."""

from __future__ import annotations

import streamlit as st

from taxocom.store import Project
from taxocom.ui.shared.bootstrap import guarded

_SECONDS = 4.0


@st.fragment(run_every=_SECONDS)
@guarded
def watch(project: Project, sequence: int) -> None:
    """Start the page again once the log has grown beyond what it shows; half-typed text stays where it is."""
    if project.sequence != sequence:
        st.rerun()
