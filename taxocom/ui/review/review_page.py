"""The Review page: the whole tree, what waits, what was decided, and how far it is from where it began."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from taxocom.interchange import compare
from taxocom.interchange.report.tree_comparison import TaxonomyChange
from taxocom.store import Project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import HistoryEntry, Redo, Undo
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.ui.review.queue import decisions_for, key_of, queue_data, waiting_clusters
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import break_addresses, count, md
from taxocom.ui.shared import curator
from taxocom.ui.shared.charts import tree_figure
from taxocom.ui.shared.deciding import decide, may_decide
from taxocom.ui.shared.missing_topic_view import miss_a_topic, miss_under
from taxocom.ui.shared.moves_view import show_moves
from taxocom.ui.shared.offering import offered, refusal
from taxocom.ui.shared.overview import Overview
from taxocom.ui.shared.split_view import split_a_topic
from taxocom.ui.shared.thinking import show_when_known, think
from taxocom.ui.shared.topic_form import topic_form
from taxocom.ui.widgets import Action, cluster_cards, topic_tree
from taxocom.workflow.language_model import language_model
from taxocom.workflow.open_proposals import WaitingCluster
from taxocom.workflow.suggested_names import suggest_name, suggested_names, suggestion_key

_ROWS_AT_ONCE, _ROWS_OF_HISTORY, _STEPS_LISTED, _LINES_COMPARED = 12, 500, 100, 400
_NAMED_AT_ONCE = 5
_SEED, _ANY_STEP = "The seed", "A step by its number"


def whole_tree(project: Project, overview: Overview) -> None:
    """Show the tree as an outline, an icicle or a treemap, and the chosen topic beside it."""
    current = session.node_id(overview.tree)
    left, right = st.columns([1.25, 1], gap="large")
    # Above the tree, however long that is.
    with left:
        told = st.container(gap="small")
    # The form first: it says whether what was sent is stored, and a large tree takes its time.
    with right:
        topic_form(project, overview.tree, current)
    with left:
        shape = st.segmented_control(
            "Shown as",
            ["Outline", "Icicle", "Treemap"],
            default="Outline",
            required=True,
            key="shape",
            label_visibility="collapsed",
        )
        if shape == "Outline":
            shown = {**overview.tree_data(current), "suggested": None}
            topic_tree(shown, key="review-tree", on_open=session.choose_node, on_miss=miss_under)
        else:
            counted = think(project, "own counts", lambda: _documents(project)) if project.has_corpus else None
            documents = counted.value if counted is not None else {}
            figure = tree_figure(overview, "icicle" if shape == "Icicle" else "treemap", documents)
            st.plotly_chart(figure, key=f"tree-{shape}", alt="The tree of topics; the outline holds the same")
            st.caption("Green: accepted. Grey-blue: from the seed. Orange: waits to be judged. Pink: added by hand.")
    with told:
        miss_a_topic(project, overview.tree, current)
        split_a_topic(project, overview.tree, current)
    with right:
        if project.has_corpus:
            show_moves(project, overview.tree, None if current == ROOT_ID else current)


def _documents(project: Project) -> dict[str, int]:
    """Count the documents of each topic that are in none of its sub-topics."""
    places = document_places(project)
    counts = np.bincount(places.numbers, minlength=len(places.node_ids))
    return {node_id: int(counts[number]) for number, node_id in enumerate(places.node_ids)}


def queue(project: Project, overview: Overview) -> None:
    """Show everything undecided, one card after another; a key decides and goes on to the next."""
    waiting = waiting_clusters(project, overview)
    if not waiting:
        judged = "You have judged every proposed topic. Expand another topic."
        said = (
            judged
            if overview.n_judged
            else "Nothing has been proposed yet. Expand a topic, and its proposed topics are listed here."
        )
        session.empty_state("Nothing to judge", said)
        _to_expand(project)
        return
    if not may_decide():
        return

    def judge(action: Action) -> None:
        if action["type"] == "undo":
            undo(project, 1)
        chosen = next((item for item in waiting if key_of(item) == action.get("cluster")), None)
        decisions = decisions_for(chosen, action) if chosen else []
        if decisions:
            decide(project, decisions, why=str(action.get("reason", "")))

    suggested = suggested_names(project, waiting)
    named = {key_of(item): found for item in waiting if (found := suggested.get(suggestion_key(item)))}
    locked = refusal(project, "accept_topic")
    cards = {**queue_data(waiting, overview, session.titles(project), named), "locked": locked, "keys": not locked}
    cluster_cards(cards, key="queue", on_action=judge)
    _ask_a_model(project, [item for item in waiting if key_of(item) not in named])


def _ask_a_model(project: Project, waiting: Sequence[WaitingCluster]) -> None:
    """Let the user's language model, if there is one, suggest names for the clusters that have none from it yet."""
    model = language_model()
    if model is None or not waiting:
        return
    sends = "the terms and sentences of the cards" if model.sends == "sentences" else "the terms of the cards"
    st.caption(f"{md(model.source)} can suggest names and definitions. It is sent {sends}, and nothing else.")

    def ask() -> None:
        project.require("expand", curator.name())
        for item in waiting[:_NAMED_AT_ONCE]:
            suggest_name(project, item)
        session.flash(f"Suggested {count(len(waiting[:_NAMED_AT_ONCE]), 'name')}")

    asked = acting(ask, f"Asking {model.model}…")
    st.button(
        f"Suggest {count(min(len(waiting), _NAMED_AT_ONCE), 'name')}",
        key="suggest-names",
        on_click=asked,
        **offered(project, "expand"),
    )


