"""Measuring a project: are its new topics stable, and would topics that were taken out be found again?

Both work on copies. Nothing of the project is changed but the list of measurements.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import taxocom
from taxocom.errors import CancelledError, InputError, JobError, TaxocomError
from taxocom.jobs.pieces import do_pieces, piece
from taxocom.jobs.registry import task
from taxocom.progress import Progress, Span
from taxocom.settings import ExpansionSettings
from taxocom.store import Project
from taxocom.store.db.records import tree_to_plain
from taxocom.store.disk.whole_files import clear_errors, write_whole
from taxocom.store.projects.quality_runs import QualityRun, find_run, load_results, run_name, save_run
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy

if TYPE_CHECKING:
    from taxocom.evaluation.preparation import Prepared
    from taxocom.evaluation.scenario_report import EvaluationReport
    from taxocom.evaluation.scenarios import Scenario
    from taxocom.expansion.proposals.proposal import NodeExpansion
    from taxocom.jobs.quality_scenarios import EvaluationRequest
    from taxocom.jobs.stability_comparison import AcceptedTopic, FoundCluster
    from taxocom.numerics.arrays import Offsets
    from taxocom.store.projects.document_places import DocumentPlaces

OUR_RULE, PAPER_RULE = "TaxoCom", "TaxoCom, the paper's rule"
_INDEXING = 0.1


def approved(tree: Taxonomy) -> Taxonomy:
    """Return the tree without what was rejected after it had been in it."""
    for node in list(tree.walk()):
        if node.status == "rejected" and node.node_id in tree:
            tree = tree.without(node.node_id)
    return tree


@task("stability")
def stability(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Expand a node with several random states and compare what they find.

    Parameters: `node_id` (the root by default), `n_states`, `settings`, `threads`. Topics that were accepted under the
    node are taken out first, so that it shows whether they would be found again. No proposal is kept.
    """
    from taxocom.jobs.stability_comparison import compare_runs

    node_id = str(params.get("node_id") or ROOT_ID)
    n_states = max(2, int(params.get("n_states") or 3))
    sequence = project.sequence
    tree, accepted, _ = _opened(project, node_id, sequence)
    asked = [
        {**params, "node_id": node_id, "n_states": n_states, "sequence": sequence, "state": state}
        for state in range(n_states)
    ]
    with project.working_place("states") as place:
        place.mkdir()
        runs = [_read_found(file) for file in do_pieces(project, "random-state", asked, place, progress)]
    report = compare_runs(runs, accepted)
    settings = {"node_id": node_id, "label": tree[node_id].label, "n_states": n_states}
    named = {**params, "node_id": node_id, "n_states": n_states}
    run_id = run_name("stability", named, project.corpus().fingerprint, str(sequence))
    run = QualityRun(run_id, "stability", "", sequence, project.corpus().fingerprint, settings, n_states, n_states)
    save_run(project, run, asdict(report))
    return {"run_id": run_id, "node_id": node_id}


@piece("random-state")
def random_state_piece(project: Project, params: Mapping[str, Any], place: Path, progress: Progress) -> None:
    """Expand a node with one random state and write the clusters that were found to a file."""
    state, node_id = int(params["state"]), str(params["node_id"])
    progress.report(f"Random state {state + 1} of {params['n_states']}", 0.0)
    tree, accepted, places = _opened(project, node_id, int(params["sequence"]))
    for topic in accepted:
        tree = tree.without(topic.topic_id)
    found = _found(_expanded(project, tree, node_id, places.with_tree(tree), params, state, progress))
    plain = [{**asdict(cluster), "documents": sorted(cluster.documents)} for cluster in found]
    write_whole(place, json.dumps(plain).encode())


def _read_found(file: Path) -> list[FoundCluster]:
    from taxocom.jobs.stability_comparison import FoundCluster

    with clear_errors("read", file):
        plain = json.loads(file.read_bytes())
    return [
        FoundCluster(each["label"], frozenset(each["documents"]), tuple(each["terms"]), each["topic_id"])
        for each in plain
    ]


def _opened(project: Project, node_id: str, sequence: int) -> tuple[Taxonomy, list[AcceptedTopic], DocumentPlaces]:
    """Return the approved tree at a step, what was accepted under a node, and where the documents were."""
    from taxocom.store.projects.document_places import document_places

    tree = approved(project.taxonomy_at(sequence))
    if node_id not in tree:
        raise JobError(f"There is no topic {node_id!r} in this tree; it may have been removed since.")
    places = document_places(project, at=sequence)
    return tree, _accepted(tree, node_id, places), places


