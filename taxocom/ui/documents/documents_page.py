"""The Documents page: what a topic's documents say, which are doubtful, and why each is where it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from taxocom.store import Project
from taxocom.store.projects.document_places import PLACED, document_places
from taxocom.taxonomy.decisions import MoveDocument
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.corpus import Corpus
from taxocom.text.language.tokens import words_of
from taxocom.text.terms.passages import passages as find_passages
from taxocom.text.terms.vocabulary import normal_term
from taxocom.ui.documents.bulk_view import judge_all
from taxocom.ui.documents.teaching_view import teach
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md, percent
from taxocom.ui.shared.cards import parent_options
from taxocom.ui.shared.deciding import decide, may_decide
from taxocom.ui.shared.missing_topic_view import miss_a_topic
from taxocom.ui.shared.moves_view import show_moves
from taxocom.ui.shared.offering import refusal
from taxocom.ui.shared.thinking import show_when_known, think
from taxocom.ui.widgets import Action, passages
from taxocom.workflow.document_search import search
from taxocom.workflow.tags import TopicDocuments, project_tags, topic_documents
from taxocom.workflow.weak_names import telling_terms

_SHOWN, _MORE = 12, 48
_SEARCHED = "results shown of a search"
_TERMS_MARKED = 150
_WHOLE_TEXT = 20_000


def chosen(tree: Taxonomy) -> str:
    """Return the topic in the address; the root has no documents of its own, so its first child stands in."""
    node_id = session.node_id(tree)
    below = tree.children_of(node_id)
    return below[0].node_id if node_id == ROOT_ID and below else node_id


def show(project: Project, tree: Taxonomy, node_id: str) -> None:
    """Show a topic's documents, or the answer to a search."""
    corpus = project.corpus()
    node = tree[node_id]
    with st.container(key="documents-head", horizontal=True, vertical_alignment="center"):
        st.title("Documents", anchor=False)
        query = st.text_input(
            "Search the corpus", key="search", placeholder="Search all documents", label_visibility="collapsed"
        )
    miss_a_topic(project, tree, node_id)
    if query and query.strip():
        _search(project, corpus, tree, query)
    elif tree.parent_of(node_id) is None:
        session.empty_state("Choose a topic on the left", "Or search the corpus above.")
    else:
        st.subheader(md(node.label), anchor=False)
        show_when_known(
            project,
            f"documents of {node_id}",
            lambda: _look_up(project, node_id),
            lambda found: _topic(project, corpus, tree, node, found),
            "Looking at its documents…",
        )


@dataclass(frozen=True)
class _LookedUp:
    """What the tagger says of a topic's documents: themselves, the terms they share, and those that people placed."""

    documents: TopicDocuments
    telling: Sequence[str]
    placed: Mapping[str, str]


def _look_up(project: Project, node_id: str) -> _LookedUp:
    found = topic_documents(project, node_id)
    terms = telling_terms(project, project_tags(project), found.documents[~found.poor]) if len(found) else ()
    return _LookedUp(found, [normal_term(term) for term in terms], _placed(project))


def _placed(project: Project) -> dict[str, str]:
    """Return the documents that people placed one by one or together, each with the topic that it is in now."""
    places, ids = document_places(project), project.corpus().document_ids
    return {ids[int(row)]: places.node_of(int(row)) for row in np.flatnonzero(places.reasons == PLACED)}


def _topic(project: Project, corpus: Corpus, tree: Taxonomy, node: TopicNode, looked_up: _LookedUp) -> None:
    found = looked_up.documents
    if not len(found):
        session.empty_state(
            "This topic holds no documents yet",
            "Give it keywords that its documents use, on the Review page. Or search above and move documents to it.",
        )
        st.page_link("pages/review.py", label="Go to Review", query_params=session.params(project, node=node.node_id))
        show_moves(project, tree, node.node_id)
        return
    st.caption(_facts(found))
    show_moves(project, tree, node.node_id)
    tabs = ["Typical", "Doubtful", "Fits poorly", "Teach"]
    typical, doubtful, poor, teaching = st.tabs(tabs, key="which", bind="query-params")
    if teaching.open:
        with teaching:
            teach(project, tree, node.node_id)
        return
    order = np.arange(len(found))
    open_tab, said = typical, ""
    if doubtful.open:
        order, open_tab = np.argsort(found.margin, kind="stable"), doubtful
        said = "Documents that fit another topic almost as well. If you move one, the program learns from it."
    elif poor.open:
        order, open_tab = np.flatnonzero(found.poor), poor
        said = "Documents that fit no topic well. A topic may be missing: expand the topic above."
    with open_tab:
        if said:
            st.caption(said)
        below = (term for each in tree.subtree_of(node.node_id) for term in _terms(each))
        terms = list(dict.fromkeys([*_terms(node), *looked_up.telling, *below]))[:_TERMS_MARKED]
        shown = [
            _document(corpus, int(found.documents[i]), terms, node.node_id) | {"why": _why(found, int(i))}
            for i in order[:_SHOWN]
        ]
        if not shown:
            st.write("None.")
        _list(
            project,
            tree,
            _with_moves(shown, tree, looked_up.placed),
            f"{node.node_id}-{open_tab is typical}-{poor.open}",
        )


