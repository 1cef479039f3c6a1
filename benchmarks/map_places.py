"""Whether topics lie apart on the map: of a document's ten nearest neighbours there, how many are of its own topic.

Each corpus is made a project and its root expanded; what is proposed is accepted (of bbc two topics are named instead,
as its proposal is one for both). A topic is told by the tree, and by the labels of the corpus, which the map never saw.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
from scipy.spatial import cKDTree

from taxocom.expansion.describe import node_map
from taxocom.expansion.pipeline import _counted
from taxocom.expansion.proposals import accepting
from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.interchange import read_seed
from taxocom.jobs.expand_task import _evidence, expand
from taxocom.jobs.map_task import draw_maps
from taxocom.numerics.arrays import UNASSIGNED
from taxocom.progress import SILENT
from taxocom.store import Project
from taxocom.store.homes.sample import sample_corpus, sample_seed
from taxocom.store.projects.corpus_reading import CorpusReading
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import judged_clusters
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.workflow.missing_topic import MissedTopic, missing_topic
from taxocom.workflow.new_project import build_project
from taxocom.workflow.node_picture import NodePicture, node_picture
from taxocom.workflow.open_proposals import load_expansion

NEIGHBOURS = 10
BAR = 0.8
MOST = 20_000
WEIGHTS = (None, 0.0, 0.3, 0.5, 0.7)
"""None leaves the target out; UMAP lets it count for a good deal even at 0."""


@dataclass(frozen=True)
class Case:
    """A corpus with its seed, and the topics that a person names instead of accepting what is proposed."""

    name: str
    seed: Taxonomy
    source: Path
    gold: Mapping[str, str]
    named: tuple[str, ...] = ()


@dataclass(frozen=True)
class Looked:
    """A proposal, what the map shows of it once it was judged, and which groups were accepted."""

    expansion: NodeExpansion
    picture: NodePicture
    accepted: frozenset[int]


HEAD = ("corpus", "documents", "accepted topics", "all", "accepted, by label", "all, by label", "terms", "expansion")


def run(corpora: Path | None = None) -> str:
    """Measure all corpora there are and return the tables."""
    rows, weights = [], []
    with tempfile.TemporaryDirectory(prefix="taxocom-places-") as folder:
        os.environ["TAXOCOM_HOME"] = str(Path(folder) / "home")
        for case in [_sample(), *(_cases(corpora, Path(folder)) if corpora else ())]:
            row, by_weight = measured(case)
            rows.append(row)
            weights += by_weight
    said = "Share of the ten nearest on the map that are of its own topic, of documents and, in the last, of terms."
    return "\n\n".join(
        [
            f"{said} Bar: {BAR} for documents of accepted topics on bbc.",
            _table(HEAD, rows),
            "## How much the clusters' word counts (`_TARGET_WEIGHT`)",
            _table(("corpus", "weight", "all, by topic", "all, by label", "laid out in"), weights),
        ]
    )


def measured(case: Case) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the row of a corpus, and of some corpora those with other weights of the target."""
    project = build_project(case.name, case.seed, CorpusReading(str(case.source)), progress=SILENT).project
    with project:
        start = time.perf_counter()
        draw_maps(project, expand(project, {"threads": os.cpu_count()}, SILENT), SILENT)
        seconds = time.perf_counter() - start
        looked = _judged(project, case)
        weights = _by_weight(project, case, looked) if case.name in ("bbc", "20news") else []
        return (case.name, *_shares(project, case, looked), f"{seconds:.0f} s"), weights


def _sample() -> Case:
    return Case("sample", read_seed(sample_seed()).taxonomy, sample_corpus(SILENT), {})


