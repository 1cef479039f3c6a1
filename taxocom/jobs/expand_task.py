"""Expanding a node of a project: what the engine needs is read from the store, what it finds is kept there."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taxocom.errors import JobError, TaxocomError
from taxocom.expansion.proposals.colours import give_slots, kept_slots
from taxocom.jobs.map_task import EVIDENCE, map_name
from taxocom.jobs.pieces import do_pieces, piece, scheduler
from taxocom.jobs.registry import task
from taxocom.jobs.warming import wait_until_compiled
from taxocom.progress import SILENT, Progress, Span
from taxocom.settings import ExpansionSettings
from taxocom.store import Project
from taxocom.store.disk.array_file import read_arrays, write_arrays
from taxocom.store.disk.locks import try_lock
from taxocom.store.disk.memory import Memory
from taxocom.store.disk.whole_files import clear_errors
from taxocom.taxonomy.curation import derive_curation
from taxocom.taxonomy.decisions import AcceptTopic, effective
from taxocom.taxonomy.tree import ROOT_ID

if TYPE_CHECKING:
    from taxocom.expansion.discovery.node_evidence import NodeEvidence
    from taxocom.expansion.paper.embedding import TermEmbedding
    from taxocom.expansion.pipeline import Expansion
    from taxocom.expansion.proposals.proposal import NodeExpansion, Overrides
    from taxocom.numerics.arrays import Ints1d
    from taxocom.taxonomy.tree import Taxonomy

_EMBEDDING = "embedding"
_AHEAD_TOKENS = 5_000_000
"""Words that train in some ten seconds."""
_POLL_SECONDS = 0.05
_EVIDENCE_KEPT: Memory[tuple[NodeEvidence, Mapping[str, Any]]] = Memory(8)


@task("expand", then="map")
def expand(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Propose sub-topics for a node and keep the proposal; its map is drawn after that.

    Parameters: `node_id` (the root by default), `settings`, `random_state`, `threads`.
    """
    node_id = str(params.get("node_id") or ROOT_ID)
    tree = project.taxonomy()
    if node_id not in tree:
        raise JobError(f"There is no topic {node_id!r} in this tree; it may have been removed since.")
    (proposal_id,) = _expand_all(project, [node_id], params, progress)
    return {"proposal_id": proposal_id, "node_id": node_id}


