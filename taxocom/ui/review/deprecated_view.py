"""Deprecated topics on Review: what each was called, what replaces it, and who said so."""

from __future__ import annotations

import streamlit as st

from taxocom.store import Project
from taxocom.ui.runtime import session
from taxocom.ui.runtime.safe_text import count, md
from taxocom.workflow.deprecated import Retired, retired_topics

_SHOWN = 200


def show_deprecated(project: Project) -> None:
    """List the topics that left the tree and stay known, each with the way to the topic that replaces it."""
    found = retired_topics(project)
    if not found:
        session.empty_state(
            "No deprecated topics",
            "A topic that was in a release is deprecated instead of removed, so that others know what to use instead. "
            "Choose the topic on *Tree* and press *Deprecate*.",
        )
        return
    st.caption(f"{count(len(found), 'topic')} left the tree. Exports name them with what replaces them.")
    for number, topic in enumerate(found[:_SHOWN]):
        with st.container(horizontal=True, vertical_alignment="center", key=f"deprecated-{number}"):
            st.markdown(f"**{md(topic.label)}**  \n{_told(topic)}", width="stretch")
            if topic.replaced_by:
                params = session.params(project, node=topic.replaced_by, view="Tree")
                st.page_link("pages/review.py", label=md(topic.instead), query_params=params)
    if len(found) > _SHOWN:
        st.caption(f"And {count(len(found) - _SHOWN, 'topic')} more. The exports have all of them.")


def _told(topic: Retired) -> str:
    instead = f"Replaced by {md(topic.instead)}" if topic.instead else "Nothing replaces it"
    since = f"{md(topic.author) or 'somebody'}, {topic.at[:16].replace('T', ' ')}" if topic.at else "imported so"
    return " · ".join(filter(None, [instead, since, md(topic.why)]))
