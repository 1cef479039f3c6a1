"""Review: the tree, the queue, the history, and what changed since."""

import streamlit as st

from taxocom.ui.review import deprecated_view, questions_view, review_page
from taxocom.ui.runtime import session
from taxocom.ui.shared import jobs_view, presence
from taxocom.ui.shared.bootstrap import page
from taxocom.ui.shared.deciding import mark_seen
from taxocom.ui.shared.overview import look_at

with page("Review"):
    project = session.require_project()
    overview = look_at(project, session.expansion, jobs_view.expanding(project))
    review_page.heading(project, overview)
    names = ["Tree", "Queue", "Questions", "History", "Compare", "Deprecated"]
    tree, queue, asked, history, compare, deprecated = st.tabs(names, key="view", bind="query-params")
    if tree.open:
        with tree:
            review_page.whole_tree(project, overview)
    if queue.open:
        with queue:
            review_page.queue(project, overview)
    if asked.open:
        with asked:
            questions_view.show_questions(project, overview)
    if history.open:
        with history:
            review_page.history(project)
    if compare.open:
        with compare:
            review_page.comparison(project, overview)
    if deprecated.open:
        with deprecated:
            deprecated_view.show_deprecated(project)
    mark_seen(project, overview.sequence)
    presence.watch(project, overview.sequence)
