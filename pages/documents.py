"""Documents: typical and doubtful ones of a topic, and a search over all."""

import streamlit as st

from taxocom.ui.documents import documents_page
from taxocom.ui.runtime import session
from taxocom.ui.shared import jobs_view, presence
from taxocom.ui.shared.bootstrap import page
from taxocom.ui.shared.deciding import mark_seen
from taxocom.ui.shared.missing_topic_view import miss_under
from taxocom.ui.shared.overview import look_at
from taxocom.ui.widgets import topic_tree

with page("Documents", sidebar=True):
    project = session.require_project()
    overview = look_at(project, session.expansion, jobs_view.expanding(project))
    node_id = documents_page.chosen(overview.tree)
    with st.sidebar:
        shown = {**overview.tree_data(node_id), "suggested": None}
        topic_tree(shown, key="documents-tree", on_open=session.choose_node, on_miss=miss_under)
    if project.has_corpus:
        documents_page.show(project, overview.tree, node_id)
    else:
        session.empty_state("This project has no corpus yet", "Choose the texts first.")
        st.page_link("pages/corpus.py", label="Go to Corpus & seed", query_params=session.params(project))
    mark_seen(project, overview.sequence)
    presence.watch(project, overview.sequence)