@task("expand-level", then="map")
def expand_level(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Propose sub-topics for each sub-topic of a node, all from the tree as it is now, and keep the proposals.

    Parameters: those of `expand`. On a cluster the sub-topics are expanded side by side.
    """
    from taxocom.store.projects.document_places import document_places

    node_id = str(params.get("node_id") or ROOT_ID)
    sequence = project.sequence
    below = project.taxonomy_at(sequence).children_of(node_id)
    places = document_places(project, at=sequence)
    nodes = [node.node_id for node in below if len(places.documents_of(node.node_id))]
    if not nodes:
        raise JobError("No sub-topic of this topic has documents, so there is nothing to expand.")
    return {"proposal_ids": _expand_all(project, nodes, params, progress), "node_ids": nodes}


def _expand_all(project: Project, node_ids: Sequence[str], params: Mapping[str, Any], progress: Progress) -> list[int]:
    """Expand nodes from one moment of the log and return the ids of their proposals, in the same order."""
    settings = ExpansionSettings.from_dict(params.get("settings") or {})
    random_state = int(params.get("random_state") or 0)
    threads = int(params.get("threads") or os.cpu_count() or 1)
    wait_until_compiled("kernels", progress)
    project_embedding(project, settings, random_state=random_state, threads=threads, progress=Span(progress, 0.0, 0.4))
    sequence = project.sequence
    asked = [{**params, "node_id": node_id, "sequence": sequence} for node_id in node_ids]
    span = Span(progress, 0.4, 1.0)
    if len(asked) == 1 and not scheduler():
        found = _expanded(project, asked[0], span)
        return [_keep_first(project, found.proposal, found.evidence, sequence)]
    with project.working_place("expansions") as place:
        place.mkdir()
        return [_take_in(project, file, sequence) for file in do_pieces(project, "expand", asked, place, span)]


@piece("expand")
def expand_piece(project: Project, params: Mapping[str, Any], place: Path, progress: Progress) -> None:
    """Expand a node as `expand` would and write the proposal to a file, with its evidence."""
    found = _expanded(project, params, progress)
    metadata, arrays = _parts(found.proposal, found.evidence)
    with clear_errors("write", place):
        write_arrays(place, metadata, arrays)


def _take_in(project: Project, file: Path, sequence: int) -> int:
    from taxocom.expansion.proposals.proposal import NodeExpansion

    content = read_arrays(file)
    proposal = NodeExpansion.from_parts(content.metadata, content.arrays)
    return _keep_first(project, proposal, _evidence_in(content.metadata, content.arrays), sequence)


def _expanded(project: Project, params: Mapping[str, Any], progress: Progress) -> Expansion:
    """Expand a node as the log stood at a step; the project's vectors are there."""
    from taxocom.expansion.pipeline import expand_node
    from taxocom.store.projects.document_places import document_places, project_witnesses

    node_id, sequence = str(params["node_id"]), int(params["sequence"])
    settings = ExpansionSettings.from_dict(params.get("settings") or {})
    random_state = int(params.get("random_state") or 0)
    threads = int(params.get("threads") or os.cpu_count() or 1)
    embedding = project_embedding(
        project, settings, random_state=random_state, threads=threads, progress=Span(progress, 0.0, 0.0)
    )
    tree = project.taxonomy_at(sequence)
    corpus = project.corpus()
    places = document_places(project, at=sequence, progress=Span(progress, 0.0, 0.1))
    documents = places.documents_of(node_id)
    if len(documents) == 0:
        raise JobError(
            f"No document belongs to {tree[node_id].label!r}, so there is nothing to expand. "
            "Give the topic keywords that its documents use, or move documents to it."
        )
    return expand_node(
        corpus,
        tree,
        node_id,
        embedding,
        settings=settings,
        documents=documents,
        terms=_handed_down(project, tree, node_id) if settings.hand_down_terms else None,
        places=places.numbers,
        witnesses=project_witnesses(project),
        teaching=places.teaching(),
        curation=derive_curation(project.seed(), project.log()[:sequence]),
        random_state=random_state,
        threads=threads,
        draw_map=False,
        practise=True,
        progress=Span(progress, 0.1, 1.0),
    )


def _handed_down(project: Project, tree: Taxonomy, node_id: str) -> Ints1d | None:
    """Return the anchor terms of a topic by the newest expansion of the topic above; None, if that was not expanded."""
    from taxocom.expansion.proposals.proposal import NodeExpansion

    above = tree.parent_of(node_id)
    if above is None:
        return None
    fingerprint = project.corpus().fingerprint
    for record in project.proposals(above):
        stored = project.load_proposal(record.proposal_id)
        proposal = NodeExpansion.from_parts(stored.metadata, stored.arrays)
        terms = proposal.anchors_of(node_id) if proposal.corpus_fingerprint == fingerprint else None
        if terms is not None:
            return terms
    return None


def _keep_first(project: Project, proposal: NodeExpansion, evidence: NodeEvidence, sequence: int) -> int:
    """Store a proposal that was just made: its map is still to come."""
    return _keep(project, replace(proposal, map_to_come=map_name(proposal, evidence)), evidence, sequence)


def _keep(project: Project, proposal: NodeExpansion, evidence: NodeEvidence, sequence: int) -> int:
    """Store a proposal whole, with the evidence it can be split from again."""
    metadata, arrays = _parts(proposal, evidence)
    # A topic keeps the colour that it had in the proposal before this one.
    earlier = [record.summary.get("colours", {}) for record in project.proposals(proposal.node_id)[:1]]
    slots = kept_slots(proposal.node_id, *earlier) if earlier else {}
    colours = give_slots([cluster.cluster_id for cluster in proposal.clusters], slots)
    record = project.save_proposal(
        proposal.node_id,
        metadata,
        arrays,
        sequence=sequence,
        settings=proposal.settings,
        random_state=proposal.random_state,
        summary={
            "n_novel": len(proposal.novel),
            "n_documents": len(proposal.documents),
            "gap_before": proposal.gap_before.documents,
            "gap_after": proposal.gap_after.documents,
            "colours": colours,
        },
    )
    return record.proposal_id


def _parts(proposal: NodeExpansion, evidence: NodeEvidence) -> tuple[dict[str, Any], dict[str, Any]]:
    metadata, arrays = proposal.to_parts()
    metadata["children"] = list(evidence.children)
    arrays.update({EVIDENCE + name: array for name, array in evidence.to_arrays().items()})
    return metadata, arrays


def project_embedding(
    project: Project,
    settings: ExpansionSettings,
    *,
    random_state: int,
    threads: int,
    progress: Progress,
    keep: bool = True,
) -> TermEmbedding:
    """Return the project's pre-trained vectors, training them if the corpus or a setting changed since.

    Without `keep` those trained here do not take the place of the project's.
    """
    if not keep:
        return _trained(project, settings, random_state, threads, progress, keep=False)
    with _only_one_trains(project, progress):
        return _trained(project, settings, random_state, threads, progress, keep=True)


@contextmanager
def _only_one_trains(project: Project, progress: Progress) -> Iterator[None]:
    """Wait while another process makes the project's vectors: it will have them sooner than we."""
    while (held := try_lock(project.path / "vectors.lock")) is None:
        progress.report("Waiting for the vectors that are being trained", 0.0)
        time.sleep(_POLL_SECONDS)
    with held:
        yield


def train_ahead(path: Path, progress: Progress = SILENT) -> None:
    """Make the vectors of a project that was just read, so that its first expansion finds them.

    A person looks at the texts and the seed meanwhile. A large corpus is left alone: nobody asked for minutes of work.
    """
    with suppress(TaxocomError, OSError), Project(path) as project:
        if project.has_corpus and project.corpus().n_tokens <= _AHEAD_TOKENS:
            settings, threads = ExpansionSettings(), os.cpu_count() or 1
            project_embedding(project, settings, random_state=0, threads=threads, progress=progress)


def _trained(
    project: Project, settings: ExpansionSettings, random_state: int, threads: int, progress: Progress, *, keep: bool
) -> TermEmbedding:
    from taxocom.expansion.paper.embedding import TermEmbedding, pretrain

    corpus = project.corpus()
    shape = asdict(settings.embedding)
    # These say how a node's vectors are tuned, not how the project's are made.
    for name in ("local_epochs", "discriminative", "keywords_grown"):
        shape.pop(name)
    made_from = f"{corpus.fingerprint}/{random_state}/{sorted(shape.items())}"
    artifact = project.used_for(_EMBEDDING)
    if artifact is not None and artifact.made_from == made_from:
        kept = project.load_arrays(_EMBEDDING)
        if kept is not None:
            arrays = kept.arrays
            return TermEmbedding(
                arrays["terms"], arrays["contexts"], arrays["documents"], corpus.vocabulary.fingerprint
            )
    embedding = pretrain(corpus, settings.embedding, random_state=random_state, threads=threads, progress=progress)
    if not keep:
        return embedding
    project.save_arrays(
        _EMBEDDING,
        {"settings": asdict(settings.embedding), "random_state": random_state},
        {"terms": embedding.terms, "contexts": embedding.contexts, "documents": embedding.documents},
        made_from=made_from,
    )
    return embedding


def resplit(project: Project, proposal_id: int, overrides: Overrides) -> NodeExpansion:
    """Split a proposal's evidence again, without training: another threshold, count, pins, merges or splits.

    A group that had been left out and was accepted all the same stays, for its topic's documents are looked up here.
    """
    from taxocom.expansion.pipeline import propose
    from taxocom.expansion.proposals.proposal import hidden_topics
    from taxocom.store.projects.lexicon_files import find_lexicon

    evidence, metadata = _evidence(project, proposal_id)
    log = project.log()
    accepted = tuple(e.decision.cluster_id for e in effective(log) if isinstance(e.decision, AcceptTopic))
    split = propose(
        project.corpus(),
        project.taxonomy(),
        evidence,
        settings=ExpansionSettings.from_dict(metadata["settings"]),
        overrides=replace(overrides, included=(*overrides.included, *accepted)),
        curation=derive_curation(project.seed(), log),
        lexicon=find_lexicon(),
        random_state=int(metadata["random_state"]),
    )
    return replace(split, practice=hidden_topics(metadata), map_to_come=str(metadata.get("map_to_come", "")))


def keep_resplit(project: Project, proposal_id: int, overrides: Overrides) -> int:
    """Store a re-split as the node's proposal and return its id, so that decisions made on it find its documents."""
    evidence, _ = _evidence(project, proposal_id)
    return _keep(project, resplit(project, proposal_id, overrides), evidence, project.sequence)


def _evidence(project: Project, proposal_id: int) -> tuple[NodeEvidence, Mapping[str, Any]]:
    return _EVIDENCE_KEPT.get((project.path, proposal_id), lambda: _read_evidence(project, proposal_id))


def _read_evidence(project: Project, proposal_id: int) -> tuple[NodeEvidence, Mapping[str, Any]]:
    stored = project.load_proposal(proposal_id)
    return _evidence_in(stored.metadata, stored.arrays), stored.metadata


def _evidence_in(metadata: Mapping[str, Any], kept: Mapping[str, Any]) -> NodeEvidence:
    from taxocom.expansion.discovery.node_evidence import NodeEvidence

    arrays = {name.removeprefix(EVIDENCE): array for name, array in kept.items() if name.startswith(EVIDENCE)}
    if not arrays:
        raise JobError(
            "This proposal was kept without its evidence, so it cannot be split again. Expand the topic again."
        )
    return NodeEvidence.from_arrays(str(metadata["node_id"]), tuple(metadata["children"]), arrays)
