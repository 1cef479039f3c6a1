"""A corpus that grows as it did in life: abstracts of arXiv month after month, and a tree that lacks three topics.

The older half is read first, with a seed without the three topics that have the smallest part of their documents in
it; the rest comes in ten batches. After each reading the topics above the hidden ones are expanded. Beside it stand a
project made of everything at once, and two whose documents come in the same ten batches in shuffled order.
"""

from __future__ import annotations

import os
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.growing import places_of, read_first
from benchmarks.tagging import read_rows, tree_of
from taxocom.expansion.proposals.proposal import Overrides, TopicCluster
from taxocom.interchange.base.timeline_data import TopicLine
from taxocom.jobs.expand_task import expand, resplit
from taxocom.progress import SILENT
from taxocom.store import Project, create_project
from taxocom.store.projects.batches import NewTexts, append_batch
from taxocom.store.projects.document_places import document_places
from taxocom.store.projects.topic_timeline import periods_if_any, timeline
from taxocom.taxonomy.decisions import EditKeywords
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.input.documents import Document
from taxocom.workflow.node_picture import with_counts
from taxocom.workflow.open_proposals import load_expansion

N_DOCUMENTS = 8_000
N_BATCHES = 10
N_HIDDEN = 3
PASSED = 30
FOUND = 0.5
_SHUFFLES = 2
_NEW_ID = re.compile(r"(\d\d)(\d\d)\.\d+")
_OLD_ID = re.compile(r"[a-z-]+(?:\.[A-Za-z-]+)?/?(\d\d)(\d\d)\d+")
_FIRST_YEAR = 91