def _accepted(tree: Taxonomy, node_id: str, places: DocumentPlaces) -> list[AcceptedTopic]:
    from taxocom.jobs.stability_comparison import AcceptedTopic

    return [
        AcceptedTopic(node.node_id, node.label, frozenset(places.documents_of(node.node_id).tolist()))
        for node in tree.children_of(node_id)
        if node.origin == "novel"
    ]


def _expanded(
    project: Project,
    tree: Taxonomy,
    node_id: str,
    places: DocumentPlaces,
    params: Mapping[str, Any],
    random_state: int,
    progress: Progress,
) -> NodeExpansion:
    from taxocom.expansion.pipeline import expand_node
    from taxocom.jobs.expand_task import project_embedding
    from taxocom.store.projects.document_places import project_witnesses
    from taxocom.taxonomy.curation import derive_curation

    documents = places.documents_of(node_id)
    if len(documents) == 0:
        raise JobError(
            f"No document belongs to {tree[node_id].label!r}, so there is nothing to expand. "
            "Give the topic keywords that its documents use, or move documents to it."
        )
    settings = ExpansionSettings.from_dict(params.get("settings") or {})
    threads = int(params.get("threads") or os.cpu_count() or 1)
    embedding = project_embedding(
        project, settings, random_state=random_state, threads=threads, progress=Span(progress, 0.0, 0.5), keep=False
    )
    # Pins may name topics that were taken out; names and rejections hold for whatever is found.
    curation = replace(derive_curation(project.seed(), project.log()), pins={})
    return expand_node(
        project.corpus(),
        tree,
        node_id,
        embedding,
        settings=settings,
        documents=documents,
        places=places.numbers,
        witnesses=project_witnesses(project),
        teaching=places.teaching(),
        curation=curation,
        random_state=random_state,
        threads=threads,
        draw_map=False,
        progress=Span(progress, 0.5, 1.0),
    ).proposal


def _found(proposal: NodeExpansion) -> list[FoundCluster]:
    from taxocom.evaluation.coherence import N_TOP_TERMS
    from taxocom.jobs.stability_comparison import FoundCluster

    rows, clusters = proposal.documents.documents, proposal.documents.cluster
    return [
        FoundCluster(
            label=cluster.label,
            documents=frozenset(rows[clusters == index].tolist()),
            terms=tuple(anchor.term for anchor in cluster.anchors[:N_TOP_TERMS]),
            topic_id=cluster.cluster_id if cluster.kind == "known" else "",
        )
        for index, cluster in enumerate(proposal.clusters)
    ]


