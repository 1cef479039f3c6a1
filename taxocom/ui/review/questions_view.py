"""Questions worth a minute: what would settle most across the whole tree, with what hangs on each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from taxocom.store import Project
from taxocom.taxonomy.tree import Taxonomy
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.shared.deciding import decide, may_decide
from taxocom.ui.shared.excerpts import show_excerpts
from taxocom.ui.shared.offering import offered
from taxocom.ui.shared.overview import Overview
from taxocom.ui.shared.thinking import show_when_known
from taxocom.workflow.questions import Question, questions, settled

_LISTED = 12


def show_questions(project: Project, overview: Overview) -> None:
    """Show the questions, those first on which most documents hang, each with the way to its answer."""
    found = partial(questions, project, _LISTED)
    show_when_known(project, "questions", found, partial(_list, project, overview.tree), "Looking for what is open…")


def _list(project: Project, tree: Taxonomy, asked: Sequence[Question]) -> None:
    if not asked:
        session.empty_state("Nothing is open", "No decision is left that would settle more than a few documents.")
        return
    st.caption("These decisions settle most. The number says how many documents depend on each.")
    if not may_decide("questions"):
        return
    for number, question in enumerate(asked):
        with st.container(key=f"question-{number}", border=True):
            st.markdown(f"**{count(question.n_documents, 'document')}** · {md(question.said)}")
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                _ways(project, tree, question, number)


def _ways(project: Project, tree: Taxonomy, question: Question, number: int) -> None:
    if question.kind == "move":
        n_documents = count(question.n_documents, "document")
        may = offered(project, "move_documents")
        move = acting(partial(_settle, project, question, True, f"Moved {n_documents}"))
        st.button("Yes, move them", key=f"question-yes-{number}", on_click=move, **may)
        keep = acting(partial(_settle, project, question, False, f"Kept {n_documents}"))
        st.button("No, keep them", key=f"question-no-{number}", on_click=keep, **may)
    elif question.kind == "rivals":
        label = f"Judge ten for {md(tree[question.node_id].label)}"
        _link(project, "pages/documents.py", label, question, which="Teach")
    elif question.kind == "name":
        _link(project, "pages/review.py", "Change its name or keywords", question, view="Tree")
    else:
        _link(project, "pages/expand.py", "Look at the card" if question.kind == "proposal" else "Look at it", question)
    if question.documents:
        with st.popover("Read some", key=f"question-read-{number}"):
            show_excerpts(project, question.documents)


def _settle(project: Project, question: Question, is_yes: bool, said: str) -> None:
    decide(project, [settled(project, question, is_yes)], said=said)


def _link(project: Project, page: str, label: str, question: Question, **more: str) -> None:
    st.page_link(page, label=label, query_params=session.params(project, node=question.node_id, **more))