@dataclass(frozen=True)
class Dated:
    """Documents in the order of their months, what each is about, and the complete tree."""

    documents: list[Document]
    gold: Mapping[str, tuple[str, ...]]
    tree: Taxonomy

    @property
    def parts(self) -> list[slice]:
        """The older half, and ten parts of the rest."""
        half, n = len(self.documents) // 2, len(self.documents)
        ends = [half + (n - half) * number // N_BATCHES for number in range(N_BATCHES + 1)]
        return [slice(0, half), *(slice(*pair) for pair in pairwise(ends))]

    def hidden(self) -> list[tuple[str, ...]]:
        """The leaves with the smallest part of their documents in the older half."""
        older, whole = Counter(self.gold[each.document_id] for each in self.documents[self.parts[0]]), self.gold
        sizes = Counter(whole[each.document_id] for each in self.documents)
        leaves = [path for path in sizes if len(path) > 1]
        return sorted(leaves, key=lambda path: (older[path] / sizes[path], path))[:N_HIDDEN]


def run(corpora: Path | None = None) -> str:
    """Measure on arXiv and return the tables."""
    if corpora is None:
        return "No corpora were given: `make bench CORPORA=folder NAMES=date_order`."
    dated = read_dated(corpora / "arxiv", N_DOCUMENTS)
    hidden = dated.hidden()
    seed = _without(dated.tree, hidden)
    first = dated.documents[dated.parts[0]]
    lines = [
        f"{len(dated.documents):,} abstracts drawn at random, {first[0].date} to {dated.documents[-1].date}; the first "
        f"{len(first):,} reach to {first[-1].date}. Hidden: {', '.join(path[-1] for path in hidden)}.",
        "## When hidden topics are proposed",
        _found_by_date(dated, seed, hidden),
        "## Tags after ten batches, beside those of a project made of everything at once",
        _agreement(dated, seed),
        "## Tables with a flag where batches are shuffled",
        _shuffled(dated, seed),
    ]
    return "\n\n".join(lines)


def month_of(document_id: str) -> str:
    """Return the month that an id of arXiv carries, as 2014-05."""
    found = _NEW_ID.match(document_id) or _OLD_ID.match(document_id)
    if found is None:
        return ""
    year, month = int(found[1]), found[2]
    return f"{1900 + year if year >= _FIRST_YEAR else 2000 + year}-{month}"


def read_dated(folder: Path, n_documents: int) -> Dated:
    """Draw documents of a corpus whose ids carry the month, and put them in its order."""
    rows = [row for row in read_rows(folder) if month_of(row["id"])]
    rows = random.Random(11).sample(rows, n_documents)
    rows.sort(key=lambda row: (month_of(row["id"]), row["id"]))
    documents = [Document(row["id"], row["text"], date=month_of(row["id"])) for row in rows]
    return Dated(documents, {row["id"]: tuple(row["labels"]) for row in rows}, tree_of(folder))


def _without(tree: Taxonomy, hidden: Sequence[tuple[str, ...]]) -> Taxonomy:
    for path in hidden:
        tree = tree.without(tree.find(path).node_id)
    return tree


@contextmanager
def _project(seed: Taxonomy) -> Iterator[Project]:
    with tempfile.TemporaryDirectory(prefix="taxocom-date-order-") as home:
        os.environ["TAXOCOM_HOME"] = home
        with create_project("growing", seed=seed) as project:
            yield project


def _grow(project: Project, dated: Dated, documents: Sequence[Document], after: Callable[[int], None]) -> None:
    """Read the first half and add the rest in ten batches; `after` each reading it is told the number."""
    for number, part in enumerate(dated.parts):
        if number == 0:
            read_first(project, documents[part])
        else:
            append_batch(project, NewTexts(documents[part], True), name=f"batch {number}", progress=SILENT)
        after(number)


@dataclass
class _Watched:
    """What was seen of the hidden topics while texts came in; readings are counted from 0, the first one."""

    hidden: Sequence[tuple[str, ...]]
    sizes: Counter[tuple[str, ...]]
    passed: dict[tuple[str, ...], int]
    found: dict[tuple[str, ...], tuple[int, float, str]]
    best: dict[tuple[str, ...], tuple[float, str]]
    others: list[int]

    def look(self, project: Project, dated: Dated, number: int) -> None:
        """Expand the topics above hidden ones, and note what is proposed and what is left out."""
        self.sizes.update(dated.gold[each.document_id] for each in dated.documents[dated.parts[number]])
        for path in self.hidden:
            if self.sizes[path] >= PASSED:
                self.passed.setdefault(path, number)
        tree = project.taxonomy()
        self.others.append(0)
        for node_id in dict.fromkeys(tree.find(path[:-1]).node_id for path in self.hidden):
            proposal_id = int(expand(project, {"node_id": node_id}, SILENT)["proposal_id"])
            for f1, path, cluster, reason in self._groups(project, dated, proposal_id):
                if not reason and f1 >= FOUND:
                    self.found.setdefault(path, (number, f1, cluster.since))
                elif not reason:
                    self.others[-1] += 1
                if f1 > self.best.get(path, (0.0, ""))[0]:
                    self.best[path] = (f1, f"{_reading(number)}: {reason or 'proposed'}")

    def _groups(
        self, project: Project, dated: Dated, proposal_id: int
    ) -> Iterator[tuple[float, tuple[str, ...], TopicCluster, str]]:
        """Yield the groups that were found, with the hidden topic that each is nearest to, and why it was left out."""
        left_out = {each.cluster_id: each.reason for each in load_expansion(project, proposal_id).left_out}
        expansion = with_counts(
            resplit(project, proposal_id, Overrides(included=tuple(left_out))),
            document_places(project),
            periods_if_any(project),
        )
        ids = project.corpus().document_ids
        gold = [dated.gold[each] for each in ids]
        for number, cluster in enumerate(expansion.clusters):
            if cluster.kind == "known":
                continue
            own = expansion.documents.documents[expansion.documents.cluster == number]
            of = Counter(gold[row] for row in own.tolist())
            sizes = {path: self.sizes[path] for path in self.hidden}
            f1, path = max((2 * of[each] / max(len(own) + sizes[each], 1), each) for each in self.hidden)
            yield f1, path, cluster, left_out.get(cluster.cluster_id, "")


def _found_by_date(dated: Dated, seed: Taxonomy, hidden: Sequence[tuple[str, ...]]) -> str:
    seen = _Watched(hidden, Counter(), {}, {}, {}, [])
    with _project(seed) as project:
        _grow(project, dated, dated.documents, lambda number: seen.look(project, dated, number))
    header = (
        "hidden topic", "documents in all", "thirty of them by", f"proposed (F1 of {FOUND} or more) after", "F1 then",
        "what the card says", "nearest group of all readings: F1, and what became of it",
    )  # fmt: skip
    rows = []
    for path in hidden:
        number, f1, since = seen.found.get(path, (-1, 0.0, ""))
        best, what = seen.best.get(path, (0.0, ""))
        cells = (f"{seen.sizes[path]:,}", _reading(seen.passed.get(path, -1)), _reading(number), f"{f1:.2f}", since)
        rows.append((" / ".join(path), *cells, f"{best:.2f}, {what}"))
    others = ", ".join(map(str, seen.others))
    return f"{_table(header, rows)}\n\nProposed after each reading without being a hidden topic: {others}."


def _reading(number: int) -> str:
    return "never" if number < 0 else f"batch {number}" if number else "the first reading"


def _agreement(dated: Dated, seed: Taxonomy) -> str:
    places = []
    for decided in (False, True):
        with _project(seed) as project:
            _grow(project, dated, dated.documents, lambda number, of=project, d=decided: _decide(of, number, d))
            places.append(places_of(project))
    with _project(seed) as project:
        read_first(project, dated.documents)
        at_once = places_of(project)
    rows = []
    parts = ("all", slice(None)), ("the older half", dated.parts[0]), ("the last batch", dated.parts[-1])
    for said, part in parts:
        ids = [each.document_id for each in dated.documents[part]]
        agree = [f"{np.mean([of[each] == at_once[each] for each in ids]):.3f}" for of in places]
        right = [
            f"{np.mean([seed.path_of(of[each]) == dated.gold[each] for each in ids]):.3f}" for of in (*places, at_once)
        ]
        rows.append((said, f"{len(ids):,}", *agree, " / ".join(right)))
    header = (
        "documents", "number", "at the topic they have at once: nothing decided", "a decision after the first reading",
        "at the right topic: nothing decided / decided / at once",
    )  # fmt: skip
    return _table(header, rows)


def _decide(project: Project, number: int, decided: bool) -> None:
    """After the first reading take a decision that moves nothing: from then on tags stay."""
    if number == 0 and decided:
        node = next(iter(project.taxonomy().walk()))
        project.record(EditKeywords(node.node_id, ("paper",)), author="benchmark")


def _shuffled(dated: Dated, seed: Taxonomy) -> str:
    rows = []
    for decided in (False, True):
        tables: list[list[TopicLine]] = []
        for shuffle in range(_SHUFFLES):
            documents = random.Random(shuffle).sample(dated.documents, len(dated.documents))
            with _project(seed) as project:

                def after(number: int, of: Project = project, d: bool = decided, to: list = tables) -> None:
                    _decide(of, number, d)
                    if number:
                        to.append(timeline(of, by="batch").flagged())

                _grow(project, dated, documents, after)
        said = Counter(f"{line.path[-1]} {line.flag}" for each in tables for line in each)
        n_flagged = sum(bool(each) for each in tables)
        what = "after a decision" if decided else "nothing decided"
        rows.append((what, f"{len(tables)}", f"{n_flagged}", ", ".join(said) or "none"))
    return _table(("tags", "tables", "with a flag", "which"), rows)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
