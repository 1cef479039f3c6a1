"""One topic with everything said about it, and the ways to change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from taxocom.store import Project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import (
    AddNote,
    Decision,
    DeprecateTopic,
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
from taxocom.text.terms.vocabulary import display
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md, shown
from taxocom.ui.shared import curator
from taxocom.ui.shared.deciding import decide, may_decide
from taxocom.ui.shared.discussion_view import discussion
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.offering import offered, refusal
from taxocom.ui.shared.thinking import show_when_known, think, wait_for
from taxocom.ui.shared.vocabulary_form import vocabulary_form
from taxocom.workflow.teamwork import OWN_WORK, written_by
from taxocom.workflow.weak_names import WeakName, weak_names

_DESCRIBES = ("rename_topic", "edit_definition", "edit_scope_note", "edit_keywords", "edit_alt_labels")


def topic_form(project: Project, tree: Taxonomy, node_id: str) -> None:
    """Show a topic and let it be described, renamed, moved, merged, approved or removed."""
    node = tree[node_id]
    st.subheader(md(node.label), anchor=False)
    if not len(tree):
        st.caption("The tree is empty. Add the topics you know. The program finds the missing ones.")
        st.page_link("pages/corpus.py", label="Go to Corpus & seed", query_params=session.params(project))
        return
    if node_id == ROOT_ID:
        st.caption(f"The whole taxonomy: {count(len(tree), 'topic')}. Choose a topic to describe it.")
        return
    facts, structure, hint = st.container(), st.container(), st.container()
    if not may_decide():
        with facts:
            _facts(project, tree, node)
        return
    # First, however far down it stands: what was typed waits in its fields until these are answered.
    _description(project, node)
    for note in node.notes:
        st.text(f"Note: {note}")
    _note(project, node)
    discussion(project, node)
    vocabulary_form(project, tree, node)
    with structure:
        _structure(project, tree, node)
    # Last: after a decision the tagger thinks for a moment, and the fields should not wait for it.
    with facts:
        _facts(project, tree, node)
    with hint:
        _weak_name(project, node)


def _facts(project: Project, tree: Taxonomy, node: TopicNode) -> None:
    def counts() -> dict[str, int]:
        return document_places(project).counts()

    facts = [" › ".join(md(label) for label in tree.path_of(node.node_id)[:-1]), _origin(node)]
    counted = think(project, "counts", counts) if project.has_corpus else None
    if counted is not None:
        facts.append(count(counted.value.get(node.node_id, 0), "document"))
    st.caption(" · ".join(filter(None, facts)))
    if node.anchors:
        st.markdown(" · ".join(shown(anchor.term) for anchor in node.anchors[:12]))
    if project.has_corpus and (counted is None or counted.is_old):
        wait_for(project, "counts", counts)


def _note(project: Project, node: TopicNode) -> None:
    def add(sent: Submitted) -> None:
        decide(project, [AddNote(node.node_id, sent.text("note"))])

    part = Part(
        "note",
        [Field("note", "Add a note", required=True)],
        [Button("add", "Add the note")],
        refused=refusal(project, "add_note"),
    )
    form(f"note-{project.path.name}-{node.node_id}", part, on_submit=add)


def _weak_name(project: Project, node: TopicNode) -> None:
    """Offer keywords where few of a topic's documents say its name."""
    if project.has_corpus:
        said = "Checking whether its documents mention its name…"
        show_when_known(project, "weak names", lambda: weak_names(project), partial(_offer, project, node), said)


def _offer(project: Project, node: TopicNode, found: Sequence[WeakName]) -> None:
    weak = next((each for each in found if each.node_id == node.node_id), None)
    if weak is None:
        return
    st.caption(
        f"Only {weak.n_saying:,} of {count(weak.n_documents, 'document')} mention its name or a keyword. Add a keyword?"
    )
    with st.container(horizontal=True, gap="small"):
        for term in weak.suggestions:
            add = partial(add_keyword, project, node.node_id, term)
            st.button(
                f"Add *{md(term)}*",
                key=f"weak-{node.node_id}-{term}",
                on_click=acting(add),
                **offered(project, "edit_keywords"),
            )


def add_keyword(project: Project, node_id: str, term: str) -> None:
    """Give a topic one keyword more than it has now."""
    keywords = project.taxonomy()[node_id].keywords
    decide(project, [EditKeywords(node_id, tuple(dict.fromkeys([*keywords, term])))])


def _origin(node: TopicNode) -> str:
    origin = {"seed": "from the seed", "novel": "found in the corpus", "manual": "added by hand"}[node.origin]
    return origin if node.status == "approved" else f"{origin}, {node.status}"


