"""Team: what waits for whom, who may do what, and who did what."""

import streamlit as st

from taxocom.ui.runtime import session
from taxocom.ui.shared import presence
from taxocom.ui.shared.bootstrap import page
from taxocom.ui.shared.deciding import mark_seen
from taxocom.ui.team import team_page

with page("Team"):
    project = session.require_project()
    sequence = project.sequence
    st.title("Team", anchor=False)
    tasks, people, log = st.tabs(["Tasks", "People", "Who did what"], key="view", bind="query-params")
    if tasks.open:
        with tasks:
            team_page.waiting(project)
    if people.open:
        with people:
            team_page.people(project)
    if log.open:
        with log:
            team_page.log(project)
    mark_seen(project, sequence)
    presence.watch(project, sequence)
