"""Letting simulated people work on a corpus with labels: a project is made for each, out of sight of the home."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from taxocom.evaluation.scenarios import Scenario, TopicPath, path_key
from taxocom.evaluation.simulated_curator import PER_TOPIC, ByHand, Curator, CuratorRun, Measure, name_and_answers
from taxocom.progress import SILENT, Progress, Span
from taxocom.settings import TextSettings
from taxocom.store import Project
from taxocom.store.homes.lifecycle import make_unlisted
from taxocom.store.projects.document_places import lay_ground
from taxocom.taxonomy.preflight import names_and_keywords
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document
from taxocom.workflow.curator_bench import ProjectBench

Person = Literal["by hand", "names", "curator"]
PEOPLE: tuple[Person, ...] = ("by hand", "names", "curator")
"""Names one by one and nothing else; names together, answers and questions; the same after a look at the proposals."""

_BUDGET = 2 * PER_TOPIC


@dataclass(frozen=True)
class CuratorTask:
    """A scenario with the documents that take part, read as `settings` say."""

    scenario: Scenario
    documents: Sequence[Document]
    settings: TextSettings | None = None
    random_state: int = 0


def run_person(task: CuratorTask, person: Person, progress: Progress = SILENT) -> CuratorRun:
    """Let a person spend twice the gestures within which the topics should be in the tree."""
    with _project(task, Span(progress, 0.0, 0.5)) as project:
        bench = ProjectBench(project, random_state=task.random_state, progress=Span(progress, 0.5, 1.0))
        labels = _labels(project)
        measure = Measure(bench, task.scenario, labels, _BUDGET * len(task.scenario.removed))
        if person == "by hand":
            ByHand(bench, labels, task.scenario, measure).work()
        else:
            Curator(bench, labels, task.scenario, measure, proposals=person == "curator").work()
        return measure.run(task.scenario.name, person)


def run_answers(task: CuratorTask, n_answers: int, progress: Progress = SILENT) -> CuratorRun:
    """Let a person name the one topic that is missing, and answer so often before it is added."""
    with _project(task, progress) as project:
        bench, labels = ProjectBench(project), _labels(project)
        measure = Measure(bench, task.scenario, labels, n_answers + 2)
        name_and_answers(bench, labels, task.scenario, measure, n_answers)
        return measure.run(task.scenario.name, f"name and {n_answers} answers")


@contextmanager
def _project(task: CuratorTask, progress: Progress) -> Iterator[Project]:
    seed = task.scenario.seed

    def fill(project: Project) -> None:
        with project.working_place("corpus") as place:
            place.mkdir()
            report = build_corpus(
                task.documents,
                place,
                settings=task.settings,
                seed_phrases=names_and_keywords(seed),
                progress=Span(progress, 0.0, 0.8),
            )
            project.use("corpus", project.publish_directory(place, "corpus", made_from=report.fingerprint))
        lay_ground(project, Span(progress, 0.8, 1.0))

    with (
        tempfile.TemporaryDirectory(prefix="taxocom-curator-") as folder,
        make_unlisted(Path(folder), seed=seed, fill=fill) as made,
    ):
        yield made


def _labels(project: Project) -> dict[str, TopicPath]:
    corpus = project.corpus()
    return {each: path_key(label) for each, label in zip(corpus.document_ids, corpus.labels, strict=True)}
