"""Teaching a topic of the tree by yes and no, ten documents at a time, and letting move what follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from taxocom.store import Project
from taxocom.taxonomy.decisions import Decision, Undo
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.shared.deciding import decide, may_decide
from taxocom.ui.shared.judging_view import judge
from taxocom.ui.shared.offering import offered, refusal
from taxocom.ui.shared.thinking import show_when_known
from taxocom.workflow.shown_documents import ShownDocument
from taxocom.workflow.teaching import TopicLesson, answers, ask_about_topic, topic_lesson

_LAST = "last step of teaching"
_SHOWN = 6


@dataclass(frozen=True)
class _Asked:
    lesson: TopicLesson
    documents: Sequence[ShownDocument]


def teach(project: Project, tree: Taxonomy, node_id: str) -> None:
    """Show ten documents to judge for a topic, and what it has learnt so far."""
    if not may_decide("teach"):
        return
    if why := refusal(project, "judge_documents"):
        st.caption(md(why))
        return
    show_when_known(
        project,
        f"lesson of {node_id}",
        lambda: _Asked(topic_lesson(project, node_id), ask_about_topic(project, node_id)),
        partial(_show, project, tree, node_id),
        "Choosing documents to ask about…",
    )


def _show(project: Project, tree: Taxonomy, node_id: str, asked: _Asked) -> None:
    _learnt(project, tree, asked.lesson)
    if not asked.documents:
        st.caption("There is nothing left to ask: people have judged all of its documents.")
        return
    label = tree[node_id].label
    judge(project, asked.documents, f"Is it about {label}?", f"judging-{node_id}", partial(_record, project, node_id))


def _learnt(project: Project, tree: Taxonomy, lesson: TopicLesson) -> None:
    undoable = _last_step(project)
    if not (lesson.n_yes or lesson.n_no):
        st.caption("Answer yes or no. Each document stays where you put it, and the program looks for others like it.")
        return
    moves = [*lesson.come, *lesson.go]
    label = md(tree[lesson.node_id].label)
    said = f"+{count(lesson.n_come, 'document')} would come to {label}, −{lesson.n_go:,} would go" if moves else ""
    st.markdown(said or "No other document would move.")
    lines = []
    for move in moves[:_SHOWN]:
        start, end = ("no topic" if each == ROOT_ID else md(tree[each].label) for each in (move.from_id, move.to_id))
        lines.append(f"{len(move.documents):,} from {start} to {end}")
    if moves:
        more = [f"and {count(len(moves) - _SHOWN, 'smaller group')}"] if len(moves) > _SHOWN else []
        st.caption("; ".join([*lines, *more]) + ".")
    with st.container(horizontal=True, gap="small"):
        if moves:
            let = acting(partial(_let_move, project, lesson))
            st.button(
                "Move them", key=f"teach-move-{lesson.node_id}", on_click=let, **offered(project, "move_documents")
            )
        if undoable:
            back = acting(partial(_take_back, project))
            st.button(
                "Take the last step back", key=f"teach-undo-{lesson.node_id}", on_click=back, **offered(project, "undo")
            )


def _record(project: Project, node_id: str, yes: Sequence[str], no: Sequence[str]) -> None:
    _step(project, [answers(project, node_id, yes, no)], f"Recorded {count(len(yes) + len(no), 'answer')}")


def _let_move(project: Project, lesson: TopicLesson) -> None:
    _step(project, lesson.decisions(), f"Moved {count(lesson.n_come + lesson.n_go, 'document')}")


def _step(project: Project, decisions: Sequence[Decision], said: str) -> None:
    """Record what is one step for the person, though it is a decision for each topic that documents are in."""
    decide(project, decisions, said=said)
    session.state()[_LAST] = (project.path.name, project.sequence, len(decisions))
    session.turn()


def _last_step(project: Project) -> int:
    """Return how many decisions the last step was, 0 if something was decided after them."""
    name, sequence, n = session.state().get(_LAST, ("", 0, 0))
    return int(n) if (name, sequence) == (project.path.name, project.sequence) else 0


def _take_back(project: Project) -> None:
    n = _last_step(project)
    if n:
        decide(project, [Undo(n)], said="Taken back")
