"""The Documents page: what a topic's documents say, which are doubtful, and why each is where it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from taxocom.expansion.accepting import accepted_id
from taxocom.expansion.proposal import NodeExpansion
from taxocom.numerics.arrays import Ints1d
from taxocom.store import Project
from taxocom.taxonomy.curation import derive_curation
from taxocom.taxonomy.decisions import MoveDocument
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.corpus import Corpus
from taxocom.text.evidence import passages as find_passages
from taxocom.text.tokens import words_of
from taxocom.text.vocabulary import normal_term
from taxocom.ui import session
from taxocom.ui.cards import parent_options
from taxocom.ui.deciding import decide, may_decide
from taxocom.ui.plain import count, md, percent
from taxocom.ui.widgets import Action, passages

_SHOWN = 12
_WHOLE_TEXT = 20_000
_SCANNED = 50_000


@dataclass(frozen=True)
class TopicDocuments:
    """The documents that the newest proposal of a topic's parent gave to the topic, most typical first.

    `score` is how well each fits and `margin` how far the topic leads the next one, both in [0, 1]. `terms` are the
    anchors that the topic had in that proposal.
    """

    terms: tuple[str, ...]
    documents: Ints1d
    score: np.ndarray[Any, Any]
    margin: np.ndarray[Any, Any]


def documents_of(project: Project, tree: Taxonomy, node: TopicNode) -> TopicDocuments | None:
    """Return a topic's documents, None if its parent was never expanded with it."""
    parent = tree.parent_of(node.node_id)
    texts = project.corpus().fingerprint
    for record in project.proposals(parent):
        expansion = session.expansion(project, record.proposal_id)
        # Rows of documents are those of the texts as they were read then.
        index = _index_of(expansion, node.node_id) if expansion.corpus_fingerprint == texts else None
        if index is not None:
            scores, cluster = expansion.documents, expansion.clusters[index]
            rows = np.flatnonzero(scores.cluster == index)
            # Those that the topic's card shows come first, then those that fit best.
            place = {document_id: i for i, document_id in enumerate(cluster.typical_documents)}
            ids = project.corpus().document_ids
            places = [place.get(ids[document], len(place)) for document in scores.documents[rows].tolist()]
            rows = rows[np.lexsort((-scores.score[rows], np.array(places)))]
            terms = tuple(anchor.term for anchor in cluster.anchors)
            return TopicDocuments(terms, scores.documents[rows], scores.score[rows], scores.margin[rows])
    return None


def _index_of(expansion: NodeExpansion, node_id: str) -> int | None:
    for index, cluster in enumerate(expansion.clusters):
        accepted = accepted_id(expansion.node_id, cluster.cluster_id)
        if node_id in (cluster.cluster_id, accepted):
            return index
    return None


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
    moved = derive_curation(project.seed(), project.log()).documents
    if query and query.strip():
        _search(project, corpus, tree, query, moved)
    elif tree.parent_of(node_id) is None:
        session.empty_state("Choose a topic on the left", "Or search the corpus above.")
    else:
        _topic(project, corpus, tree, node, moved)


def _topic(project: Project, corpus: Corpus, tree: Taxonomy, node: TopicNode, moved: Any) -> None:
    found = documents_of(project, tree, node)
    st.subheader(md(node.label), anchor=False)
    if found is None or not len(found.documents):
        session.empty_state(
            "No documents are known for this topic yet",
            "They come from an expansion of the topic above it. Expand that, then come back.",
        )
        parent = tree.parent_of(node.node_id) or "root"
        st.page_link(
            "pages/expand.py",
            label=f"Expand {md(tree[parent].label)}",
            query_params=session.params(project, node=parent),
        )
        return
    st.caption(f"{count(len(found.documents), 'document')} in the newest expansion of the topic above.")
    typical, doubtful = st.tabs(["Typical", "Doubtful"], key="which", bind="query-params")
    order = np.arange(len(found.documents))
    if doubtful.open:
        order = np.argsort(found.margin, kind="stable")
    with doubtful if doubtful.open else typical:
        if doubtful.open:
            st.caption("Those that another topic would take almost as well. Moving one is evidence for the next run.")
        terms = list(dict.fromkeys([*_terms(node), *found.terms]))
        shown = [
            _document(corpus, int(found.documents[i]), terms, node.node_id)
            | {"why": _why(float(found.score[i]), float(found.margin[i]))}
            for i in order[:_SHOWN]
        ]
        _list(project, tree, _with_moves(shown, tree, moved), f"{node.node_id}-{'d' if doubtful.open else 't'}")


