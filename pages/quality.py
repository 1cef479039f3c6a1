"""Quality: how good the taxonomy is, how stable, and what labels say of the method."""

import streamlit as st

from taxocom.ui.quality import quality_labels, quality_page, quality_stability
from taxocom.ui.runtime import session
from taxocom.ui.shared import jobs_view, presence
from taxocom.ui.shared.bootstrap import page

with page("Quality"):
    project = session.require_project()
    quality_page.heading()
    if quality_page.ready(project):
        jobs_view.show_jobs(project, ("evaluate", "stability"))
        names = ["This taxonomy", "Stability", "Against labels"]
        taxonomy, stability, labels = st.tabs(names, key="view", bind="query-params")
        if taxonomy.open:
            with taxonomy:
                quality_page.taxonomy_tab(project)
        if stability.open:
            with stability:
                quality_stability.show(project)
        if labels.open:
            with labels:
                quality_labels.show(project)
    presence.watch(project, project.sequence)
