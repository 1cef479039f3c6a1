"""Expand: one topic at a time, its map, its clusters, and what becomes of them."""

import streamlit as st

from taxocom.ui.expand import conflicts, expand_page, map_view
from taxocom.ui.runtime import session
from taxocom.ui.shared import jobs_view, presence
from taxocom.ui.shared.bootstrap import page
from taxocom.ui.shared.deciding import mark_seen
from taxocom.ui.shared.missing_topic_view import miss_a_topic, miss_under
from taxocom.ui.shared.overview import look_at
from taxocom.ui.shared.split_view import split_a_topic
from taxocom.ui.widgets import topic_tree

with page("Expand", sidebar=True):
    project = session.require_project()
    overview = look_at(project, session.expansion, jobs_view.expanding(project))
    node_id = session.node_id(overview.tree)
    with st.sidebar:
        colours = map_view.colours(project, overview.tree, node_id)
        topic_tree(
            overview.tree_data(node_id, colours), key="expand-tree", on_open=session.choose_node, on_miss=miss_under
        )
    expand_page.heading(project, overview, node_id)
    jobs_view.show_jobs(project, ("index", "expand"))
    miss_a_topic(project, overview.tree, node_id)
    conflicts.show_left_over(project, node_id)
    if node_id in overview.proposals:
        expand_page.bench(project, overview, node_id)
    else:
        expand_page.nothing_yet(project, overview, node_id)
        split_a_topic(project, overview.tree, node_id)
    mark_seen(project, overview.sequence)
    presence.watch(project, overview.sequence)
