"""The Team page: what waits for whom, who may do what, and who did what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from taxocom.store import Project
from taxocom.taxonomy.decisions import GiveRole, SetRule, SetStatus
from taxocom.taxonomy.roles import ROLES
from taxocom.taxonomy.team import Team
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.shared import curator
from taxocom.ui.shared.deciding import decide, may_decide
from taxocom.ui.shared.discussion_view import told_of
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.offering import offered
from taxocom.workflow.audit import AuditLine, Wanted, as_csv, audit, day, topics_to_ask
from taxocom.workflow.teamwork import OWN_WORK, WAITING, path_of, tasks, tasks_of, written_by

_ROWS_SHOWN, _TASKS_SHOWN = 500, 50
_EVERYBODY, _EVERY_TOPIC = "Everybody", ""


def waiting(project: Project) -> None:
    """Show the topics that wait for the person who looks, or for anybody."""
    if not may_decide("tasks"):
        return
    mine = tasks_of(project, curator.name())
    whose = st.segmented_control(
        "Whose tasks",
        ["For me", "For anybody"],
        default="For me",
        required=True,
        key="whose",
        label_visibility="collapsed",
    )
    shown = mine if whose == "For me" else tasks(project)
    if not shown:
        session.empty_state(
            "Nothing waits", "Topics that were suggested, drafts and what you were asked to see to are listed here."
        )
        return
    tree = project.taxonomy()
    own = written_by(project, curator.name())
    if len(shown) > _TASKS_SHOWN:
        st.caption(f"{count(len(shown), 'topic')}, the first {_TASKS_SHOWN} shown.")
    for task in shown[:_TASKS_SHOWN]:
        with st.container(border=True, key=f"task-{task.node_id}", horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{md(path_of(tree, task.node_id))}**  \n{told_of(task)}", width="stretch")
            st.page_link("pages/review.py", label="Open", query_params=session.params(project, node=task.node_id))
            if task.state in WAITING:
                approve = acting(partial(decide, project, [SetStatus(task.node_id, "approved")], said="Approved"))
                is_own = task.node_id in own
                may = offered(project, "set_status", disabled=is_own, told=OWN_WORK if is_own else None)
                st.button("Approve", key=f"approve-{task.node_id}", on_click=approve, type="primary", **may)
                reject = acting(partial(decide, project, [SetStatus(task.node_id, "rejected")], said="Rejected"))
                st.button("Reject", key=f"turn-down-{task.node_id}", on_click=reject, **offered(project, "set_status"))


def people(project: Project) -> None:
    """Show who may do what, and let an admin change it."""
    team = project.team()
    if team.is_open:
        st.write(
            "This project is open: whoever reaches it may do everything. It has a list of people from the moment "
            "somebody is its admin."
        )
    else:
        st.dataframe(
            pd.DataFrame([{"person": person, "role": role} for person, role in team.roles.items()]),
            hide_index=True,
            height="content",
            key="people",
        )
    if not may_decide("people"):
        return
    if team.is_open:
        first = acting(lambda: decide(project, [GiveRole(curator.name(), "admin")], said="You are the admin"))
        may = offered(project, "give_role")
        st.button("Begin the list with me as admin", key="first-admin", type="primary", on_click=first, **may)
    elif team.may(curator.name(), "give_role"):
        _hand_out(project)
        _rule(project, team)
    else:
        st.caption(f"You are {_role_of(team)} here. Roles are handed out by {md(', '.join(team.admins))}.")
    st.caption(
        "Viewers look. Contributors comment, suggest topics and look for missing ones. Curators decide. Admins hand "
        "out roles. The whole table is in docs/roles.md."
    )


def _role_of(team: Team) -> str:
    role = team.role_of(curator.name())
    return f"{'an' if role == 'admin' else 'a'} {role}" if role else "not on the list"


def _hand_out(project: Project) -> None:
    def give(sent: Submitted) -> None:
        decide(project, [GiveRole(sent.text("person"), sent.text("role"))], why=sent.text("why"), said="Saved")  # type: ignore[arg-type]  # one of the options

    options = {role: role for role in ROLES} | {"none": "none: take off the list"}
    fields = [
        Field("person", "Person, as they sign in", required=True, half=True),
        Field("role", "Role", "contributor", kind="choice", options=options, half=True),
        Field("why", "Why (kept with the change)"),
    ]
    part = Part("role", fields, [Button("give", "Give the role", primary=True)], layout="framed")
    form(f"role-{project.path.name}", part, on_submit=give)


def _rule(project: Project, team: Team) -> None:
    def change(sent: Submitted) -> None:
        decide(project, [SetRule("second_person", bool(sent.values["second"]))], said="Saved")

    said = "What a curator adds or changes is then a draft until another curator approves it."
    field = Field("second", "Approval needs a second person", value=team.second_person, kind="tick")
    form(f"rule-{project.path.name}", Part("rule", [field], [Button("save", "Save")], says=said), on_submit=change)


def log(project: Project) -> None:
    """Show who did what: filtered by person, topic and time, to look at and as CSV."""
    topics = topics_to_ask(project)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        person = st.selectbox("Person", [_EVERYBODY, *project.people()], key="audit-person")
        node_id = st.selectbox("Topic", [_EVERY_TOPIC, *topics], format_func=lambda key: topics.get(key, "Every topic"))
        since = st.text_input("From the day", placeholder="2026-11-01", key="audit-since")
        until = st.text_input("To the day", placeholder="2026-11-30", key="audit-until")
    wanted = Wanted(
        "" if person == _EVERYBODY else person, node_id or "", day(since, "From the day"), day(until, "To the day")
    )
    lines = audit(project, wanted)
    _table(lines)
    st.download_button("Download as CSV", as_csv(lines), f"{project.path.name}-log.csv", "text/csv", key="get-audit")
    st.caption("Each entry carries the hash of the one before it. `taxocom verify` proves that nothing was changed.")


def _table(lines: Sequence[AuditLine]) -> None:
    rows = [
        {
            "step": line.step,
            "when": line.at[:16].replace("T", " "),
            "who": line.person,
            "what": line.what,
            "why": line.why,
            "": "" if line.in_force else "undone",
        }
        for line in reversed(lines[-_ROWS_SHOWN:])
    ]
    if len(lines) > _ROWS_SHOWN:
        st.caption(f"The newest {_ROWS_SHOWN} of {count(len(lines), 'entry', 'entries')}; the CSV has all of them.")
    st.dataframe(pd.DataFrame(rows, columns=["step", "when", "who", "what", "why", ""]), hide_index=True, key="audit")