def _search(project: Project, corpus: Corpus, tree: Taxonomy, query: str, moved: Any) -> None:
    hits = search(corpus, query)
    st.caption(
        f"{count(len(hits), 'document')} found" + (f", the first {_SHOWN} shown." if len(hits) > _SHOWN else ".")
    )
    if not len(hits):
        st.write("Try fewer words, or the singular. Words that occur in very few documents are not indexed.")
        return
    terms = [*words_of(query), normal_term(query)]
    shown = [_document(corpus, int(d), terms, "") for d in hits[:_SHOWN]]
    _list(project, tree, _with_moves(shown, tree, moved), "search")


def search(corpus: Corpus, query: str) -> Ints1d:
    """Return documents with every word of a query, most mentions first; a word that is no term is sought as text."""
    vocabulary = corpus.vocabulary
    phrase = vocabulary.id_of(normal_term(query))
    ids = [phrase] if phrase is not None else [vocabulary.id_of(word) for word in words_of(query)]
    known = [term_id for term_id in ids if term_id is not None]
    if known and len(known) == len(ids):
        columns = corpus.counts[:, known].toarray()
        hits = np.flatnonzero((columns > 0).all(axis=1))
        return hits[np.argsort(-columns[hits].sum(axis=1), kind="stable")].astype(np.int32)
    wanted = query.casefold().strip()
    scanned = range(min(corpus.n_documents, _SCANNED))
    return np.array([d for d in scanned if wanted in corpus.texts[d].casefold()], dtype=np.int32)


def _document(corpus: Corpus, document: int, terms: Sequence[str], topic: str) -> dict[str, Any]:
    vocabulary = corpus.vocabulary
    held = dict(zip(*np.unique(corpus.terms_of(document), return_counts=True), strict=True))
    ids = {int(term_id): vocabulary.terms[term_id] for term_id in vocabulary.ids_of(terms)}
    present = sorted(((int(held[i]), term) for i, term in ids.items() if i in held), reverse=True)
    text = corpus.texts[document]
    found = find_passages(corpus.texts, document, terms, limit=2)
    quoted = [{"text": p.text, "highlights": [[h.start, h.stop] for h in p.highlights]} for p in found]
    return {
        "id": corpus.document_ids[document],
        "title": corpus.titles[document] if len(corpus.titles) else "",
        "topic": topic,
        "passages": quoted or [{"text": text[:240], "highlights": []}],
        "terms": [{"term": term, "value": f"×{n}"} for n, term in present[:8]],
        "text": text[:_WHOLE_TEXT],
    }


def _why(score: float, margin: float) -> str:
    lead = "far ahead of" if margin > 0.5 else "ahead of" if margin > 0.15 else "hardly ahead of"
    return f"Why this topic: it fits by {percent(score)}, {lead} the next one (by {percent(margin)})."


def _terms(node: TopicNode) -> list[str]:
    own = [node.center_term, normal_term(node.label), *node.keywords, *(anchor.term for anchor in node.anchors)]
    return list(dict.fromkeys(term for term in own if term))


def _with_moves(documents: Iterable[dict[str, Any]], tree: Taxonomy, moved: Any) -> list[dict[str, Any]]:
    marked = []
    for document in documents:
        topic = moved.get(document["id"])
        marked.append(document | ({"badge": f"moved to {tree[topic].label}"} if topic and topic in tree else {}))
    return marked


def _list(project: Project, tree: Taxonomy, documents: list[dict[str, Any]], key: str) -> None:
    named = may_decide()
    targets = parent_options(tree)[1:] if named else []

    def move(action: Action) -> None:
        if decide(project, [MoveDocument(str(action["document"]), str(action["to"]))]):
            session.flash("Noted: evidence for the next run")

    passages({"documents": documents, "targets": targets}, key=f"documents-{key}", on_move=move)
