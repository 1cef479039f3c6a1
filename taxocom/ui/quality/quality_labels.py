"""Against labels on the Quality page: take topics out of a copy, and see whether they are found again."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st

from taxocom import jobs
from taxocom.errors import SettingsError
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
from taxocom.store.disk.clock import moment
from taxocom.store.projects.quality_runs import kept_gold, quality_runs, save_gold
from taxocom.taxonomy.tree import Taxonomy
from taxocom.ui.quality import quality_results
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.shared import curator, jobs_view
from taxocom.ui.shared.offering import offered

_FILE = "file"
_SOURCES = {FROM_LABELS: "The labels themselves", FROM_SEED: "This project's seed", _FILE: "A file"}
_RULES: dict[RemovalRule, str] = {"first": "First level", "second": "Second level", "both": "Both levels"}
_N_DRAWN, _RULE, _GOLD, _DRAWN = "n-drawn", "draw-rule", "gold-file", "drawn"
_WAYS, _HOW = ("All at once", "One at a time"), ("Ours", "The paper's rule")


def show(project: Project) -> None:
    """Ask what to take out, and show what came back."""
    counts = _counts(project.corpus().fingerprint, project)
    if not counts:
        session.empty_state(
            "The documents carry no labels",
            "If a column of your file says which topic each document belongs to, read the texts again and choose it as "
            "the column of labels. Then topics can be hidden and looked for again, and the labels show how many were "
            "found. The other two tabs need no labels.",
        )
        st.page_link("pages/corpus.py", label="Go to Corpus & seed", query_params=session.params(project))
        return
    st.markdown(
        "How good is the method on *your* texts? Choose topics that you know. They are hidden, the tree is completed "
        "without them, and your labels show which were found again. **All of this happens on a copy: your taxonomy, "
        "your decisions and your texts do not change.**"
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
                f"Most frequent labels: {', '.join(md(' › '.join(label)) for label in met)}. "
                "Choose another hierarchy, or read the texts again with another column of labels."
            )
            return
        _removals(source, gold, held)
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.number_input(
                "Random states", 1, 10, 3, key="label-states", width=150, help="How often each is measured."
            )
            st.segmented_control("Hide them", _WAYS, default=_WAYS[0], required=True, key="one-by-one")
            with st.popover("Settings", type="tertiary"):
                _settings(gold)
            busy = jobs_view.is_running(project, "evaluate")
            start = acting(partial(_start, project, source, gold, held))
            st.button(
                "Measure",
                type="primary",
                key="start-labels",
                on_click=start,
                **offered(project, "measure", disabled=busy),
            )
        _footnote(project, gold, _wanted(source, gold, held), n_left_out)


def _wanted(source: str, gold: Taxonomy, held: Mapping[TopicPath, int]) -> dict[str, Any]:
    """Return the parameters of a run as the fields stand now."""
    given = session.fields()
    remove = given.get(_removal_key(source, _options(gold, held))) or []
    settings = ExpansionSettings() if given["label-rule"] == _HOW[0] else ExpansionSettings.paper()
    return {
        "gold": source,
        "remove": [list(path) for path in remove],
        "one_by_one": given["one-by-one"] == _WAYS[1] and len(remove) > 1,
        "n_states": int(given["label-states"]),
        "per_class": int(given["per-class"]),
        "max_depth": int(given["label-depth"]),
        "settings": asdict(settings),
    }


def _start(project: Project, source: str, gold: Taxonomy, held: Mapping[TopicPath, int]) -> None:
    """Start the job, or say at once what it would be refused for."""
    params = _wanted(source, gold, held)
    if not params["remove"]:
        raise SettingsError("No topic is hidden yet. Choose some, or have some chosen at random.")
    EvaluationRequest.from_params(params).scenarios(gold)
    jobs_view.submit(project, "evaluate", params)


def _hierarchy(project: Project, counts: Mapping[TopicPath, int]) -> str | None:
    """Ask where the whole hierarchy comes from; return the job's parameters, None while a file is missing."""
    seed_paths = set(topic_paths(project.seed()))
    in_seed = any(path_key(label) in seed_paths for label in counts)
    options = [source for source in _SOURCES if source != FROM_SEED or in_seed]
    chosen = st.segmented_control(
        "The whole hierarchy, to compare the result with",
        options,
        default=FROM_LABELS,
        required=True,
        format_func=_SOURCES.__getitem__,
        key="gold-source",
    )
    if chosen != _FILE:
        return chosen
    keep = acting(partial(_keep_gold, project))
    st.file_uploader(
        "Tab-separated, indented text, CSV, XLSX, JSON or SKOS",
        key=_GOLD,
        on_change=keep,
        **offered(project, "measure"),
    )
    kept = kept_gold(project)
    if kept is None:
        st.caption("Choose a file such as gold.tsv: one parent with its children per line, `*` for the root.")
        return None
    st.caption(f"Judged by {md(kept.file_name)}.")
    return kept.artifact