def _facts(found: TopicDocuments) -> str:
    """Say how many documents a topic holds, whether they say its name, and whether it holds those that do."""
    said = [count(len(found), "document")]
    said.append(f"{percent(float(found.says.mean()))} of them mention its name or a keyword")
    if found.n_saying:
        said.append(f"it holds {found.n_saying_held:,} of the {found.n_saying:,} documents that do")
    if found.told.any():
        said.append(f"{int(found.told.sum()):,} were put there by a decision")
    if found.poor.any():
        said.append(f"{int(found.poor.sum()):,} fit poorly")
    return "; ".join(said) + "."


def _search(project: Project, corpus: Corpus, tree: Taxonomy, query: str) -> None:
    hits = search(corpus, query)
    n_shown = _n_shown(query)
    st.caption(
        f"{count(len(hits), 'document')} found" + (f", the first {n_shown} shown." if len(hits) > n_shown else ".")
    )
    if not len(hits):
        st.write("Try fewer words, or the singular. Very rare words cannot be searched.")
        return
    ids = [corpus.document_ids[int(row)] for row in hits]
    with st.expander(f"Move all {len(hits):,}, or make a topic of them…", key="all-results"):
        judge_all(project, tree, query, ids)
    terms = [*words_of(query), normal_term(query)]
    shown = [_document(corpus, int(d), terms, "") for d in hits[:n_shown]]
    where = think(project, "where documents are", lambda: document_places(project))
    places = where.value if where else None
    for document, row in zip(shown, hits[:n_shown], strict=True):
        at = places.node_of(int(row)) if places else ROOT_ID
        if at in tree and at != ROOT_ID:
            document["badge"] = f"in {tree[at].label}"
    placed = think(project, "placed", lambda: _placed(project))
    _list(project, tree, _with_moves(shown, tree, placed.value if placed else {}), "search")
    left = min(len(hits) - n_shown, _MORE)
    if left > 0:
        st.button(f"Show {left} more", key="more-results", on_click=acting(partial(_show_more, query)))


def _n_shown(query: str) -> int:
    """Return how many results of a search are shown: some at first, more as often as they are asked for."""
    asked, n = session.state().get(_SEARCHED, ("", _SHOWN))
    return int(n) if asked == query else _SHOWN


def _show_more(query: str) -> None:
    session.state()[_SEARCHED] = (query, _n_shown(query) + _MORE)


def _document(corpus: Corpus, document: int, terms: Sequence[str], topic: str) -> dict[str, Any]:
    vocabulary = corpus.vocabulary
    held = dict(zip(*np.unique(corpus.terms_of(document), return_counts=True), strict=True))
    ids = {int(term_id): vocabulary.terms[term_id] for term_id in vocabulary.ids_of(terms)}
    present = sorted(((int(held[i]), term) for i, term in ids.items() if i in held), reverse=True)
    text = corpus.texts[document]
    found = find_passages(corpus.texts, document, terms, limit=2, language=corpus.language)
    quoted = [{"text": p.text, "highlights": [[h.start, h.stop] for h in p.highlights]} for p in found]
    return {
        "id": corpus.document_ids[document],
        "title": corpus.titles[document] if len(corpus.titles) else "",
        "topic": topic,
        "passages": quoted or [{"text": text[:240], "highlights": []}],
        "terms": [{"term": term, "value": f"×{n}"} for n, term in present[:8]],
        "text": text[:_WHOLE_TEXT],
    }


def _why(found: TopicDocuments, index: int) -> str:
    if found.told[index]:
        return "Why this topic: a person's decision put it here."
    score, margin = float(found.score[index]), float(found.margin[index])
    lead = "far ahead of" if margin > 0.5 else "ahead of" if margin > 0.15 else "hardly ahead of"
    names = "" if found.says[index] else " It does not mention the topic's name or a keyword."
    return f"Why this topic: {percent(score)} sure, {lead} the next one.{names}"


def _terms(node: TopicNode) -> list[str]:
    own = [
        node.center_term,
        normal_term(node.label),
        *map(normal_term, node.keywords),
        *(anchor.term for anchor in node.anchors),
    ]
    return list(dict.fromkeys(term for term in own if term))


def _with_moves(documents: Iterable[dict[str, Any]], tree: Taxonomy, moved: Mapping[str, str]) -> list[dict[str, Any]]:
    marked = []
    for document in documents:
        topic = moved.get(document["id"])
        marked.append(document | ({"badge": f"moved to {tree[topic].label}"} if topic and topic in tree else {}))
    return marked


def _list(project: Project, tree: Taxonomy, documents: list[dict[str, Any]], key: str) -> None:
    named = may_decide()
    why = refusal(project, "move_document")
    targets = parent_options(tree)[1:] if named and not why else []
    if why:
        st.caption(md(why))

    def move(action: Action) -> None:
        move = MoveDocument(str(action["document"]), str(action["to"]))
        decide(project, [move], said="Moved. The program learns from it")

    passages({"documents": documents, "targets": targets}, key=f"documents-{key}", on_move=move)