def _description(project: Project, node: TopicNode) -> None:
    def save(sent: Submitted) -> None:
        """Change what the person typed and nothing else: others may have changed the rest since."""
        node_id, now = node.node_id, project.taxonomy()[node.node_id]
        wanted: dict[str, Decision] = {
            "label": RenameTopic(node_id, sent.text("label")),
            "definition": EditDefinition(node_id, sent.text("definition")),
            "scope": EditScopeNote(node_id, sent.text("scope")),
            "keywords": EditKeywords(node_id, sent.words("keywords")),
            "others": EditAltLabels(node_id, sent.words("others")),
        }
        same = {
            "label": sent.text("label") == now.label,
            "definition": sent.text("definition") == now.definition,
            "scope": sent.text("scope") == now.scope_note,
            "keywords": sent.words("keywords") == now.keywords,
            "others": sent.words("others") == now.alt_labels,
        }
        decisions = [each for name, each in wanted.items() if name in sent.changed and not same[name]]
        if decisions:
            decide(project, decisions, why=sent.text("why"), said="Saved")

    fields = [
        Field("label", "Name", node.label, required=True),
        Field("definition", "Definition", node.definition, kind="text"),
        Field("scope", "Scope note: when to use it", node.scope_note, kind="text"),
        Field("keywords", "Keywords, separated by commas", ", ".join(map(display, node.keywords)), half=True),
        Field("others", "Other names, separated by commas", ", ".join(node.alt_labels), half=True),
        Field("why", "Why (kept with the change)"),
    ]
    part = Part(
        "describe",
        fields,
        [Button("save", "Save", primary=True)],
        layout="framed",
        refused=refusal(project, *_DESCRIBES),
    )
    form(f"describe-{project.path.name}-{node.node_id}", part, on_submit=save)


def _structure(project: Project, tree: Taxonomy, node: TopicNode) -> None:
    within = {below.node_id for below in tree.subtree_of(node.node_id)}
    others = {
        other.node_id: " › ".join(tree.path_of(other.node_id)) or other.label
        for other in tree.subtree_of(ROOT_ID)
        if other.node_id not in within
    }
    targets = {key: path for key, path in others.items() if key != ROOT_ID}
    above = tree.parent_of(node.node_id) or ROOT_ID
    status: Status = "rejected" if node.status == "approved" else "approved"
    word = "Mark as rejected" if node.status == "approved" else "Approve"

    def change(sent: Submitted) -> None:
        match sent.part:
            case "move":
                decide(project, [MoveTopic(node.node_id, sent.text("under"))])
            case "merge":
                decide(project, [MergeTopics(sent.text("into"), (node.node_id,))])
                session.choose_node(sent.text("into"))
            case "remove":
                decide(project, [RemoveTopic(node.node_id, keep_children=bool(sent.values["keep"]))])
                session.choose_node(above)
            case "deprecate":
                decide(project, [DeprecateTopic(node, sent.text("instead"))], why=sent.text("why"))
                session.choose_node(above)
            case _:
                decide(project, [SetStatus(node.node_id, status)])

    no = partial(refusal, project)
    is_own = status == "approved" and node.node_id in written_by(project, curator.name())
    approve = Part("status", [], [Button("do", word)], label=word, refused=no("set_status") or OWN_WORK * is_own)
    move, merge, remove, deprecate = _ways(above, others, targets, no)
    key = f"structure-{project.path.name}-{node.node_id}"
    form(key, move, merge, approve, remove, deprecate, on_submit=change)


def _ways(above: str, others: Mapping[str, str], targets: Mapping[str, str], no: Callable[[str], str]) -> list[Part]:
    """Return the parts by which a topic changes its place or leaves it; `no` says why a kind of decision is refused."""
    under = Field("under", "Under", above, kind="choice", options=others)
    into = Field("into", "Into", next(iter(targets), ""), kind="choice", options=targets)
    keep = Field("keep", "Keep its sub-topics, one level up", value=False, kind="tick")
    instead = Field("instead", "Replaced by", "", kind="choice", options={"": "nothing", **targets})
    merge, remove = [Button("do", "Merge it")], [Button("do", "Remove it", primary=True)]
    deprecate, why = [Button("do", "Deprecate it", primary=True)], Field("why", "Reason")
    return [
        Part("move", [under], [Button("do", "Move it")], label="Move", refused=no("move_topic")),
        Part("merge", [into], merge, label="Merge", disabled=not targets, refused=no("merge_topics")),
        Part("remove", [keep], remove, label="Remove", refused=no("remove_topic")),
        Part("deprecate", [instead, why], deprecate, label="Deprecate", refused=no("deprecate_topic")),
    ]
