"""What a topic says beyond the tree, to look at and to change: links, matches, languages, notation, collections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import streamlit as st

from taxocom.errors import InputError
from taxocom.store import Project
from taxocom.taxonomy.decisions import (
    Decision,
    EditCollection,
    EditNotation,
    EditWords,
    LinkBroader,
    MatchConcept,
    RelateTopics,
)
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.taxonomy.vocabulary_sayings import (
    MATCHES,
    also_under,
    collection_key,
    collections_of,
    matches_of,
    related_to,
    words_of,
)
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.shared import curator
from taxocom.ui.shared.deciding import decide
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.offering import offered, refusal
from taxocom.workflow.other_vocabularies import keep_vocabulary, kept_vocabularies, look_up

_UPLOAD = "vocabulary-file"


def vocabulary_form(project: Project, tree: Taxonomy, node: TopicNode) -> None:
    """Show what a topic says beyond the tree, each thing with a way to take it back, and the ways to say more."""
    with st.expander("Links, languages, collections"):
        _said(project, tree, node)
        _ways(project, tree, node)
        _matching(project, node)


def _said(project: Project, tree: Taxonomy, node: TopicNode) -> None:
    for number, (what, told, back) in enumerate(_sayings(tree, node)):
        with st.container(horizontal=True, vertical_alignment="center", key=f"said-{node.node_id}-{number}"):
            st.markdown(f"{what}: **{told}**", width="stretch")
            may = offered(project, back.kind)
            take_back = acting(partial(decide, project, [back], said="Taken back"))
            st.button("Take back", key=f"back-{node.node_id}-{what}-{told}", type="tertiary", on_click=take_back, **may)


def _sayings(tree: Taxonomy, node: TopicNode) -> Iterator[tuple[str, str, Decision]]:
    """Yield everything that is said, in Markdown: of which kind, what, and the decision that takes it back."""
    for other in related_to(node):
        yield "Related", _name(tree, other), RelateTopics(node.node_id, other, holds=False)
    for other in also_under(node):
        yield "Also under", _name(tree, other), LinkBroader(node.node_id, other, holds=False)
    for how, uri in matches_of(node):
        yield f"{how.title()} match", md(uri), MatchConcept(node.node_id, how, uri, holds=False)
    for language, words in words_of(node).items():
        told = " · ".join(filter(None, [words.label, ", ".join(words.alt_labels), words.definition]))
        yield f"In {md(language)}", md(told), EditWords(node.node_id, language)
    for found in collections_of(tree):
        if node.node_id in found.members:
            members = tuple(member for member in found.members if member != node.node_id)
            yield "In the collection", md(found.label), EditCollection(found.key, found.label, members)


def _name(tree: Taxonomy, node_id: str) -> str:
    return " › ".join(md(label) for label in tree.path_of(node_id)) if node_id in tree else md(node_id)


def _ways(project: Project, tree: Taxonomy, node: TopicNode) -> None:
    others = {
        other.node_id: " › ".join(tree.path_of(other.node_id))
        for other in tree.walk()
        if other.node_id not in (node.node_id, ROOT_ID)
    }

    def change(sent: Submitted) -> None:
        decide(project, [_decided(project, node, sent)], said="Saved")

    first = next(iter(others), "")
    other = Field("other", "Topic", first, kind="choice", options=others)
    language = [
        Field("language", "Language, such as de", required=True, half=True),
        Field("label", "Called there", half=True),
        Field("others", "Also called there, separated by commas"),
        Field("definition", "What it means, in that language", kind="text"),
    ]
    no = partial(refusal, project)
    known = ", ".join(each.label for each in collections_of(tree)) or "none yet"
    form(
        f"vocabulary-{project.path.name}-{node.node_id}",
        Part(
            "related",
            [other],
            [Button("do", "Relate")],
            label="Related to",
            disabled=not others,
            refused=no("relate_topics"),
        ),
        Part(
            "under",
            [other],
            [Button("do", "Put it there too")],
            label="Also under",
            disabled=not others,
            refused=no("link_broader"),
        ),
        Part("words", language, [Button("do", "Save")], label="Another language", refused=no("edit_words")),
        Part(
            "notation",
            [Field("notation", "Notation", node.notation)],
            [Button("do", "Save")],
            label="Notation",
            refused=no("edit_notation"),
        ),
        Part(
            "collection",
            [Field("collection", f"Collection, old or new (there are: {known})", required=True)],
            [Button("do", "Put it in")],
            label="Collection",
            refused=no("edit_collection"),
        ),
        on_submit=change,
    )


def _decided(project: Project, node: TopicNode, sent: Submitted) -> Decision:
    tree, node_id = project.taxonomy(), node.node_id
    match sent.part:
        case "related":
            return RelateTopics(node_id, sent.text("other"))
        case "under":
            return LinkBroader(node_id, sent.text("other"))
        case "words":
            return EditWords(
                node_id, sent.text("language"), sent.text("label"), sent.words("others"), sent.text("definition")
            )
        case "notation":
            return EditNotation(node_id, sent.text("notation"))
        case _:
            label = sent.text("collection")
            key = collection_key(tree, label)
            members = next((each.members for each in collections_of(tree) if each.key == key), ())
            return EditCollection(key, label, (*members, node_id))


def _matching(project: Project, node: TopicNode) -> None:
    """Match the topic with a concept of another vocabulary: by its URI, or looked up in a file that is kept."""

    def by_uri(sent: Submitted) -> None:
        decide(project, [MatchConcept(node.node_id, sent.text("how"), sent.text("uri"))], said="Saved")  # type: ignore[arg-type]  # one of the options

    options: Mapping[str, str] = {how: how for how in MATCHES}
    fields = [
        Field("how", "Match", "exact", kind="choice", options=options, half=True),
        Field("uri", "URI of the other concept", required=True, half=True),
    ]
    part = Part(
        "match", fields, [Button("do", "Match")], label="Match by URI", refused=refusal(project, "match_concept")
    )
    form(f"match-{project.path.name}-{node.node_id}", part, on_submit=by_uri)
    kept = kept_vocabularies(project)
    if kept:
        text = st.text_input(f"Look up in {', '.join(kept)}", value=node.label, key=f"look-up-{node.node_id}")
        found = look_up(project, text)
        st.caption(f"{count(len(found), 'concept')} found." if found else "No concept has a name like that.")
        for concept in found:
            with st.container(horizontal=True, vertical_alignment="center", key=f"found-{concept.uri}"):
                st.markdown(f"**{md(concept.path)}**  \n{md(concept.uri)}", width="stretch")
                for how in ("exact", "close"):
                    decision = MatchConcept(node.node_id, how, concept.uri, concept.label)
                    take = acting(partial(decide, project, [decision], said="Saved"))
                    st.button(
                        f"{how.title()} match",
                        key=f"{how}-{concept.uri}",
                        on_click=take,
                        **offered(project, "match_concept"),
                    )
    if st.file_uploader("Another vocabulary, as a SKOS file", type=["ttl", "rdf", "xml", "jsonld"], key=_UPLOAD):
        keep = acting(partial(_keep, project), "Reading…")
        st.button("Keep it for look-up", key="keep-vocabulary", on_click=keep, **offered(project, "vocabularies"))


def _keep(project: Project) -> None:
    uploaded = session.fields().get(_UPLOAD)
    if uploaded is None:
        raise InputError("There is no file yet. Choose one first.")
    n_concepts = keep_vocabulary(project, bytes(uploaded.getbuffer()), uploaded.name, by=curator.name())
    session.flash(f"Kept {uploaded.name}: {count(n_concepts, 'concept')}")
