"""The Expand page: the map, the split, one card per cluster, and the commit."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import Any

import streamlit as st

from taxocom.settings import ExpansionSettings
from taxocom.store import Project, StaleWriterError
from taxocom.taxonomy.decisions import judged_clusters
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.terms.vocabulary import display
from taxocom.ui.expand import conflicts, map_view, term_table
from taxocom.ui.expand.plan import plan_commit
from taxocom.ui.expand.workbench import Workbench
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import md
from taxocom.ui.shared import curator, jobs_view
from taxocom.ui.shared.bootstrap import guarded
from taxocom.ui.shared.cards import bench_cards
from taxocom.ui.shared.missing_topic_view import miss_these
from taxocom.ui.shared.offering import offered, refusal
from taxocom.ui.shared.overview import Overview, gap_line
from taxocom.ui.shared.split_view import split_one_of
from taxocom.ui.widgets import Action, candidate_table, cluster_cards, novelty_chart
from taxocom.workflow.open_proposals import holds_something
from taxocom.workflow.practice_words import doubts, practice_line

_CARDS = "the-cards"
_RULES = ("Ours", "The paper's rule")
_CLOSER = "To look closer, drag the line beside the histogram to the left."


def heading(project: Project, overview: Overview, node_id: str) -> None:
    """Show which topic is open, how much of it is explained, and the button that expands it."""
    tree = overview.tree
    proposal = overview.proposals.get(node_id)
    with st.container(key="node-head", horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(gap=None):
            above = " › ".join(md(tree[above].label) for above in tree.ancestors_of(node_id))
            st.caption(above or "The whole taxonomy")
            st.header(md(tree[node_id].label), anchor=False)
        busy = node_id in overview.expanding or not project.has_corpus
        label = "Expand again" if node_id in overview.expanded else "Expand"
        first = node_id not in overview.expanded - overview.outdated
        with st.popover("Settings", type="tertiary"):
            _settings()
        may = offered(project, "expand", disabled=busy)
        begin = acting(lambda: jobs_view.submit(project, "expand", _wanted(node_id)))
        st.button(label, type="primary" if first else "secondary", key="expand", on_click=begin, **may)
    if proposal:
        practice = practice_line(proposal.expansion, tree)
        st.caption(f"{gap_line(proposal.expansion)}. {md(practice)}".rstrip())
    if proposal and proposal.is_stale:
        st.warning(
            "The tree under this topic has changed since it was expanded. Expand again to take that into account."
        )


def _settings() -> None:
    """Ask for what a person may want to differ in a run; everything else keeps its default."""
    told = "Ours is the usual choice. The other follows the research paper that the method comes from."
    st.segmented_control("Method", _RULES, default=_RULES[0], required=True, key="rule", help=told)
    st.slider("New topics at most", 1, 20, ExpansionSettings().max_novel, key="max-novel")
    st.number_input(
        "Random state", 0, 2**31 - 1, 0, key="random-state", help="The same number gives the same proposal."
    )


def _wanted(node_id: str) -> dict[str, Any]:
    """Return the parameters of a run as the settings stand now; for handlers."""
    given = session.fields()
    chosen = ExpansionSettings() if given["rule"] == _RULES[0] else ExpansionSettings.paper()
    settings = asdict(replace(chosen, max_novel=given["max-novel"]))
    return {"node_id": node_id, "settings": settings, "random_state": int(given["random-state"])}


def nothing_yet(project: Project, overview: Overview, node_id: str) -> None:
    """Say what to do for a topic without an open proposal; every road leads somewhere."""
    label = md(overview.tree[node_id].label)
    if not project.has_corpus and jobs_view.is_running(project, "index"):
        st.caption("The texts are being read. This topic can be expanded after that.")
    elif not project.has_corpus:
        session.empty_state("This project has no corpus yet", "Choose the texts first. Then you can expand a topic.")
        st.page_link("pages/corpus.py", label="Go to Corpus & seed", query_params=session.params(project))
    elif node_id in overview.expanding:
        st.caption("The proposal appears here when it is ready. You can leave this page; the work goes on.")
    elif node_id in overview.outdated:
        session.empty_state(
            "Out of date",
            f"The texts or the seed have changed since {label} was expanded, so its proposal no longer fits. "
            "Press **Expand again**. What you decided stays.",
        )
    elif node_id in overview.expanded:
        session.empty_state(f"{overview.tree[node_id].label} is done", "Everything proposed for it has been judged.")
        _onward(overview, node_id)
        map_view.show_decided(project, overview.tree, node_id)
    elif not len(overview.tree):
        said = "Add the topics you know first; or press **Expand** to see what the texts are about."
        session.empty_state("The tree is empty", said)
        st.page_link("pages/corpus.py", label="Go to Corpus & seed", query_params=session.params(project))
    elif not overview.tree.children_of(node_id):
        text = f"{label} has no sub-topics, so there is nothing to compare with. Leave it so, or expand it anyway."
        session.empty_state("A leaf", text)
        _onward(overview, node_id)
    else:
        session.empty_state(
            "Ready to expand",
            f"Press **Expand** to look for topics that are missing under {label}. "
            "It reads the documents, draws a map of their terms and proposes new topics. Nothing enters the tree until "
            "you accept it.",
        )


def _onward(overview: Overview, node_id: str) -> None:
    suggestion = overview.suggestion()
    if suggestion and suggestion.node_id != node_id:
        label = md(overview.tree[suggestion.node_id].label)
        go = acting(partial(session.choose_node, suggestion.node_id))
        st.button(f"Go on with {label}: {suggestion.why}", type="primary", key="onward", on_click=go)
    elif suggestion is None:
        st.write("Every topic with sub-topics has been expanded. Review the whole tree, or export it.")
        project = session.require_project()
        st.page_link("pages/review.py", label="Review the tree", query_params=session.params(project))
        st.page_link("pages/export.py", label="Export", query_params=session.params(project))


@st.fragment
@guarded
def bench(project: Project, overview: Overview, node_id: str) -> None:
    """Show the map and the cards of the open proposal; every change runs this part alone."""
    proposal = overview.proposals[node_id]
    work = Workbench(project, proposal)
    work.warm()
    if work.problem:
        st.warning(f"{md(work.problem)} The proposal is shown as it was. Undo takes back your last step.")
    picture = work.picture()
    left, right = st.columns([1.32, 1], gap="medium")
    with left, st.container(key="map-column", gap="small"):
        map_view.show(work, overview.tree, picture)
        _below_the_map(work, overview.tree)
    with right, st.container(key="card-column"):
        st.html(f'<div id="{_CARDS}"></div>')
        if not _unsettled(work):
            _nothing_new(overview, node_id, work)
        titles = session.titles(project)
        cards = bench_cards(work.expansion, work.draft, work.proposal, overview.tree, picture, titles)
        cluster_cards(cards, key=f"cards-{work.proposal_id}", on_action=partial(_act, project, work))
    _commit_bar(project, overview, work)


def _act(project: Project, work: Workbench, action: Action) -> None:
    """Do what a card asked for, on the draft that is in the store now."""
    now = work.again()
    if action["type"] != "miss":
        now.act(action)
        return
    for group in now.expansion.left_out:
        if group.cluster_id == action["cluster"]:
            miss_these(project, "", words=[display(term) for term in group.terms], parent_id=now.expansion.node_id)


def _unsettled(work: Workbench) -> bool:
    return any(c.cluster_id not in work.proposal.settled and holds_something(c) for c in work.expansion.novel)


def _nothing_new(overview: Overview, node_id: str, work: Workbench) -> None:
    """Say that no card waits, and what to do: none was found, or all of them have been judged."""
    if work.expansion.novel:
        session.empty_state("All judged", "You have accepted or rejected everything that was proposed here.")
    elif why := doubts(work.expansion):
        session.empty_state(
            "No new topic was found", f"{' '.join(why)} Look at the groups below that were not proposed. {_CLOSER}"
        )
    else:
        session.empty_state(
            "Nothing is missing here", f"The documents fit the known sub-topics, and practice went well. {_CLOSER}"
        )
    _onward(overview, node_id)


def _below_the_map(work: Workbench, tree: Taxonomy) -> None:
    expansion, original = work.expansion, work.proposal.expansion
    names = ["Novelty", "How many", "Table of terms", "Split a topic"]
    novelty, how_many, table, split = st.tabs(names, key="below", on_change="rerun")
    with novelty:
        novelty_chart(
            points=work.points().terms.digest,
            threshold=expansion.novelty_threshold,
            proposed=original.novelty_threshold,
            crossed=work.crossed(),
            by_term=original.settings["discovery"] == "terms",
            key=f"novelty-{work.proposal_id}",
            on_threshold=lambda moved: work.again().set_threshold(float(moved["value"]), int(moved["gesture"])),
        )
    with how_many:
        _how_many(work)
    # Tens of thousands of rows, sent with every change: only for those who look at them.
    if table.open:
        with table:
            term_table.show(work)
    if split.open:
        with split:
            node_id = expansion.node_id
            split_one_of(work.project, tree, [node_id, *(child.node_id for child in tree.children_of(node_id))])


def _how_many(work: Workbench) -> None:
    expansion, original = work.expansion, work.proposal.expansion
    rows = [
        {
            "n": candidate.n_novel,
            "concentrations": list(candidate.concentrations),
            "spread": candidate.concentration_spread,
            "eligible": candidate.eligible,
            "chosen": candidate.chosen,
            "reason": candidate.reason,
        }
        for candidate in original.candidates
    ]
    proposed = next((candidate.n_novel for candidate in original.candidates if candidate.chosen), len(original.novel))
    using = proposed if work.draft.n_novel is None else work.draft.n_novel
    candidate_table(
        rows,
        n_known=len(expansion.known),
        using=using,
        key=f"candidates-{work.proposal_id}",
        on_choose=lambda n_novel: work.again().set_count(None if n_novel == proposed else n_novel),
    )


def _commit_bar(project: Project, overview: Overview, work: Workbench) -> None:
    plan = plan_commit(work.expansion, work.draft, overview.tree, work.proposal.settled)
    with st.container(key="commit-bar", gap="small"):
        conflicts.show(project, work)
        with st.container(key="commit-line", horizontal=True, vertical_alignment="center", gap="small"):
            asked = f"**{plan.summary}**" if plan.decisions else f"Judge [the cards](#{_CARDS}), then commit."
            why = refusal(project, "accept_topic")
            st.markdown(f"You can try things out, and nothing is decided. {md(why)}" if why else asked)
            with st.container(key="commit-steps", horizontal=True, gap="small", width="content"):
                _steps(work)
                wish = acting(lambda: _commit(project, work) if curator.name() else curator.ask())
                kinds = dict.fromkeys(decision.kind for decision in plan.decisions)
                may = offered(project, *(kinds or ["accept_topic"]), disabled=not plan.decisions)
                st.button("Commit", key="commit", type="primary", on_click=wish, **may)
    curator.ask_if_asked(lambda: _commit(project, work))


def _steps(work: Workbench) -> None:
    possible = {"Undo": bool(work.history.past), "Redo": bool(work.history.future), "Discard": not work.draft.is_empty}
    for label, is_possible in possible.items():
        step = label.lower()
        do = acting(partial(_step, work, step))
        st.button(label, key=step, disabled=not is_possible, on_click=do)


def _step(work: Workbench, step: str) -> None:
    """Undo, redo or discard, on the draft that is in the store now."""
    getattr(work.again(), step)()


def _commit(project: Project, work: Workbench) -> None:
    """Record the draft, as it is in the store now, as decisions, all or none; the page then shows what they made."""
    now = work.again()
    plan = plan_commit(now.expansion, now.draft, project.taxonomy(), judged_clusters(project.log()))
    if not plan.decisions:
        return
    try:
        now.commit(plan.decisions, is_done=plan.n_left == 0)
    except StaleWriterError:
        conflicts.refuse(now)
        session.turn()
        return
    session.flash(f"Committed: {plan.summary}")
    session.turn()
