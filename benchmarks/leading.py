"""How long a person waits: for the card of a missing topic, for ten answers, for the questions worth a minute."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median

from taxocom.evaluation.scenarios import path_key, remove_topics, topic_paths
from taxocom.reading.files import read_seed
from taxocom.store import Project
from taxocom.store.homes.lifecycle import make_unlisted
from taxocom.store.projects.document_places import document_places, lay_ground
from taxocom.taxonomy.preflight import names_and_keywords
from taxocom.text.indexing import build_corpus
from taxocom.text.input.loading import sniff
from taxocom.workflow.missing_topic import MissedTopic, ask_about, missing_topic
from taxocom.workflow.questions import questions
from taxocom.workflow.splitting import parts_of
from taxocom.workflow.teaching import answers, ask_about_topic, topic_lesson
from taxocom.workflow.told_together import told_together

N_DOCUMENTS = 20_000
_MISSED = ("plasma", "cryptography", "finite groups")


def run(corpora: Path | None) -> str:
    """Measure on documents of arXiv; three times each, on names that nobody asked about before."""
    if corpora is None:
        return "No corpora were given: `python -m benchmarks --corpora DIR leading`."
    with tempfile.TemporaryDirectory() as folder, _project(corpora / "arxiv", Path(folder)) as project:
        rows = _measured(project)
    table = [f"| {what} | {median(seconds):.2f} | {max(seconds):.2f} |" for what, seconds in rows]
    head = f"{N_DOCUMENTS:,} documents of arXiv; three of its 41 topics are missing.\n"
    return "\n".join([head, "| | median, s | slowest, s |", "|---|---|---|", *table])


def _measured(project: Project) -> list[tuple[str, list[float]]]:
    found: dict[str, list[float]] = {}

    def timed(what: str, do: Callable[[], object]) -> None:
        started = time.perf_counter()
        do()
        found.setdefault(what, []).append(time.perf_counter() - started)

    # What every page that was open before has done already.
    document_places(project)
    questions(project)
    leaf = next(node.node_id for node in project.taxonomy().walk() if not project.taxonomy().children_of(node.node_id))
    for name in _MISSED:
        wish = MissedTopic(name)
        timed("from *I miss a topic* to its card", partial(missing_topic, project, wish))
        asked = [each.document_id for each in ask_about(project, wish)]
        timed("ten documents to judge", partial(ask_about, project, MissedTopic(name, words=("theory",))))
        timed("ten answers to a card", partial(missing_topic, project, wish.with_answers(asked[:5], asked[5:])))
    for _ in _MISSED:
        asked = [each.document_id for each in ask_about_topic(project, leaf)]
        decision = answers(project, leaf, asked[:3], asked[3:])
        timed("ten answers recorded", partial(project.record, decision, author="bench"))
        timed("what was learnt from them", lambda: topic_lesson(project, leaf))
        timed("the questions worth a minute", lambda: questions(project))
        timed("a split in three, shown", lambda: parts_of(project, leaf, 3))
    together = told_together(_MISSED)
    timed("three topics told at once", lambda: [missing_topic(project, wish) for wish in together])
    return list(found.items())


def _project(folder: Path, place: Path) -> Project:
    gold = read_seed(folder / "gold.tsv").taxonomy
    missed = [path for path in topic_paths(gold) if path[-1] in _MISSED]
    seed = remove_topics(gold, missed)
    known = {path_key(path) for path in topic_paths(gold)}
    source = sniff(next(each for each in sorted(folder.iterdir()) if each.name.startswith("docs.jsonl")))
    documents = list(islice((each for each in source.documents() if path_key(each.labels) in known), 8 * N_DOCUMENTS))
    chosen = random.Random(0).sample(documents, min(N_DOCUMENTS, len(documents)))

    def fill(project: Project) -> None:
        with project.working_place("corpus") as working:
            working.mkdir()
            report = build_corpus(chosen, working, seed_phrases=names_and_keywords(seed))
            project.use("corpus", project.publish_directory(working, "corpus", made_from=report.fingerprint))
        lay_ground(project)

    return make_unlisted(place, seed=seed, fill=fill)
