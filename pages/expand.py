"""Expand: one topic at a time, its map, its clusters, and what becomes of them."""

import streamlit as st

from taxocom.ui import expand, jobs_view, presence, session
from taxocom.ui.bootstrap import page
from taxocom.ui.overview import look_at
from taxocom.ui.widgets import topic_tree

with page("Expand", sidebar=True):
    project = session.require_project()
    overview = look_at(project, session.expansion, jobs_view.expanding(project))
    node_id = session.node_id(overview.tree)
    with st.sidebar:
        opened = topic_tree(overview.tree_data(node_id), key="expand-tree")
    if opened and opened != node_id:
        session.show_node(opened)
    expand.heading(project, overview, node_id)
    jobs_view.show_jobs(project, ("index", "expand"))
    if node_id in overview.proposals:
        expand.bench(project, overview, node_id)
    else:
        expand.nothing_yet(project, overview, node_id)
    presence.watch(project, overview.sequence)