@task("evaluate")
def evaluate(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Take topics out of a copy of the labelled hierarchy, complete it again, and measure what came back.

    Parameters: those of `EvaluationRequest`, and `threads`. Every part is kept as soon as it is done; the same
    evaluation run again goes on where it stopped.
    """
    from taxocom.jobs.quality_copies import sample_rows
    from taxocom.jobs.quality_scenarios import EvaluationRequest, gold_of

    request = EvaluationRequest.from_params(params)
    progress.report("Reading the labels", 0.0)
    gold = gold_of(project, request.gold)
    scenarios = request.scenarios(gold)
    rows = sample_rows(project, gold, request.per_class)
    run = _begun(project, params, gold, request)
    parts = _Parts(project, run)
    for number, scenario in enumerate(scenarios):
        part = Span(progress, number / len(scenarios), (number + 1) / len(scenarios))
        _measure(project, scenario, rows, request, parts, int(params.get("threads") or 0), part)
    if not parts.reports:
        raise JobError(f"No part of the evaluation worked. The first said: {parts.failures[0]['message']}")
    parts.keep()
    return {"run_id": run.run_id, "n_failed": len(parts.failures)}


def _begun(project: Project, params: Mapping[str, Any], gold: Taxonomy, request: EvaluationRequest) -> QualityRun:
    fingerprint = project.corpus().fingerprint
    digest = hashlib.sha256(json.dumps(tree_to_plain(gold), sort_keys=True).encode()).hexdigest()
    settings = {name: value for name, value in params.items() if name != "threads"}
    run_id = run_name("evaluate", settings, fingerprint, digest)
    return QualityRun(run_id, "evaluate", "", project.sequence, fingerprint, settings, request.n_runs, 0)


def reports_of(results: Mapping[str, Any]) -> list[EvaluationReport]:
    """Return the reports in what an evaluation kept; none if another version kept them and they lack something."""
    from taxocom.evaluation.scenario_report import EvaluationReport

    try:
        return [EvaluationReport.from_dict(values) for values in results.get("reports", ())]
    except InputError:
        return []


class _Parts:
    """The reports of an evaluation as they come in; those of an earlier attempt are there already.

    What failed is told and tried again the next time.
    """

    def __init__(self, project: Project, run: QualityRun) -> None:
        self.project, self.run = project, run
        self.failures: list[dict[str, Any]] = []
        earlier = find_run(project, run.run_id)
        results = load_results(project, earlier) if earlier else {}
        is_ours = results.get("version") == taxocom.__version__
        self.reports: list[EvaluationReport] = reports_of(results) if is_ours else []

    def has(self, scenario: str, random_state: int) -> bool:
        """Tell whether a part is done."""
        return any(r.scenario == scenario and r.random_state == random_state for r in self.reports)

    def add(self, report: EvaluationReport) -> None:
        """Keep the report of a part."""
        self.reports.append(report)
        self.keep()

    def keep(self) -> None:
        """Write what there is."""
        results = {
            "version": taxocom.__version__,
            "reports": [report.to_dict() for report in self.reports],
            "failures": self.failures,
        }
        save_run(self.project, replace(self.run, n_done=len(self.reports)), results)


def _measure(
    project: Project,
    scenario: Scenario,
    rows: Offsets,
    request: EvaluationRequest,
    parts: _Parts,
    threads: int,
    progress: Progress,
) -> None:
    from taxocom.jobs.quality_copies import prepare_copy

    states = [state for state in range(request.n_states) if not parts.has(scenario.name, state)]
    if not states:
        return
    with project.working_place("evaluation") as place:
        place.mkdir()
        # Indexed again for each scenario: a name that was taken out must not come in as a phrase.
        prepared = prepare_copy(project, scenario.seed, rows, place, Span(progress, 0.0, _INDEXING))
        for number, state in enumerate(states):
            share = (1.0 - _INDEXING) / len(states)
            span = Span(progress, _INDEXING + number * share, _INDEXING + (number + 1) * share)
            told = _Told(span, f"{scenario.name}, random state {state + 1} of {request.n_states}")
            try:
                parts.add(_report(project, scenario, prepared, request, state, threads or os.cpu_count() or 1, told))
            except CancelledError:
                raise
            except TaxocomError as error:
                parts.failures.append({"scenario": scenario.name, "random_state": state, "message": str(error)})


@dataclass(frozen=True)
class _Told:
    """Progress that says which part of the whole it belongs to."""

    whole: Progress
    part: str

    def report(self, stage: str, fraction: float) -> None:
        self.whole.report(f"{self.part}: {stage}", fraction)


def _report(
    project: Project,
    scenario: Scenario,
    prepared: Prepared,
    request: EvaluationRequest,
    random_state: int,
    threads: int,
    progress: Progress,
) -> EvaluationReport:
    from taxocom.evaluation.coherence import N_TOP_TERMS
    from taxocom.evaluation.scenario_report import RunFacts
    from taxocom.evaluation.scenario_report import evaluate as measure
    from taxocom.evaluation.systems import SystemResult
    from taxocom.expansion.completion import complete
    from taxocom.store.projects.lexicon_files import find_lexicon

    start = time.perf_counter()
    done = complete(
        prepared.corpus,
        scenario.seed,
        settings=request.settings,
        lexicon=find_lexicon(),
        max_depth=request.max_depth,
        random_state=random_state,
        threads=threads,
        progress=progress,
    )
    seconds = time.perf_counter() - start
    terms: dict[str, Sequence[str]] = {
        node.node_id: [anchor.term for anchor in node.anchors[:N_TOP_TERMS]] for node in done.taxonomy.walk()
    }
    result = SystemResult(done.taxonomy, done.document_nodes, terms, done.suggestions)
    rule = OUR_RULE if request.settings.discovery == "facets" else PAPER_RULE
    facts = RunFacts(project.name, rule, "", random_state, seconds)
    return measure(result, scenario, prepared.measured, facts)