def _to_expand(project: Project) -> None:
    st.page_link("pages/expand.py", label="Go to Expand", query_params=session.params(project))


def undo(project: Project, n: int) -> None:
    """Take back the last decisions, if there are any."""
    if project.standing().in_force:
        decide(project, [Undo(n)], said=f"Took back {count(n, 'decision')}")


def history(project: Project) -> None:
    """Show who decided what, when and why, newest first; take back and put back any number of steps."""
    if not project.sequence:
        session.empty_state(
            "Nothing decided yet", "Decisions are listed here with who, when and why. You can undo them."
        )
        _to_expand(project)
        return
    if not may_decide():
        return
    standing = project.standing()
    n_standing, n_undone = len(standing.in_force), len(standing.undone)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.number_input("Steps", 1, max(n_standing, n_undone, 1), 1, key="steps", width=110)
        # How many is read when it is done: a quick click comes before the page has run with the last change.
        back = acting(lambda: undo(project, int(session.fields()["steps"])))
        st.button(
            "Undo", key="undo-log", shortcut="Mod+Z", on_click=back, **offered(project, "undo", disabled=not n_standing)
        )
        may = offered(project, "redo", disabled=not n_undone)
        forth = acting(lambda: decide(project, [Redo(int(session.fields()["steps"]))]))
        st.button("Redo", key="redo-log", shortcut="Mod+Shift+Z", on_click=forth, **may)
        st.caption(f"{count(n_standing, 'decision')} in force, {n_undone} can be put back.")
    show_when_known(project, "history", project.history, _entries, "Reading the history…")


def _entries(entries: Sequence[HistoryEntry]) -> None:
    """Show some of the history: the newest, or those up to a step."""
    newest = len(entries)
    if newest > _ROWS_OF_HISTORY:
        newest = int(st.number_input("Up to step", 1, newest, newest, step=_ROWS_OF_HISTORY, width=150))
    frame = pd.DataFrame(
        [
            {
                "step": entry.logged.sequence,
                "when": entry.logged.at[:16].replace("T", " "),
                "who": entry.logged.author,
                "what": entry.summary,
                "why": entry.logged.why,
                "": "" if entry.in_force else "undone",
            }
            for entry in reversed(entries[max(newest - _ROWS_OF_HISTORY, 0) : newest])
        ]
    )
    st.dataframe(frame, hide_index=True, height=460 if len(frame) > _ROWS_AT_ONCE else "content", key="history")


def comparison(project: Project, overview: Overview) -> None:
    """Show what differs between the tree and the seed, an earlier step or a release."""
    releases = {f"Release {release.name}": release.taxonomy for release in project.releases()}
    thought = think(project, "history", project.history)
    known = thought.value[:-1] if thought is not None else []
    steps = {f"Step {e.logged.sequence}: {e.summary}"[:90]: e.logged.sequence for e in reversed(known[-_STEPS_LISTED:])}
    chosen = st.selectbox("Compare the tree with", [_SEED, *steps, _ANY_STEP, *releases], key="compare-with")
    step = steps.get(chosen, 0)
    if chosen == _ANY_STEP:
        step = int(st.number_input("Step", 0, project.sequence, project.sequence, key="compare-step", width=150))

    def compared() -> TaxonomyChange:
        before = releases[chosen] if chosen in releases else project.taxonomy_at(step)
        return compare(before, overview.tree)

    named = f"Step {step}" if chosen == _ANY_STEP else chosen
    show_when_known(project, f"compared with {named}", compared, partial(_differences, named), "Comparing…")


def _differences(chosen: str, change: TaxonomyChange) -> None:
    if change.is_empty:
        st.caption("No difference: the tree has not changed since.")
        return
    told = change.to_markdown(chosen, "now")
    # The change log escapes what people typed, but not bare addresses, which Markdown would make links of.
    body = break_addresses(told).split("\n", 2)[2]
    lines = re.sub(r"^## ", "#### ", body, flags=re.MULTILINE).splitlines()
    st.markdown("\n".join(lines[:_LINES_COMPARED]))
    if len(lines) > _LINES_COMPARED:
        st.caption(f"And {count(len(lines) - _LINES_COMPARED, 'line')} more in the file.")
    st.download_button("Download the change log", told, "changes.md", "text/markdown", key="get-changes")


def heading(project: Project, overview: Overview) -> None:
    """Show how far the project is."""
    with st.container(key="review-head", horizontal=True, vertical_alignment="center"):
        st.title("Review", anchor=False)
        approved = sum(node.status == "approved" for node in overview.tree.walk())
        novel = sum(node.origin == "novel" for node in overview.tree.walk())
        st.caption(
            f"{count(approved, 'topic')}, {novel} of them found in the corpus; {overview.n_waiting} waiting; "
            f"{count(project.sequence, 'step')} in the history",
            width="content",
        )
