"""The seed tree: typed, pasted, imported or edited topic by topic, with the pre-flight and its fixes beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from taxocom.errors import SeedError, TaxocomError
from taxocom.interchange import Problem, SeedDocument
from taxocom.interchange.plain.outline import write_outline
from taxocom.reading.files import read_seed
from taxocom.store import Project
from taxocom.taxonomy.decisions import (
    AddTopic,
    Decision,
    EditKeywords,
    MoveTopic,
    RemoveTopic,
    RenameTaxonomy,
    RenameTopic,
    apply,
)
from taxocom.taxonomy.preflight import Fix, PreflightReport, apply_fix
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.terms.vocabulary import display, normal_term
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.runtime.telling import told
from taxocom.ui.shared import curator
from taxocom.ui.shared.deciding import decide, may_decide
from taxocom.ui.shared.excerpts import show_excerpts
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.offering import offered, refusal
from taxocom.ui.shared.overview import Overview
from taxocom.ui.shared.thinking import show_when_known
from taxocom.ui.shared.topic_form import add_keyword
from taxocom.ui.widgets import topic_tree
from taxocom.workflow import seed_changes
from taxocom.workflow.seed_check import project_check
from taxocom.workflow.weak_names import WeakName, weak_names

_FINDINGS = 20
_EDITS = ("rename_topic", "edit_keywords", "move_topic")
_FIXES = {"remove": "remove_topic", "rename": "rename_topic"}
EXAMPLE = """Politics: election, parliament
  Elections
  Brexit
Sport
  Football
  Golf
