"""One topic with everything said about it, and the ways to change it."""

from __future__ import annotations

import zlib

import streamlit as st

from taxocom.store import Project
from taxocom.store.documents import document_places
from taxocom.taxonomy.decisions import (
    AddNote,
    Decision,
    EditAltLabels,
    EditDefinition,
    EditKeywords,
    EditScopeNote,
    MergeTopics,
    MoveTopic,
    RemoveTopic,
    RenameTopic,
    SetStatus,
)
from taxocom.taxonomy.tree import ROOT_ID, Status, Taxonomy, TopicNode
from taxocom.ui import session
from taxocom.ui.deciding import decide, may_decide
from taxocom.ui.plain import count, md, shown
from taxocom.workflow.weak_names import weak_names


def topic_form(project: Project, tree: Taxonomy, node_id: str) -> None:
    """Show a topic and let it be described, renamed, moved, merged, approved or removed."""
    node = tree[node_id]
    st.subheader(md(node.label), anchor=False)
    if not len(tree):
        st.caption("The tree is empty. Add the topics you know; the missing ones are found for you.")
        st.page_link("pages/corpus.py", label="Go to Corpus & seed", query_params=session.params(project))
        return
    if node_id == ROOT_ID:
        st.caption(f"The whole taxonomy: {count(len(tree), 'topic')}. Choose a topic to describe it.")
        return
    facts = [" › ".join(md(label) for label in tree.path_of(node_id)[:-1]), _origin(node)]
    if project.has_corpus:
        facts.append(count(document_places(project).counts().get(node_id, 0), "document"))
    st.caption(" · ".join(filter(None, facts)))
    if node.anchors:
        st.markdown(" · ".join(shown(anchor.term) for anchor in node.anchors[:12]))
    if not may_decide():
        return
    _structure(project, tree, node)
    hint = st.container()
    _description(project, node)
    for note in node.notes:
        st.text(f"Note: {note}")
    with st.form(f"note-{form_key(node)}", border=False):
        note = st.text_input("Add a note")
        if st.form_submit_button("Add the note") and note.strip() and decide(project, [AddNote(node_id, note)]):
            st.rerun()
    # Last: after a decision the tagger thinks for a moment, and the fields should not wait for it.
    with hint:
        _weak_name(project, node)


def _weak_name(project: Project, node: TopicNode) -> None:
    """Offer keywords where few of a topic's documents say its name."""
    found = weak_names(project) if project.has_corpus else []
    weak = next((each for each in found if each.node_id == node.node_id), None)
    if weak is None:
        return
    st.caption(f"Only {weak.n_saying:,} of {count(weak.n_documents, 'document')} say its name or a keyword. Add one?")
    with st.container(horizontal=True, gap="small"):
        for term in weak.suggestions:
            keywords = tuple(dict.fromkeys([*node.keywords, term]))
            if st.button(f"Add *{md(term)}*", key=f"weak-{node.node_id}-{term}") and decide(
                project, [EditKeywords(node.node_id, keywords)]
            ):
                st.rerun()


def form_key(node: TopicNode) -> str:
    """Return a key that changes with the topic itself: what others do elsewhere does not empty a half-filled form."""
    return f"{node.node_id}-{zlib.crc32(repr(node).encode())}"


def _origin(node: TopicNode) -> str:
    origin = {"seed": "from the seed", "novel": "found in the corpus", "manual": "added by hand"}[node.origin]
    return origin if node.status == "approved" else f"{origin}, {node.status}"


def _description(project: Project, node: TopicNode) -> None:
    with st.form(f"describe-{form_key(node)}", border=True):
        label = st.text_input("Name", node.label)
        definition = st.text_area("Definition", node.definition, height=80)
        scope = st.text_area("Scope note: when to use it", node.scope_note, height=68)
        left, right = st.columns(2, gap="small")
        keywords = left.text_input("Keywords, with commas", ", ".join(node.keywords))
        others = right.text_input("Other names, with commas", ", ".join(node.alt_labels))
        why = st.text_input("Why (kept with the change)", "")
        if st.form_submit_button("Save", type="primary"):
            wanted: list[Decision] = []
            if label.strip() != node.label:
                wanted.append(RenameTopic(node.node_id, label))
            if definition.strip() != node.definition:
                wanted.append(EditDefinition(node.node_id, definition))
            if scope.strip() != node.scope_note:
                wanted.append(EditScopeNote(node.node_id, scope))
            if _listed(keywords) != node.keywords:
                wanted.append(EditKeywords(node.node_id, _listed(keywords)))
            if _listed(others) != node.alt_labels:
                wanted.append(EditAltLabels(node.node_id, _listed(others)))
            if wanted and decide(project, wanted, why=why):
                session.flash("Saved")
                st.rerun()


def _structure(project: Project, tree: Taxonomy, node: TopicNode) -> None:
    within = {below.node_id for below in tree.subtree_of(node.node_id)}
    others = {
        other.node_id: " › ".join(tree.path_of(other.node_id)) or other.label
        for other in tree.subtree_of(ROOT_ID)
        if other.node_id not in within
    }
    # A box closes by its key once what it was opened for is done.
    step = project.sequence
    with st.container(horizontal=True, gap="small"):
        with st.popover("Move", key=f"move-box-{node.node_id}-{step}"):
            place = st.selectbox("Under", list(others), format_func=lambda key: others[key], key=f"move-{node.node_id}")
            if st.button("Move it", key=f"do-move-{node.node_id}") and decide(
                project, [MoveTopic(node.node_id, place)]
            ):
                st.rerun()
        targets = [key for key in others if key != ROOT_ID]
        with st.popover("Merge", disabled=not targets, key=f"merge-box-{node.node_id}-{step}"):
            into = st.selectbox("Into", targets, format_func=lambda key: others[key], key=f"merge-{node.node_id}")
            if st.button("Merge it", key=f"do-merge-{node.node_id}") and decide(
                project, [MergeTopics(into, (node.node_id,))]
            ):
                session.show_node(into)
        status: Status = "rejected" if node.status == "approved" else "approved"
        word = "Mark as rejected" if node.status == "approved" else "Approve"
        if st.button(word, key=f"status-{node.node_id}") and decide(project, [SetStatus(node.node_id, status)]):
            st.rerun()
        with st.popover("Remove", key=f"remove-box-{node.node_id}-{step}"):
            keep = st.checkbox("Keep its sub-topics, one level up", key=f"keep-{node.node_id}")
            if st.button("Remove it", key=f"do-remove-{node.node_id}", type="primary") and decide(
                project, [RemoveTopic(node.node_id, keep_children=keep)]
            ):
                session.show_node(tree.parent_of(node.node_id) or ROOT_ID)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())
