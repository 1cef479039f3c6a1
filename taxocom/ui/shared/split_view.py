"""Splitting a topic on a page: into how many parts, by what, and what each would hold, before it is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from taxocom.errors import TaxocomError
from taxocom.store import Project
from taxocom.store.projects.lexicon_files import find_lexicon
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.ui.runtime.safe_text import count, md, shown
from taxocom.ui.shared.deciding import decide, may_decide
from taxocom.ui.shared.excerpts import show_excerpts
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.offering import refusal
from taxocom.ui.shared.thinking import show_when_known
from taxocom.workflow.splitting import FEWEST_PARTS, MOST_PARTS, By, TopicPart, parts_of, renamed, split

_BY: Mapping[By, str] = {"words": "The words they use", "meaning": "What they mean"}
_PLACES = {"beside": "In its place", "below": "Below it, as sub-topics"}


@dataclass(frozen=True)
class _Preview:
    """The parts that a topic would be split into; or why it cannot be."""

    parts: Sequence[TopicPart]
    problem: str = ""


def split_a_topic(project: Project, tree: Taxonomy, node_id: str) -> None:
    """Let a topic be split, behind a line that opens; the whole tree cannot be."""
    if not project.has_corpus or node_id == ROOT_ID:
        return
    folded = st.expander(f"Split {md(tree[node_id].label)}", key=f"split-{node_id}", on_change="rerun")
    if folded.open:
        with folded:
            split_one_of(project, tree, [node_id])


def split_one_of(project: Project, tree: Taxonomy, node_ids: Sequence[str]) -> None:
    """Let one of these topics be split; its parts are on show before anything is done."""
    topics = [node_id for node_id in node_ids if node_id != ROOT_ID and tree[node_id].status != "rejected"]
    if not topics:
        st.caption("There is no topic here yet that could be split.")
        return
    if not may_decide("split"):
        return
    node_id = topics[0]
    if len(topics) > 1:
        node_id = st.selectbox("Which topic", topics, format_func=lambda each: tree[each].label, key="split-which")
    with st.container(horizontal=True, gap="medium"):
        n_parts = st.segmented_control(
            "Into how many parts",
            range(FEWEST_PARTS, MOST_PARTS + 1),
            default=FEWEST_PARTS,
            required=True,
            key="split-parts",
            width="content",
        )
        by: By = "words"
        if find_lexicon() is not None:
            by = st.segmented_control(
                "Documents are told apart by",
                list(_BY),
                default="words",
                required=True,
                format_func=lambda each: _BY[each],
                key="split-by",
                width="content",
            )
    show_when_known(
        project,
        f"split of {node_id} in {n_parts} by {by}",
        partial(_look, project, node_id, int(n_parts or FEWEST_PARTS), by),
        partial(_show, project, tree, node_id, by),
        "Looking at its documents…",
    )


def _look(project: Project, node_id: str, n_parts: int, by: By) -> _Preview:
    try:
        return _Preview(parts_of(project, node_id, n_parts, by))
    except TaxocomError as error:
        return _Preview((), str(error))


def _show(project: Project, tree: Taxonomy, node_id: str, by: By, preview: _Preview) -> None:
    if not preview.parts:
        st.info(md(preview.problem))
        return
    for number, part in enumerate(preview.parts, 1):
        with st.container(key=f"split-part-{number}", horizontal=True, vertical_alignment="center", gap="small"):
            terms = " · ".join(shown(term) for term in part.terms) or "no words of its own"
            st.markdown(f"**{number}.** {count(len(part.documents), 'document')}: {terms}")
            with st.popover("Read some", key=f"split-read-{number}", width="content"):
                show_excerpts(project, part.documents)
    _form(project, tree, node_id, by, preview.parts)


def _form(project: Project, tree: Taxonomy, node_id: str, by: By, parts: Sequence[TopicPart]) -> None:
    names = [Field(f"name-{at}", f"Name of part {at + 1}", each.label, half=True) for at, each in enumerate(parts)]
    where = Field("where", "Where the parts go", "beside", kind="choice", options=_PLACES, half=True)

    def do(sent: Submitted) -> None:
        named = renamed(parts, [sent.text(field.name) for field in names])
        made = split(project.taxonomy(), node_id, named, below=sent.text("where") == "below")
        labels = ", ".join(part.label for part in named)
        decide(project, made, said=f"Split {tree[node_id].label} into {labels}")

    says = "Nothing has changed yet. Each part gets its documents, and the words listed above as its keywords."
    buttons = [Button("split", "Split it like this", primary=True)]
    why = refusal(project, "split_topic", "add_topic", "move_documents")
    part = Part("split", [*names, where], buttons, says=says, layout="framed", refused=why)
    # The key names what is split and how: a name typed for one part must not become the name of another.
    form(f"split-{project.path.name}-{node_id}-{len(parts)}-{by}-{project.sequence}", part, on_submit=do)
