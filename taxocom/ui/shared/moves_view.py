"""What the tagger would move, with the buttons to let it go, keep it, or look at it first."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from taxocom.store import Project
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.shared.deciding import decide, may_decide
from taxocom.ui.shared.excerpts import show_excerpts
from taxocom.ui.shared.offering import offered
from taxocom.ui.shared.thinking import show_when_known
from taxocom.workflow.moves import SuggestedMove, suggested_moves

_SHOWN = 8


def show_moves(project: Project, tree: Taxonomy, node_id: str | None = None) -> None:
    """Show what would move to and from a topic, or in the whole tree; nothing at all if nothing would."""
    name = f"moves of {node_id}"
    show_when_known(
        project,
        name,
        lambda: suggested_moves(project, node_id),
        lambda moves: _show(project, tree, node_id, moves),
        "Looking for documents that may belong elsewhere…",
    )


def _show(project: Project, tree: Taxonomy, node_id: str | None, moves: Sequence[SuggestedMove]) -> None:
    if not moves:
        return
    n_documents = sum(len(move.documents) for move in moves)
    with st.expander(f"{count(n_documents, 'document')} may belong elsewhere", key=f"moves-{node_id}"):
        st.caption(
            "After the last decisions these documents seem to fit other topics better. Nothing moves unless you move "
            "it. If you keep documents where they are, you are not asked again."
        )
        if not may_decide("moves"):
            return
        for number, move in enumerate(moves[:_SHOWN]):
            _row(project, tree, move, f"{node_id}-{number}")
        if len(moves) > _SHOWN:
            st.caption(
                f"And {count(len(moves) - _SHOWN, 'smaller group')}. They appear once you have dealt with these."
            )


def _row(project: Project, tree: Taxonomy, move: SuggestedMove, key: str) -> None:
    with st.container(key=f"move-row-{key}", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f"{count(len(move.documents), 'document')}: {_name(tree, move.from_id)} → {_name(tree, move.to_id)}"
        )
        n_documents = count(len(move.documents), "document")
        may = offered(project, "move_documents")
        let_go = acting(lambda: decide(project, [move.let_go()], said=f"Moved {n_documents}"))
        st.button("Move them", key=f"let-go-{key}", on_click=let_go, **may)
        keep = acting(lambda: decide(project, [move.keep()], said=f"Kept {n_documents}"))
        st.button("Keep", key=f"keep-{key}", on_click=keep, **may)
        with st.popover("Look", key=f"look-{key}"):
            show_excerpts(project, move.documents)


def _name(tree: Taxonomy, node_id: str) -> str:
    return "no topic" if node_id == ROOT_ID else f"**{md(tree[node_id].label)}**"
