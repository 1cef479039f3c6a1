"""How long a taxonomy of 5,000 topics takes out and in, in every format, and whether it comes back equal."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from taxocom.errors import DecisionError
from taxocom.expansion.proposals.proposal import Passage
from taxocom.interchange import (
    FORMATS,
    DocumentAssignment,
    ExportContext,
    MapPoint,
    TopicEvidence,
    check_integrity,
    compare,
    export,
    replay_bundle,
    write_bundle,
)
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Taxonomy, TopicNode, topic_id

N_TOPICS, N_DECISIONS, N_DOCUMENTS, N_TERMS = 5_000, 2_000, 20_000, 25_000
BAR_SECONDS = 5.0
LABELS_ONLY = ("tsv", "markdown")

Result = TypeVar("Result")


@dataclass(frozen=True)
class _Seconds:
    clock: float
    core: float

    def __str__(self) -> str:
        return f"{self.clock:.2f} ({self.core:.2f})"


@dataclass(frozen=True)
class _Sample:
    tree: Taxonomy
    context: ExportContext


def run(corpora: Path | None = None) -> str:
    """Measure and return a Markdown table; the corpora are not needed."""
    del corpora
    sample = _sample()
    lines = [
        f"{N_TOPICS:,} topics, {N_DECISIONS:,} decisions, {N_DOCUMENTS:,} documents. Bar: {BAR_SECONDS:g} s a format.",
        "",
        "Seconds on the clock, and of one core in brackets: the clock suffers from whoever else is busy.",
        "",
        "| format | bytes | out | in | comes back |",
        "|---|---:|---:|---:|---|",
    ]
    for name, entry in FORMATS.items():
        written, out = _timed(lambda name=name: export(sample.tree, name, sample.context))
        back, verdict = "", "goes out only"
        if entry.readable:
            document, took = _timed(lambda entry=entry, written=written: entry.read(written))
            back = str(took)
            verdict = _verdict(sample.tree, document.taxonomy, name)
        late = "" if out.clock < BAR_SECONDS else " **over the bar**"
        lines.append(f"| {entry.title} | {len(written):,} | {out}{late} | {back} | {verdict} |")
    bundle, out = _timed(lambda: write_bundle(sample.tree, sample.context))
    result, took = _timed(lambda: replay_bundle(bundle))
    verdict = "rebuilt equal" if result.matches else "**differs**"
    lines.append(f"| Bundle of all of it | {len(bundle):,} | {out} | {took} | {verdict} |")
    return "\n".join([*lines, "", *_others(sample)])


def _others(sample: _Sample) -> list[str]:
    seed = sample.context.seed or sample.tree
    _, replayed = _timed(lambda: d.replay(seed, sample.context.log))
    _, told = _timed(lambda: d.history(seed, sample.context.log))
    _, checked = _timed(lambda: check_integrity(sample.tree, sample.context))
    _, compared = _timed(lambda: compare(seed, sample.tree))
    return [
        "| besides | took |",
        "|---|---:|",
        f"| replay of the log | {replayed} |",
        f"| history in words | {told} |",
        f"| integrity checks | {checked} |",
        f"| difference from the seed | {compared} |",
    ]


def _verdict(tree: Taxonomy, read: Taxonomy, name: str) -> str:
    if name not in LABELS_ONLY:
        return "equal" if read == tree else "**differs**"
    same = _outline(read, name) == _outline(tree, name)
    return f"equal in {'labels' if name == 'tsv' else 'labels, keywords'} and order" if same else "**differs**"


def _outline(tree: Taxonomy, name: str) -> list[tuple[object, ...]]:
    return [(tree.path_of(n.node_id), n.keywords if name == "markdown" else ()) for n in tree.walk()]


def _timed(work: Callable[[], Result]) -> tuple[Result, _Seconds]:
    clock, core = time.perf_counter(), time.process_time()
    result = work()
    return result, _Seconds(time.perf_counter() - clock, time.process_time() - core)


def _sample() -> _Sample:
    rng = random.Random(7)
    words = [f"word{number}" for number in range(4_000)]
    nodes = {ROOT_ID: TopicNode(ROOT_ID, "Everything")}
    children: dict[str, tuple[str, ...]] = {}
    ids = [ROOT_ID]
    for number in range(N_TOPICS):
        parent = ids[0] if number < 12 else rng.choice(ids[1 : max(13, len(ids) // 4)])
        node_id = topic_id("benchmark", str(number))
        anchors = tuple(AnchorTerm(word, *(rng.random() for _ in range(5))) for word in rng.sample(words, 8))
        nodes[node_id] = TopicNode(
            node_id,
            f"Topic {number} {rng.choice(words)}",
            rng.choice(words),
            keywords=tuple(rng.sample(words, 5)),
            anchors=anchors,
            origin="novel" if number % 3 else "seed",
            alt_labels=tuple(rng.sample(words, 2)),
            definition=" ".join(rng.choices(words, k=20)),
            scope_note=" ".join(rng.choices(words, k=10)),
            notation=str(number),
            notes=(" ".join(rng.choices(words, k=8)),),
            n_documents=rng.randrange(1_000),
            concentration=rng.random() * 100,
        )
        children[parent] = (*children.get(parent, ()), node_id)
        ids.append(node_id)
    seed = Taxonomy(nodes, children)
    log = _log(seed, ids, rng)
    tree = d.replay(seed, log)
    return _Sample(tree, _context(seed, tree, log, words, rng))


def _log(seed: Taxonomy, ids: list[str], rng: random.Random) -> list[d.LoggedDecision]:
    timeline, log = d.Timeline(seed), []
    for number in range(10 * N_DECISIONS):
        one, other = rng.choice(ids), rng.choice(ids)
        choices: list[d.Decision] = [
            d.RenameTopic(one, f"Renamed {number}"),
            d.MoveTopic(one, other),
            d.EditDefinition(one, f"Definition {number}"),
            d.AddNote(one, f"Note {number}"),
            d.MoveTerms(one, ("word1", "word2"), "general"),
            d.Undo(2),
            d.Redo(),
        ]
        entry = d.LoggedDecision(len(log), rng.choice(choices), "Ada", "2026-11-16T10:00:00Z")
        try:
            timeline.record(entry)
        except DecisionError:
            continue
        log.append(entry)
        if len(log) == N_DECISIONS:
            break
    return log


def _context(
    seed: Taxonomy, tree: Taxonomy, log: list[d.LoggedDecision], words: list[str], rng: random.Random
) -> ExportContext:
    topics = [node.node_id for node in tree.walk()]
    passage = Passage("d1", " ".join(words[:30]), ((0, 5),))
    return ExportContext(
        generated="2026-11-16T10:00:00Z",
        seed=seed,
        log=log,
        evidence={
            node_id: TopicEvidence((passage,) * 3, 0.5, 0.4, 0.3, {"beta": 2.0}, 7, "f00", "2026-11-16T10:00:00Z")
            for node_id in topics[:1_000]
        },
        documents=[
            DocumentAssignment(f"d{i}", rng.choice(topics), rng.random(), "A title") for i in range(N_DOCUMENTS)
        ],
        map_points=[MapPoint(rng.random(), rng.random(), "term", rng.choice(topics)) for _ in range(N_TERMS)],
    )
