"""Stability on the Quality page: expand again with other random states, and see what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import fmean

import streamlit as st

from taxocom import jobs
from taxocom.jobs.quality_tasks import approved
from taxocom.jobs.stability_comparison import TopicStability, report_of
from taxocom.store import Project
from taxocom.store.disk.clock import moment
from taxocom.store.projects.quality_runs import QualityRun, drop_run, load_results, quality_runs
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.ui.quality.quality_charts import VERDICT_COLOURS, Bar, bar_figure
from taxocom.ui.quality.quality_page import topic_name
from taxocom.ui.quality.quality_views import SCORE, beside_its_table, listed, plain_tile, tile
from taxocom.ui.quality.quality_words import STABILITY, stability_advice
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count
from taxocom.ui.shared import curator, jobs_view
from taxocom.ui.shared.offering import offered


def show(project: Project) -> None:
    """Ask for a run, and show what the kept ones came to."""
    st.markdown(
        "An expansion starts from random numbers, so part of it is chance. Here a topic is expanded several times "
        "with different numbers. **A topic that is found every time is in the texts; one that is found only sometimes "
        "may be an accident.** Topics you accepted are removed from a copy first, to see whether they are found again."
    )
    tree = approved(project.taxonomy())
    _ask(project, tree)
    runs = quality_runs(project, "stability")
    if not runs:
        if not jobs_view.is_running(project, "stability"):
            session.empty_state("Not measured yet", "Choose a topic above and press **Measure stability**.")
        return
    _result(project, tree, runs)


def _ask(project: Project, tree: Taxonomy) -> None:
    options = [node.node_id for node in tree.subtree_of(ROOT_ID) if tree.children_of(node.node_id)] or [ROOT_ID]
    current = session.node_id(tree)
    with st.container(key="ask-stability", horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Topic to expand again",
            options,
            index=options.index(current) if current in options else 0,
            format_func=lambda each: " › ".join(tree.path_of(each)) or tree[each].label,
            key="stability-node",
            width=320,
        )
        n_states = st.number_input(
            "Random states", 2, 10, 3, key="stability-states", width=150, help="How often it is expanded."
        )
        busy = jobs_view.is_running(project, "stability")
        may = offered(project, "measure", disabled=busy)
        start = acting(partial(_start, project))
        st.button("Measure stability", type="primary", key="start-stability", on_click=start, **may)
    st.caption(f"{_expected(project, int(n_states))} You can leave this page meanwhile.")


def _start(project: Project) -> None:
    given = session.fields()
    params = {"node_id": given["stability-node"], "n_states": int(given["stability-states"])}
    jobs_view.submit(project, "stability", params)


def _expected(project: Project, n_states: int) -> str:
    """Say about how long it takes, by the last expansion or the last measurement."""
    for job in jobs.list_jobs(project):
        if job.state == "done" and job.started_at and job.ended_at and job.kind in ("stability", "expand"):
            seconds = (moment(job.ended_at) - moment(job.started_at)).total_seconds()
            n_before = int(job.params.get("n_states") or 3) if job.kind == "stability" else 1
            return f"This takes about {jobs_view.duration(n_states * seconds / n_before)}, judging by the last time."
    return f"This takes about as long as {count(n_states, 'expansion')} of the topic."


def _result(project: Project, tree: Taxonomy, runs: Sequence[QualityRun]) -> None:
    with st.container(key="stability-run", horizontal=True, vertical_alignment="bottom", gap="small"):
        run = st.selectbox("Result", runs, format_func=_title, key="stability-result", width=420)
        may = offered(project, "measure", told="Deletes this result. Nothing else changes.")
        drop = acting(partial(drop_run, project, run.run_id, by=curator.name()))
        st.button("Remove", key="drop-stability", on_click=drop, **may)
    node_id = str(run.settings["node_id"])
    if run.corpus != project.corpus().fingerprint or (run.sequence != project.sequence and node_id in tree):
        st.caption("The taxonomy or the texts have changed since. Measure again to take that into account.")
    report = report_of(load_results(project, run))
    if report is None:
        st.warning("An earlier version measured this, and it cannot be shown. Measure again.")
        return
    n_runs, topics = report.n_runs, report.topics
    novel = [topic for topic in topics if not topic.known]
    with st.container(key="stability-tiles", horizontal=True, gap="small"):
        tile(STABILITY, fmean(topic.documents for topic in novel) if novel else None, "Stability of new topics")
        found = sum(topic.n_found == n_runs for topic in novel)
        plain_tile("Found every time", f"{found} of {len(novel)}", "New topics that every run found.")
        plain_tile("New topics in each run", " · ".join(map(str, report.n_novel)), "How many each run proposed.")
    _advice(project, tree, node_id, topics, n_runs)
    _topics(topics, n_runs)
    if report.by_documents is not None and report.by_terms is not None:
        st.caption(
            f"Matched Jaccard of all new topics, the mean over pairs of runs: {report.by_documents:.2f} by documents, "
            f"{report.by_terms:.2f} by first terms. Two runs without new topics agree."
        )


def _advice(project: Project, tree: Taxonomy, node_id: str, topics: Sequence[TopicStability], n_runs: int) -> None:
    st.subheader("What to look at", anchor=False)
    advice = stability_advice(topics, n_runs)
    if all(topic.known for topic in topics):
        st.markdown("No run found a new topic: this method finds nothing missing here.")
    elif not advice:
        st.markdown("Nothing stands out: the same topics are found every time.")
    else:
        st.markdown("\n".join(f"- {text}" for text in advice))
    if node_id in tree:
        st.page_link(
            "pages/expand.py",
            label=f"Expand {topic_name(tree, node_id)}",
            icon=":material/arrow_forward:",
            query_params=session.params(project, node=node_id),
        )


def _topics(topics: Sequence[TopicStability], n_runs: int) -> None:
    st.subheader("Topic by topic, least stable first", anchor=False)
    st.caption(f"{STABILITY.help} A run that does not find the topic counts 0.")
    bars = [
        Bar(
            topic.label,
            topic.documents,
            VERDICT_COLOURS[STABILITY.verdict(topic.documents)],
            f"found in {topic.n_found} of {n_runs} runs",
        )
        for topic in topics
    ]
    beside_its_table(
        bar_figure(bars[:24], marks={"good": STABILITY.good}),
        {
            "topic": [topic.label for topic in topics],
            "stability": [topic.documents for topic in topics],
            "found": [f"{topic.n_found} of {n_runs}" for topic in topics],
            "": [STABILITY.verdict(topic.documents) or "" for topic in topics],
            "in the tree": [_standing(topic) for topic in topics],
            "by terms": [topic.terms for topic in topics],
            "documents": [topic.n_documents for topic in topics],
            "first terms": [listed(topic.top_terms) for topic in topics],
        },
        formats={"stability": SCORE, "by terms": SCORE},
        key="stability",
        alt="Stability of each topic, least stable first",
        widths=(1, 1.3),
    )


def _standing(topic: TopicStability) -> str:
    if topic.known:
        return "known before"
    return "accepted" if topic.topic_id else "not in the tree"


def _title(run: QualityRun) -> str:
    when = run.at[:16].replace("T", " ")
    return f"{when} · {run.settings['label']} · {count(int(run.settings['n_states']), 'random state')}"