Business: market, shares"""


def ask_for_seed(key: str) -> SeedDocument | None:
    """Ask for a seed by text or file; return it once it can be read."""
    typed, imported = st.tabs(["Type or paste", "Import a file"], key=f"{key}-way")
    with imported:
        file = st.file_uploader(
            "Indented text, CSV, XLSX, JSON, SKOS (Turtle, RDF/XML, JSON-LD) or tab-separated", key=f"{key}-file"
        )
    with typed:
        text = st.text_area(
            "One topic per line, indented under its parent; keywords after a colon",
            key=f"{key}-text",
            height=230,
            placeholder=EXAMPLE,
        )
    try:
        return _given(file, text)
    except TaxocomError as error:
        st.error(told(error))
        return None


def given_seed(key: str) -> SeedDocument | None:
    """Return the seed that was given under a key, None if there is no seed yet; for handlers."""
    given = session.fields()
    return _given(given.get(f"{key}-file"), given.get(f"{key}-text"))


def _given(file: UploadedFile | None, text: str | None) -> SeedDocument | None:
    if file is not None:
        return read_seed(file.getvalue(), name=file.name)
    return _read(text) if text and text.strip() else None


def show_problems(document: SeedDocument) -> None:
    """Say what was noticed while a seed was read."""
    st.caption(f"{count(len(document.taxonomy), 'topic')} read.")
    for problem in document.problems:
        st.caption(_told(problem))


def _told(problem: Problem) -> str:
    place = f"Line {problem.line}: " if problem.line is not None else ""
    return f"{place}{md(problem.message)}"


def change_tree(project: Project, decisions: Sequence[Decision]) -> None:
    """Edit the tree: the seed itself while nothing rests on it, else by decisions that can be undone."""
    if _is_in_use(project):
        decide(project, decisions)
        return
    seed = project.seed()
    for decision in decisions:
        seed = apply(seed, decision)
        if isinstance(decision, AddTopic):
            seed = seed.with_changed(replace(seed[decision.node.node_id], origin="seed"))
    project.set_seed(seed, author=curator.name())


def _is_in_use(project: Project) -> bool:
    """Tell whether decisions or proposals rest on the tree, so that a change of it has to be one of them."""
    return bool(project.has_decisions or project.proposals())


def replace_seed(project: Project, document: SeedDocument) -> None:
    """Begin from another tree; what was proposed for the old one can no longer be judged."""
    if not seed_changes.replace_seed(project, document.taxonomy, author=curator.name()):
        session.flash("Nothing has changed")
        return
    said = f"Saved: {count(len(document.taxonomy), 'topic')}"
    if document.problems:
        session.keep_notice(f"{said}. Please check:", [_told(problem) for problem in document.problems])
    else:
        session.flash(said)


def editor(project: Project, overview: Overview) -> None:
    """Show the ways to edit the tree."""
    one_by_one, as_text, imported = st.tabs(["Topic by topic", "As text", "Import"], key="seed-way")
    with one_by_one:
        _topic_by_topic(project, overview)
    with as_text:
        _as_text(project)
    with imported:
        _import(project)


def _topic_by_topic(project: Project, overview: Overview) -> None:
    tree = overview.tree
    current = session.node_id(tree)
    left, right = st.columns([1, 1.15])
    with left:
        shown_tree = {**overview.tree_data(current), "suggested": None}
        topic_tree(shown_tree, key="seed-tree", on_open=session.choose_node)
    with right:
        _topic(project, tree, tree[current])


def _topic(project: Project, tree: Taxonomy, node: TopicNode) -> None:
    if _is_in_use(project) and not may_decide():
        return
    is_root = node.node_id == ROOT_ID
    label = Field("label", "Title of the taxonomy" if is_root else "Name", node.label, required=True)
    fields = [label] if is_root else [label, *_keywords_and_place(tree, node)]
    adding = Field("topic", f"Add a topic under {node.label}", placeholder="Name: keyword, keyword", required=True)
    form(
        f"topic-{project.path.name}-{node.node_id}",
        Part("edit", fields, [Button("save", "Save")], refused=_refusal(project, *_EDITS)),
        Part("add", [adding], [Button("add", "Add")], refused=_refusal(project, "add_topic")),
        on_submit=lambda sent: _add(project, node, sent) if sent.part == "add" else _save(project, node, sent),
    )
    if not is_root:
        remove = partial(_remove, project, node.node_id, tree.parent_of(node.node_id) or ROOT_ID)
        needs = _needs(project, "remove_topic")
        may = offered(project, *needs, told="With everything below it")
        st.button("Remove this topic", key=f"remove-{node.node_id}", on_click=acting(remove), **may)


def _keywords_and_place(tree: Taxonomy, node: TopicNode) -> tuple[Field, Field]:
    within = {below.node_id for below in tree.subtree_of(node.node_id)}
    parents = {node_id: path for node_id, path in _paths(tree).items() if node_id not in within}
    parent = tree.parent_of(node.node_id) or ROOT_ID
    return (
        Field("keywords", "Keywords, separated by commas", ", ".join(map(display, node.keywords))),
        Field("place", "Under", parent, kind="choice", options=parents),
    )


def _paths(tree: Taxonomy) -> dict[str, str]:
    """Return the path of every topic as text, the root by its own name; each is made of the one above it."""
    paths = {ROOT_ID: ""}
    for topic in tree.walk():
        above = paths[tree.parents[topic.node_id]]
        paths[topic.node_id] = f"{above} › {topic.label}" if above else topic.label
    return {**paths, ROOT_ID: tree.root.label}


def _save(project: Project, node: TopicNode, sent: Submitted) -> None:
    """Change what the person typed and nothing else: others may have changed the rest since."""
    tree = project.taxonomy()
    now, node_id = tree[node.node_id], node.node_id
    decisions: list[Decision] = []
    if "label" in sent.changed and sent.text("label") != now.label:
        renamed = RenameTaxonomy if node_id == ROOT_ID else partial(RenameTopic, node_id)
        decisions.append(renamed(sent.text("label")))
    if "keywords" in sent.changed and sent.words("keywords") != now.keywords:
        decisions.append(EditKeywords(node_id, sent.words("keywords")))
    if "place" in sent.changed and sent.text("place") != tree.parent_of(node_id):
        decisions.append(MoveTopic(node_id, sent.text("place")))
    if decisions:
        change_tree(project, decisions)


def _add(project: Project, node: TopicNode, sent: Submitted) -> None:
    name, _, words = sent.text("topic").partition(":")
    made = TopicNode(
        topic_id("manual", node.node_id, name.strip(), str(project.sequence)),
        name.strip(),
        keywords=tuple(word.strip() for word in words.split(",") if word.strip()),
    )
    change_tree(project, [AddTopic(node.node_id, made)])


def _remove(project: Project, node_id: str, above: str) -> None:
    change_tree(project, [RemoveTopic(node_id)])
    session.choose_node(above)


def _as_text(project: Project) -> None:
    if project.has_decisions:
        st.info("Decisions have been made on this tree, so you edit it topic by topic. You can undo each change.")
        return
    outline = write_outline(project.seed()).decode()
    text = Field("outline", "One topic per line, keywords after a colon", outline, kind="text", rows=16)
    form(
        f"outline-{project.path.name}",
        Part("outline", [text], [Button("save", "Save", primary=True)], refused=refusal(project, "seed")),
        on_submit=lambda sent: replace_seed(project, _read(str(sent.values["outline"]))),
    )


def _read(text: str) -> SeedDocument:
    return read_seed(text.encode(), "markdown", name="the text")


def _import(project: Project) -> None:
    if project.has_decisions:
        st.info(
            "Decisions have been made on this tree. To start from another tree, copy the project without its decisions."
        )
        st.page_link("app.py", label="Go to Projects: More, Copy")
        return
    document = ask_for_seed("import")
    if document:
        show_problems(document)
    may = offered(project, "seed")
    st.button(
        "Replace the tree", type="primary", key="replace-seed", on_click=acting(partial(_replace, project)), **may
    )


def _replace(project: Project) -> None:
    document = given_seed("import")
    if document is None:
        raise SeedError("There is no new tree yet. Type or paste one, or choose a file.")
    replace_seed(project, document)


def preflight(project: Project) -> None:
    """Show how each topic was matched to the corpus, what stands in the way, and the fix as a button."""
    if not len(project.taxonomy()):
        st.info("The tree is empty. Add the topics you know. The program finds the missing ones.")
        return
    show_when_known(project, "matches", lambda: project_check(project), partial(_matches, project), "Matching names…")
    _weak_names(project)


def _matches(project: Project, report: PreflightReport) -> None:
    st.markdown(f"**{report.n_matched} of {count(len(report.matches), 'topic')} occur in the corpus.**")
    findings = [finding for finding in report.findings if finding.severity != "info"]
    unnamed = _is_in_use(project) and not curator.name()
    for number, finding in enumerate(findings[:_FINDINGS]):
        with st.container(border=True, gap="small", key=f"finding-{number}"):
            st.markdown(("**Please fix.** " if finding.severity == "error" else "") + md(finding.message))
            with st.container(horizontal=True, gap="small"):
                for fix in finding.fixes[:5]:
                    fixed = f"fix-{number}-{fix.kind}-{fix.value}"
                    do = partial(_carry_out, project, fix)
                    may = offered(project, *_needs(project, _FIXES.get(fix.kind, "edit_keywords")), disabled=unnamed)
                    st.button(_fix_label(fix, project), key=fixed, on_click=acting(do), **may)
    if len(findings) > _FINDINGS:
        st.caption(f"And {count(len(findings) - _FINDINGS, 'name')} more. They appear once you have dealt with these.")
    with st.expander("All matches", key="all-matches", on_change="rerun") as box:
        # A table of thousands of topics takes the browser a while, and most people never open it.
        if not box.open:
            return
        st.dataframe(
            [
                {
                    "topic": " › ".join(match.path),
                    "term": display(match.term) or "not found",
                    "found by": match.matched_by,
                    "documents": match.document_frequency,
                }
                for match in report.matches
            ],
            hide_index=True,
        )


def _weak_names(project: Project) -> None:
    """Say which names few of their documents say, with keywords to add at a click."""
    said = "Checking whether documents mention the names of their topics…"
    show_when_known(project, "weak names", lambda: weak_names(project), partial(_show_weak, project), said)


def _show_weak(project: Project, found: Sequence[WeakName]) -> None:
    unnamed = _is_in_use(project) and not curator.name()
    for weak in found:
        with st.container(border=True, gap="small", key=f"weak-{weak.node_id}"):
            st.markdown(
                f"*{md(weak.label)}* is mentioned by few of the documents that seem to be about it: "
                f"{weak.n_saying:,} of {count(weak.n_documents, 'document')}. Add a keyword?"
            )
            with st.container(horizontal=True, gap="small"):
                for term in weak.suggestions:
                    do = partial(_carry_out, project, Fix("add_keyword", weak.node_id, term, ""))
                    key = f"weak-{weak.node_id}-{term}"
                    may = offered(project, *_needs(project, "edit_keywords"), disabled=unnamed)
                    st.button(f"Add *{md(term)}*", key=key, on_click=acting(do), **may)
                with st.popover("Look at them", key=f"weak-look-{weak.node_id}"):
                    show_excerpts(project, weak.documents)


def _needs(project: Project, *kinds: str) -> tuple[str, ...]:
    """Return what a change of the tree is to the table of roles: decisions of these kinds once the tree is in use."""
    return kinds if _is_in_use(project) else ("seed",)


def _refusal(project: Project, *kinds: str) -> str:
    return refusal(project, *_needs(project, *kinds))


def _fix_label(fix: Fix, project: Project) -> str:
    if fix.kind == "add_keyword":
        vocabulary = project.corpus().vocabulary
        term_id = vocabulary.id_of(normal_term(fix.value))
        documents = int(vocabulary.document_frequencies[term_id]) if term_id is not None else 0
        return f"Use *{md(fix.value)}* ({count(documents, 'document')})"
    return "Remove it" if fix.kind == "remove" else f"Rename to *{md(fix.value)}*"


def _carry_out(project: Project, fix: Fix) -> None:
    if not _is_in_use(project):
        project.set_seed(apply_fix(project.seed(), fix), author=curator.name())
    elif fix.kind == "remove":
        decide(project, [RemoveTopic(fix.node_id)])
    elif fix.kind == "rename":
        decide(project, [RenameTopic(fix.node_id, fix.value)])
    else:
        add_keyword(project, fix.node_id, fix.value)
