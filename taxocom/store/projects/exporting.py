"""What a project can say in an export beyond its tree: decisions, evidence, documents and the map."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import numpy as np

from taxocom.expansion.proposals.accepting import accepted_topic, fitting_parent, topic_of
from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.interchange.base.context import (
    DEFAULT_BASE,
    DocumentAssignment,
    ExportContext,
    MapPoint,
    TopicEvidence,
    with_proposed,
    with_rejected,
)
from taxocom.store.db.attachments import KIND, Attachments
from taxocom.store.db.records import ProposalRecord, Release
from taxocom.store.disk.clock import Clock, stamp, utc_now
from taxocom.store.disk.whole_files import clear_errors
from taxocom.store.projects.document_places import document_places, repeats
from taxocom.store.projects.project import Project
from taxocom.store.projects.topic_timeline import timeline_if_any
from taxocom.taxonomy.curation import derive_curation, kept_name
from taxocom.taxonomy.tree import ROOT_ID, Status, Taxonomy, TopicNode


@dataclass(frozen=True)
class ProjectExport:
    """A tree as it goes out and what is said along with it: what `interchange.export` and `write_bundle` take."""

    taxonomy: Taxonomy
    context: ExportContext


def export_of(
    project: Project,
    *,
    release: str | None = None,
    statuses: Collection[Status] = frozenset[Status]({"approved"}),
    base_uri: str = DEFAULT_BASE,
    author: str = "",
    clock: Clock = utc_now,
) -> ProjectExport:
    """Collect what an export of a project needs; with `release` the tree and the log are those of that release.

    Topics that nobody has judged yet, and clusters that were rejected, come in only if their status is asked for.
    """
    frozen = project.release(release) if release else None
    sequence = frozen.sequence if frozen else project.sequence
    tree = frozen.taxonomy if frozen else project.taxonomy_at(sequence)
    log = project.log(up_to=sequence)
    kept = collect(project, tree, sequence) if frozen is None else release_attachments(project, frozen)
    seed = project.seed().titled(kept.title)
    context = ExportContext(
        statuses=frozenset(statuses),
        base_uri=base_uri,
        author=author,
        # A release is exported unchanged: its date is the day it was frozen.
        generated=stamp(clock()) if frozen is None else frozen.at,
        version=release or "",
        seed=seed,
        log=log,
        evidence=kept.evidence,
        documents=kept.documents,
        map_points=kept.map_points,
        timeline=kept.timeline,
    )
    tree = kept.counted(tree)
    if "proposed" in statuses:
        for node_id, topics in kept.proposed.items():
            tree = with_proposed(tree, node_id, topics)
    if "rejected" in statuses:
        tree = with_rejected(tree, derive_curation(seed, log))
    return ProjectExport(tree, context)


def collect(project: Project, tree: Taxonomy, sequence: int) -> Attachments:
    """Collect what the tree of a step goes out with, as the project has it now."""
    proposals = _Proposals(project, tree, sequence)
    return Attachments(
        title=project.seed().root.label,
        counts=document_places(project, at=sequence).counts() if project.has_corpus else None,
        evidence=dict(proposals.evidence()),
        documents=tuple(_documents(project, sequence)),
        map_points=tuple(proposals.map_points(project)),
        proposed=proposals.undecided(),
        timeline=timeline_if_any(project, at=sequence),
    )


def release_attachments(project: Project, release: Release) -> Attachments:
    """Return what a release was frozen with; one from before they were kept gets them now, and keeps those."""
    purpose = f"{KIND}/{release.name}"
    used = project.used_for(purpose)
    name = release.artifact or (used.name if used else "")
    if not name:
        found = collect(project, release.taxonomy, release.sequence)
        project.use(purpose, project.put_bytes(found.to_bytes(), KIND, extension="json.gz"))
        return found
    path = project.artifact_path(name)
    with clear_errors("read", path):
        return Attachments.from_bytes(path.read_bytes(), f"What release {release.name!r} was frozen with")


@dataclass
class _Proposals:
    """The newest proposal of every topic of a tree."""

    project: Project
    tree: Taxonomy
    sequence: int
    newest: dict[str, tuple[ProposalRecord, NodeExpansion]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for record in self.project.proposals():
            if record.node_id in self.tree and record.node_id not in self.newest:
                stored = self.project.load_proposal(record.proposal_id)
                expansion = NodeExpansion.from_parts(stored.metadata, stored.arrays)
                self.newest[record.node_id] = (record, expansion)

    def topics(self, node_id: str) -> list[str | None]:
        """Return the topic that each cluster of a node's proposal is in the tree, None for one that is not a topic."""
        _, expansion = self.newest[node_id]
        return [topic_of(cluster.cluster_id, node_id, self.tree) for cluster in expansion.clusters]

    def evidence(self) -> Iterator[tuple[str, TopicEvidence]]:
        for node_id, (record, expansion) in self.newest.items():
            for index, topic in enumerate(self.topics(node_id)):
                if topic is None:
                    continue
                cluster = expansion.clusters[index]
                novelty = expansion.terms.novelty[expansion.terms.cluster == index]
                yield (
                    topic,
                    TopicEvidence(
                        passages=cluster.passages,
                        novelty=float(np.mean(novelty)) if len(novelty) else None,
                        distinctness=cluster.distinctness,
                        stability=cluster.stability,
                        settings=dict(expansion.settings),
                        random_state=expansion.random_state,
                        corpus_fingerprint=expansion.corpus_fingerprint,
                        proposed_at=record.created_at,
                    ),
                )

    def undecided(self) -> dict[str, list[TopicNode]]:
        """Return the topics that open proposals would add, by the topic that each would go under.

        They are neither accepted nor rejected so far.
        """
        if not any(record.status == "open" for record, _ in self.newest.values()):
            return {}
        project, is_now = self.project, self.sequence == self.project.sequence
        log = project.log(up_to=self.sequence)
        curation = project.curation() if is_now else derive_curation(project.seed(), log)
        found: dict[str, list[TopicNode]] = {}
        for node_id, (record, expansion) in self.newest.items():
            gone = {cluster.cluster_id for cluster in curation.rejected.get(node_id, ())}
            if record.status != "open":
                continue
            for cluster, topic in zip(expansion.clusters, self.topics(node_id), strict=True):
                if topic is None and cluster.kind == "novel" and cluster.cluster_id not in gone:
                    parent = fitting_parent(cluster, node_id, self.tree)
                    terms = [anchor.term for anchor in cluster.anchors]
                    name = kept_name(curation.names.get(node_id, ()), cluster.center_term, terms)
                    found.setdefault(parent, []).append(accepted_topic(cluster, node_id, name or cluster.label))
        return found

    def map_points(self, project: Project) -> Iterator[MapPoint]:
        if ROOT_ID not in self.newest or not project.has_corpus:
            return
        _, expansion = self.newest[ROOT_ID]
        vocabulary = project.corpus().vocabulary
        if vocabulary.fingerprint != expansion.vocabulary_fingerprint or expansion.map_to_come:
            return
        topics = self.topics(ROOT_ID)
        for row, term_id in enumerate(expansion.terms.term_ids):
            index = int(expansion.terms.cluster[row])
            x, y = expansion.terms.xy[row]
            yield MapPoint(float(x), float(y), vocabulary.terms[term_id], (topics[index] if index >= 0 else "") or "")


def _documents(project: Project, sequence: int) -> Iterator[DocumentAssignment]:
    """Say where every document was after a step; one read as a repetition is where the one it repeats is."""
    if not project.has_corpus:
        return
    corpus = project.corpus()
    places = document_places(project, at=sequence)
    titles = corpus.titles
    rows = {document_id: row for row, document_id in enumerate(corpus.document_ids)}
    rows |= {document_id: rows[first] for document_id, first in repeats(project).items() if first in rows}
    for document_id, row in rows.items():
        score = float(places.scores[row])
        title = titles[row] if len(titles) else ""
        yield DocumentAssignment(document_id, places.node_of(row), None if np.isnan(score) else score, title)
