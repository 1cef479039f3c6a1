"""Two people on one proposal: what the other decided stays on show until it is answered, and nothing is overwritten."""

from __future__ import annotations

from functools import partial

import streamlit as st

from taxocom.store import Project
from taxocom.ui.expand.workbench import Workbench
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md

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
    labels = {cluster.cluster_id: cluster.label for cluster in work.expansion.clusters}
    both = [
        md(work.draft.names.get(key, labels.get(key, "a cluster")))
        for key in work.draft.judgements
        if key in work.proposal.settled
    ]
    if not both:
        return []
    return [
        "",
        f"You had judged {', '.join(both)} too. The other person's decision counts. "
        "You can change it on the Review page.",
    ]


def _answer(work: Workbench, step: str) -> None:
    """Carry out the answer on the draft that is in the store now."""
    getattr(work.again(), step)()
    session.state().pop(_REFUSED, None)