def _keep_gold(project: Project) -> None:
    file = session.fields().get(_GOLD)
    if file is not None:
        save_gold(project, read_seed(file.getvalue(), name=file.name).taxonomy, file.name, by=curator.name())
        # What was wrong with a file before this one matters no more.
        session.drop_notice()


def _options(gold: Taxonomy, held: Mapping[TopicPath, int]) -> list[TopicPath]:
    return [key for node in gold.walk() if held[key := path_key(gold.path_of(node.node_id))]]


def _removal_key(source: str, options: Sequence[TopicPath]) -> str:
    return f"remove-{source[:16]}-{len(options)}"


def _removals(source: str, gold: Taxonomy, held: Mapping[TopicPath, int]) -> None:
    paths = {path_key(gold.path_of(node.node_id)): gold.path_of(node.node_id) for node in gold.walk()}
    options = _options(gold, held)
    key = _removal_key(source, options)
    if session.state().get(_DRAWN, ("",))[0] == key:
        st.session_state[key] = session.state().pop(_DRAWN)[1]
    st.multiselect(
        "Topics to hide",
        options,
        format_func=lambda each: f"{' › '.join(paths[each])} ({held[each]:,})",
        key=key,
        placeholder="Choose topics; the number of documents is in brackets",
    )
    n_levels = max(len(path) for path in options)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.number_input("Or hide this many, chosen at random", 1, max(len(options) - 1, 1), 1, key=_N_DRAWN, width=150)
        rules = [rule for rule in _RULES if n_levels > 1 or rule == "first"]
        st.segmented_control("from", rules, default="first", required=True, format_func=_RULES.__getitem__, key=_RULE)
        draw = acting(partial(_draw, key, gold, options))
        st.button("Draw", key="draw", on_click=draw)


def _draw(key: str, gold: Taxonomy, options: Sequence[TopicPath]) -> None:
    """Fill the choice at random; one sibling always stays, because a seed without one says nothing of the grain.

    How many and from where is read here: a quick click comes before the page has run with the last change.
    """
    given = session.fields()
    n_drawn, seed = int(given[_N_DRAWN]), secrets.randbelow(2**31)
    removed = random_removals(gold, n_drawn, rule=given[_RULE], random_state=seed).topmost_removed
    session.state()[_DRAWN] = key, [path for path in options if path in removed]


def _settings(gold: Taxonomy) -> None:
    deepest = max((gold.depth_of(node.node_id) for node in gold.walk()), default=1)
    st.segmented_control(
        "How",
        _HOW,
        default=_HOW[0],
        required=True,
        key="label-rule",
        help="The rule of the original paper, or ours. ARCHITECTURE.md compares them.",
    )
    st.number_input(
        "Documents of a label at most",
        20,
        100_000,
        CLASS_CAP,
        step=100,
        key="per-class",
        help="Fewer documents are quicker.",
    )
    st.number_input("Levels to complete", 1, max(deepest, 1), min(2, max(deepest, 1)), key="label-depth")


def _footnote(project: Project, gold: Taxonomy, params: Mapping[str, Any], n_left_out: int) -> None:
    """Say how many runs that is, about how long they take, and what is left out."""
    request = EvaluationRequest.from_params(params)
    said = []
    if request.remove:
        said.append(f"{count(request.n_runs, 'run')}{_expected(project, request.n_runs)}; you can leave this page.")
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
                f"Nothing is left under {', '.join(md(label) for label in bare)}, so it will not be expanded. Leave "
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
            return f", about {jobs_view.duration(each * n_runs)}, judging by the last time"
    return ", each about as long as expanding every topic once"
