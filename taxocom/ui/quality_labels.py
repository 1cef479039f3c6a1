"""Against labels on the Quality page: take topics out of a copy, and see whether they are found again."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from taxocom import jobs
from taxocom.errors import TaxocomError
from taxocom.evaluation.scenarios import CLASS_CAP, RemovalRule, TopicPath, path_key, random_removals, topic_paths
from taxocom.jobs.quality_scenarios import (
    FEWEST_DOCUMENTS,
    FROM_LABELS,
    FROM_SEED,
    EvaluationRequest,
    documents_by_topic,
    gold_of,
    label_counts,
)
from taxocom.reading.files import read_seed
from taxocom.settings import ExpansionSettings
from taxocom.store import Project
from taxocom.store.clock import moment
from taxocom.store.quality import kept_gold, quality_runs, save_gold
from taxocom.taxonomy.tree import Taxonomy
from taxocom.ui import jobs_view, quality_results, session
from taxocom.ui.plain import count, md
from taxocom.ui.telling import told

_FILE = "file"
_SOURCES = {FROM_LABELS: "The labels themselves", FROM_SEED: "This project's seed", _FILE: "A file"}
_RULES: dict[RemovalRule, str] = {"first": "First level", "second": "Second level", "both": "Both levels"}
_PROBLEM, _N_DRAWN, _RULE = "draw-problem", "n-drawn", "draw-rule"


def show(project: Project) -> None:
    """Ask what to take out, and show what came back."""
    counts = _counts(project.corpus().fingerprint, project)
    if not counts:
        session.empty_state(
            "The documents carry no labels",
            "If a column of your file says which topic each document belongs to, read the texts again and choose it as "
            "the column of labels. Then topics can be hidden and looked for again, with the labels as judge. "
            "Without labels the other two tabs tell what can be told.",
        )
        st.page_link("pages/corpus.py", label="Go to Corpus & seed", query_params=session.params(project))
        return
    st.markdown(
        "How good is the method on *your* texts? Choose topics that you know: they are hidden, the rest is completed "
        "as if nobody had ever heard of them, and your labels tell what was found again. **All of this happens on a "
        "copy: your taxonomy, your decisions and your texts stay as they are.**"
    )
    _ask(project, counts)
    runs = quality_runs(project, "evaluate")
    if runs:
        quality_results.show(project, runs)
    elif not jobs_view.is_running(project, "evaluate"):
        session.empty_state("Not measured yet", "Choose topics to hide above and press **Measure**.")


@st.cache_data(max_entries=8, show_spinner=False)
def _counts(fingerprint: str, _project: Project) -> dict[TopicPath, int]:  # noqa: ARG001  # the fingerprint is the key
    return label_counts(list(_project.corpus().labels))


def _ask(project: Project, counts: Mapping[TopicPath, int]) -> None:
    with st.container(border=True, key="ask-labels"):
        source = _hierarchy(project, counts)
        if source is None:
            return
        gold = gold_of(project, source, counts)
        held = documents_by_topic(counts, gold)
        n_labelled = sum(n for label, n in counts.items() if path_key(label) in held)
        n_left_out = project.corpus().n_documents - n_labelled
        if not n_labelled:
            met = sorted(counts, key=lambda label: -counts[label])[:3]
            st.warning(
                f"No topic of this hierarchy is a label that documents carry (at least {FEWEST_DOCUMENTS} of them). "
                f"Labels met most: {', '.join(md(' › '.join(label)) for label in met)}. "
                "Choose another hierarchy, or read the texts again with another column of labels."
            )
            return
        remove = _removals(source, gold, held)
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            n_states = st.number_input(
                "Random states", 1, 10, 3, key="label-states", width=150, help="How often each is measured."
            )
            one_by_one = st.segmented_control(
                "Hide them", ["All at once", "One at a time"], default="All at once", required=True, key="one-by-one"
            )
            with st.popover("Settings", type="tertiary"):
                more = _settings(gold)
            params = {
                "gold": source,
                "remove": [list(path) for path in remove],
                "one_by_one": one_by_one == "One at a time" and len(remove) > 1,
                "n_states": int(n_states),
                **more,
            }
            busy = jobs_view.is_running(project, "evaluate")
            pressed = st.button("Measure", type="primary", key="start-labels", disabled=busy or not remove)
        _footnote(project, gold, params, n_left_out)
    if pressed:
        _start(project, gold, params)


def _start(project: Project, gold: Taxonomy, params: dict[str, Any]) -> None:
    """Start the job, or say at once what it would be refused for."""
    try:
        EvaluationRequest.from_params(params).scenarios(gold)
    except TaxocomError as error:
        st.error(told(error))
        return
    jobs_view.submit(project, "evaluate", params)
    st.rerun()


def _hierarchy(project: Project, counts: Mapping[TopicPath, int]) -> str | None:
    """Ask where the whole hierarchy comes from; return what the job is told, None while a file is missing."""
    seed_paths = set(topic_paths(project.seed()))
    in_seed = any(path_key(label) in seed_paths for label in counts)
    options = [source for source in _SOURCES if source != FROM_SEED or in_seed]
    chosen = st.segmented_control(
        "The whole hierarchy, by which the result is judged",
        options,
        default=FROM_LABELS,
        required=True,
        format_func=_SOURCES.__getitem__,
        key="gold-source",
    )
    if chosen != _FILE:
        return chosen
    file = st.file_uploader("Tab-separated, indented text, CSV, XLSX, JSON or SKOS", key="gold-file")
    if file is not None and st.session_state.get("gold-read") != file.file_id:
        try:
            save_gold(project, read_seed(file.getvalue(), name=file.name).taxonomy, file.name)
        except TaxocomError as error:
            st.error(told(error))
            return None
        st.session_state["gold-read"] = file.file_id
    kept = kept_gold(project)
    if kept is None:
        st.caption("Choose a file such as gold.tsv: a parent and its children a line, `*` for the root.")
        return None
    st.caption(f"Judged by {md(kept.file_name)}.")
    return kept.artifact


def _removals(source: str, gold: Taxonomy, held: Mapping[TopicPath, int]) -> list[TopicPath]:
    paths = {path_key(gold.path_of(node.node_id)): gold.path_of(node.node_id) for node in gold.walk()}
    options = [key for key in paths if held[key]]
    key = f"remove-{source[:16]}-{len(options)}"
    chosen = st.multiselect(
        "Topics to hide",
        options,
        format_func=lambda each: f"{' › '.join(paths[each])} ({held[each]:,})",
        key=key,
        placeholder="Choose topics; in brackets, how many documents each has",
    )
    n_levels = max(len(path) for path in options)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.number_input("Or draw so many", 1, max(len(options) - 1, 1), 1, key=_N_DRAWN, width=150)
        rules = [rule for rule in _RULES if n_levels > 1 or rule == "first"]
        st.segmented_control("from", rules, default="first", required=True, format_func=_RULES.__getitem__, key=_RULE)
        st.button("Draw", key="draw", on_click=_draw, args=(key, gold, options))
    problem = st.session_state.pop(_PROBLEM, "")
    if problem:
        st.warning(md(problem))
    return chosen


def _draw(key: str, gold: Taxonomy, options: Sequence[TopicPath]) -> None:
    """Fill the choice at random; one sibling always stays, because a seed without one says nothing of the grain.

    How many and from where is read here: a quick click comes before the page has run with the last change.
    """
    n_drawn, rule = int(st.session_state[_N_DRAWN]), st.session_state[_RULE]
    try:
        drawn = random_removals(gold, n_drawn, rule=rule, random_state=secrets.randbelow(2**31)).topmost_removed
        st.session_state[key] = [path for path in options if path in drawn]
    except TaxocomError as error:
        st.session_state[_PROBLEM] = str(error)


def _settings(gold: Taxonomy) -> dict[str, Any]:
    deepest = max((gold.depth_of(node.node_id) for node in gold.walk()), default=1)
    rule = st.segmented_control(
        "How", ["Ours", "The paper's rule"], default="Ours", required=True, key="label-rule",
        help="ARCHITECTURE.md compares them.",
    )  # fmt: skip
    per_class = st.number_input(
        "Documents of a label at most", 20, 100_000, CLASS_CAP, step=100, key="per-class", help="Fewer are quicker."
    )
    depth = st.number_input("Levels to complete", 1, max(deepest, 1), min(2, max(deepest, 1)), key="label-depth")
    settings = ExpansionSettings.paper() if rule != "Ours" else ExpansionSettings()
    return {"per_class": int(per_class), "max_depth": int(depth), "settings": asdict(settings)}


def _footnote(project: Project, gold: Taxonomy, params: Mapping[str, Any], n_left_out: int) -> None:
    """Say how many runs that is, about how long they take, and what is left out."""
    request = EvaluationRequest.from_params(params)
    said = []
    if request.remove:
        said.append(f"{count(request.n_runs, 'run')}{_expected(project, request.n_runs)}; you may leave this page.")
        hidden = set(request.remove)
        bare = [
            gold[parent].label
            for parent, children in gold.children.items()
            if parent in gold.parents
            and path_key(gold.path_of(parent)) not in hidden
            and all(path_key(gold.path_of(child)) in hidden for child in children)
        ]
        if bare and not request.one_by_one:
            said.append(
                f"Nothing is left under {', '.join(md(label) for label in bare)}, so nobody will look there: leave "
                "one sub-topic, or hide them one at a time."
            )
    if n_left_out:
        said.append(f"{count(n_left_out, 'document')} without a label in this hierarchy take no part.")
    if said:
        st.caption(" ".join(said))


def _expected(project: Project, n_runs: int) -> str:
    for job in jobs.list_jobs(project):
        if job.kind == "evaluate" and job.state == "done" and job.started_at and job.ended_at:
            seconds = (moment(job.ended_at) - moment(job.started_at)).total_seconds()
            each = seconds / max(EvaluationRequest.from_params(job.params).n_runs, 1)
            return f", about {jobs_view.duration(each * n_runs)} by how long it took before"
    return ", each about as long as expanding every topic once"
