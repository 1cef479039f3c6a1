"""The map on the Expand page: of an open proposal, and of what was decided; and what becomes of a selection on it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from taxocom.expansion.proposals.colours import slots_in_tree
from taxocom.store import Project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import MoveDocuments
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.terms.vocabulary import display
from taxocom.ui.expand.workbench import Workbench, node_points
from taxocom.ui.map import Selected, node_map, pack_state, send_without_map
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count
from taxocom.ui.shared import curator, jobs_view
from taxocom.ui.shared.cards import parent_options
from taxocom.ui.shared.deciding import decide
from taxocom.ui.shared.missing_topic_view import miss_these
from taxocom.ui.shared.offering import offered
from taxocom.workflow.node_picture import NodePicture, node_picture

_WORDS_OF_A_LASSO = 20


def show(work: Workbench, tree: Taxonomy, picture: NodePicture) -> None:
    """Show the map of an open proposal with the draft on top."""
    points = work.points()
    state = pack_state(work.expansion, picture, points, pinned=work.pinned_ids(), topics=_topics(tree))
    if work.proposal.expansion.map_to_come:
        send_without_map(points, state, key=f"map-{work.proposal_id}")
        _to_come(work.project, work.proposal_id, work.proposal.expansion.map_to_come)
        return
    node_id = work.expansion.node_id

    def become(chosen: Selected) -> None:
        if chosen.view == "terms" and chosen.to:
            work.again().move_terms(chosen.ids, chosen.to)
        else:
            _become(work.project, node_id, chosen)

    with st.container(gap=None):
        node_map(points, state, key=f"map-{work.proposal_id}", on_selected=become)


def show_decided(project: Project, tree: Taxonomy, node_id: str) -> None:
    """Show what was decided of a topic whose proposal has been judged; nothing, if it was made from other texts."""
    record = next(iter(project.proposals(node_id)), None)
    if record is None or not project.has_corpus:
        return
    expansion = session.expansion(project, record.proposal_id)
    if expansion.corpus_fingerprint != project.corpus().fingerprint:
        return
    if expansion.map_to_come:
        _to_come(project, record.proposal_id, expansion.map_to_come)
        return
    picture = node_picture(
        expansion,
        document_places(project),
        settled={cluster.cluster_id for cluster in expansion.novel},
        names={},
        slots=record.summary.get("colours", {}),
    )
    points = node_points(project, record.proposal_id, expansion)
    state = pack_state(expansion, picture, points, topics=_topics(tree), may_move_terms=False)
    become = partial(_become, project, node_id)
    node_map(points, state, key=f"decided-{record.proposal_id}", on_selected=become)


def _to_come(project: Project, proposal_id: int, name: str) -> None:
    """Say that the map is still to come; where nobody draws it, offer to."""
    with st.container(key="map-to-come", border=True):
        if jobs_view.is_running(project, "map"):
            st.markdown("**The map is being drawn.** It appears here when it is ready. You can judge the cards now.")
            jobs_view.show_jobs(project, ("map",))
        elif project.has_map(name):
            # It was finished between two looks of this run.
            st.rerun()
        else:
            st.markdown("**This proposal has no map yet.** You can judge the cards without it.")
            draw = acting(lambda: jobs_view.submit(project, "map", {"proposal_ids": [proposal_id]}))
            st.button("Draw the map", key="draw-map", on_click=draw, **offered(project, "expand"))
            jobs_view.show_jobs(project, ("map",))


def colours(project: Project, tree: Taxonomy, node_id: str) -> dict[str, int]:
    """Return the place in the palette of every sub-topic of a node that was expanded, as its map has them."""
    record = next(iter(project.proposals(node_id)), None)
    if record is None or "colours" not in record.summary:
        return {}
    children = [child.node_id for child in tree.children_of(node_id) if child.status != "rejected"]
    slots = slots_in_tree(node_id, record.summary["colours"], children)
    return {child: slots[child] for child in children}


def _topics(tree: Taxonomy) -> dict[str, str]:
    """Return where selected documents can go in one gesture: nowhere as long as nobody would sign for it."""
    if not curator.name():
        return {}
    return {option["id"]: option["label"] for option in parent_options(tree) if option["id"] != ROOT_ID}


def _become(project: Project, node_id: str, chosen: Selected) -> None:
    """Let what was selected be looked at as a missing topic, or give the documents to a topic."""
    corpus = project.corpus()
    if chosen.view == "terms":
        words = [display(term) for term in corpus.vocabulary.select(chosen.ids)[:_WORDS_OF_A_LASSO]]
        miss_these(project, "", words=words, parent_id=node_id)
        return
    documents = tuple(corpus.document_ids[row] for row in chosen.ids)
    if not chosen.to:
        miss_these(project, "", documents, parent_id=node_id)
        return
    said = f"Moved {count(len(documents), 'document')} to {project.taxonomy()[chosen.to].label}"
    decide(project, [MoveDocuments(documents, chosen.to)], said=said)