def _cases(corpora: Path, folder: Path) -> list[Case]:
    bbc = Taxonomy.empty()
    for label in ("business", "politics", "sport"):
        bbc = bbc.with_topic(TopicNode(topic_id(label), label), ROOT_ID)
    seeds = {name: read_seed(corpora / name / "seed_a.tsv").taxonomy for name in ("20news", "arxiv")}
    seeds["bbc"] = bbc
    found = []
    for name in ("bbc", "20news", "arxiv"):
        rows = _rows(corpora / name)
        step = max(1, -(-len(rows) // MOST))
        path = folder / f"{name}.jsonl"
        path.write_text("\n".join(json.dumps({"id": row["id"], "text": row["text"]}) for row in rows[::step]))
        gold = {str(row["id"]): str(row["labels"][0]) for row in rows}
        named = ("technology", "entertainment") if name == "bbc" else ()
        found.append(Case(name, seeds[name], path, gold, named))
    return found


def _rows(folder: Path) -> list[dict[str, list[str]]]:
    path = next(folder.glob("docs.jsonl.*"))
    with (gzip if path.suffix == ".gz" else lzma).open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _judged(project: Project, case: Case) -> Looked:
    record = project.proposals(ROOT_ID)[0]
    expansion = load_expansion(project, record.proposal_id)
    before = {node.node_id for node in project.taxonomy().children_of(ROOT_ID)}
    if case.named:
        for name in case.named:
            project.record_all(missing_topic(project, MissedTopic(name)).decisions(), author="Ada")
        project.record_all([accepting.reject(each, ROOT_ID) for each in expansion.novel], author="Ada")
    else:
        project.record_all([accepting.accept(each, ROOT_ID) for each in expansion.novel], author="Ada")
    settled = judged_clusters(project.log())
    picture = node_picture(expansion, document_places(project), settled=settled, names={}, slots={})
    accepted = frozenset(number for number, group in enumerate(picture.groups) if group.group_id not in before)
    return Looked(expansion, picture, accepted)


def _shares(project: Project, case: Case, looked: Looked) -> tuple[str, ...]:
    documents, topics = looked.expansion.documents, looked.picture.documents
    near = _neighbours(documents.xy)
    accepted = np.isin(topics, list(looked.accepted))
    own = (topics[near] == topics[:, None]).mean(axis=1)
    by_label = np.full(len(own), np.nan)
    if case.gold:
        labels = _labels(project, case, looked.expansion)
        by_label = (labels[near] == labels[:, None]).mean(axis=1)
    terms = np.flatnonzero(looked.picture.terms >= 0)
    of_terms = looked.picture.terms[terms]
    near_terms = _neighbours(looked.expansion.terms.xy[terms])
    figures = (
        own[accepted].mean(),
        own.mean(),
        by_label[accepted].mean(),
        by_label.mean(),
        (of_terms[near_terms] == of_terms[:, None]).mean(),
    )
    return (f"{len(documents):,}", *("–" if np.isnan(each) else f"{each:.3f}" for each in figures))


def _labels(project: Project, case: Case, expansion: NodeExpansion) -> np.ndarray:
    ids = project.corpus().document_ids
    return np.unique([case.gold[ids[int(row)]] for row in expansion.documents.documents], return_inverse=True)[1]


def _neighbours(xy: np.ndarray) -> np.ndarray:
    # A point is its own nearest; where several lie on one place, any of them may be.
    return np.asarray(cKDTree(xy).query(xy, k=NEIGHBOURS + 1)[1])[:, 1:]


def _by_weight(project: Project, case: Case, looked: Looked) -> list[tuple[str, ...]]:
    corpus, expansion = project.corpus(), looked.expansion
    evidence, _ = _evidence(project, project.proposals(ROOT_ID)[0].proposal_id)
    counts, labels = _counted(corpus, evidence).counts, _labels(project, case, expansion)
    clusters = expansion.documents.cluster
    rows = []
    for weight in WEIGHTS:
        with mock.patch.object(node_map, "_TARGET_WEIGHT", weight or 0.0):
            start = time.perf_counter()
            target = clusters if weight is not None else np.full_like(clusters, UNASSIGNED)
            xy = node_map.lay_out(counts, evidence.vectors, target, expansion.terms.cluster).documents
            seconds = time.perf_counter() - start
        near = _neighbours(xy)
        shares = [(each[near] == each[:, None]).mean() for each in (clusters, labels)]
        rows.append(
            (
                case.name,
                "no target" if weight is None else f"{weight}",
                *(f"{share:.3f}" for share in shares),
                f"{seconds:.1f} s",
            )
        )
    return rows


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
