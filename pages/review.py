"""Review: the tree, the queue, the history, and what changed since."""

import streamlit as st

from taxocom.ui import jobs_view, presence, review, session
from taxocom.ui.bootstrap import page
from taxocom.ui.deciding import mark_seen
from taxocom.ui.overview import look_at

with page("Review"):
    project = session.require_project()
    overview = look_at(project, session.expansion, jobs_view.expanding(project))
    review.heading(project, overview)
    tree, queue, history, compare = st.tabs(["Tree", "Queue", "History", "Compare"], key="view", bind="query-params")
    if tree.open:
        with tree:
            review.whole_tree(project, overview)
    if queue.open:
        with queue:
            review.queue(project, overview)
    if history.open:
        with history:
            review.history(project)
    if compare.open:
        with compare:
            review.comparison(project, overview)
    mark_seen(project, overview.sequence)
    presence.watch(project, overview.sequence)
