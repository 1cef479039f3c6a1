"""Two people on one proposal: what the other decided stays on show until it is answered, and nothing is overwritten."""

from __future__ import annotations

from functools import partial

import streamlit as st

from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.store import Project
from taxocom.ui.expand.workbench import Workbench, forget_left_over, left_over
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.shared.proposal_draft import Draft, Judgement

_REFUSED = "refused-commit"
_SHOWN = 5


def refuse(work: Workbench) -> None:
    """Note that a commit was turned down; the notice says so until the person has answered it."""
    session.state()[_REFUSED] = work.proposal_id


def show(project: Project, work: Workbench) -> None:
    """Tell what others decided since this draft was begun, and ask what becomes of the draft.

    The notice follows from the draft in the store and not from a click, so no refresh of the page can close it.
    """
    others = {entry.sequence for entry in work.unseen()}
    if not others:
        return
    entries = [entry for entry in project.history(work.draft.sequence) if entry.logged.sequence in others]
    with st.container(key="conflict", border=True, gap="small"):
        if session.state().get(_REFUSED) == work.proposal_id:
            st.markdown("**Somebody else decided first.** Your changes were not saved; your draft is kept.")
        else:
            who = ", ".join(dict.fromkeys(md(entry.logged.author) or "somebody" for entry in entries))
            st.markdown(f"**{who}** decided {count(len(entries), 'thing')} since you started. Your draft is kept.")
        lines = [f"- {md(entry.logged.author) or 'somebody'}: {md(entry.summary)}" for entry in entries[:_SHOWN]]
        if len(entries) > _SHOWN:
            lines.append(f"- and {count(len(entries) - _SHOWN, 'thing')} more; see History on the Review page")
        st.markdown("\n".join([*lines, *_clashes(work)]))
        with st.container(horizontal=True, gap="small"):
            keep, drop = (acting(partial(_answer, work, step)) for step in ("catch_up", "discard"))
            st.button("Keep my draft, go on", key="catch-up", type="primary", on_click=keep)
            st.button("Drop my draft", key="drop-draft", on_click=drop)


def _clashes(work: Workbench) -> list[str]:
    """Say which verdicts of the draft came too late: the other's stands, and can be changed like any other."""
    table = _side_by_side(work.project, work.draft, work.expansion)
    if not table:
        return []
    return ["", *table, "", "The other person's decision counts. You can change it on the Review page."]


def _side_by_side(project: Project, draft: Draft, expansion: NodeExpansion) -> list[str]:
    """Return a table of the clusters that were judged twice: by this draft, and by a decision in force."""
    labels = {cluster.cluster_id: cluster.label for cluster in expansion.clusters}
    mine = {key: _verdict(judged, draft.names.get(key, "")) for key, judged in draft.judgements.items()}
    mine |= dict.fromkeys(draft.joined, "join it with another")
    rows = []
    for entry in project.history():
        key = str(getattr(entry.logged.decision, "cluster_id", ""))
        if entry.in_force and key in mine:
            name = md(draft.names.get(key, labels.get(key, "a cluster")))
            rows.append(f"| {name} | {md(mine[key])} | {md(entry.logged.author) or 'somebody'}: {md(entry.summary)} |")
    return ["| You had judged | yours | decided |", "|---|---|---|", *rows] if rows else []


def _verdict(judged: Judgement, name: str) -> str:
    what = f"{judged.verdict} as {name}" if name and judged.verdict == "accept" else judged.verdict
    return f"{what} ({judged.reason})" if judged.reason else what


def show_left_over(project: Project, node_id: str) -> None:
    """Show what is left of a draft when others were faster on the last card, or split the proposal again."""
    left = left_over(project, node_id)
    if left is None:
        return
    table = _side_by_side(project, left, session.expansion(project, left.proposal_id))
    if not table:
        return
    with st.container(key="left-over", border=True, gap="small"):
        st.markdown("**Others decided before your draft was committed.** It is kept here, beside what they decided.")
        st.markdown("\n".join(table))
        drop = acting(partial(forget_left_over, project, node_id))
        st.button("Drop what is left of my draft", key="drop-left-over", on_click=drop)


def _answer(work: Workbench, step: str) -> None:
    """Carry out the answer on the draft that is in the store now."""
    getattr(work.again(), step)()
    session.state().pop(_REFUSED, None)
