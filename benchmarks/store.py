"""What pages read from the store and write to it, on a project of 20,000 decisions and 5,000 topics.

Cold is the first question to a project just opened, warm the next, and after a save that after one more decision.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from taxocom.interchange import export
from taxocom.interchange.report.tree_comparison import compare
from taxocom.interchange.skos.integrity import check_integrity
from taxocom.store import Project
from taxocom.store.db.proof import database_problems
from taxocom.store.disk.memory import Memory
from taxocom.store.projects import document_places as places_module
from taxocom.store.projects.document_places import document_places
from taxocom.store.projects.exporting import export_of
from taxocom.taxonomy.decisions import AddTopic, Decision, EditDefinition, MoveDocuments
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from tests.ui.fabricate import fabricate_project

N_TOPICS, N_DECISIONS, N_DOCUMENTS = 5_000, 20_000, 2_000
_FORMATS = ("json", "csv", "turtle", "documents-csv")


def run(corpora: Path | None) -> str:  # noqa: ARG001  # needs no corpus
    """Return the seconds of everything that pages ask of the store."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TAXOCOM_HOME"] = folder
        path = _made()
        size = (path / "project.db").stat().st_size / 1e6
        rows = _measured(path)
    said = f"{N_DECISIONS:,} decisions, {N_TOPICS:,} topics, {N_DOCUMENTS:,} documents, {size:.0f} MB.\n\n"
    head = "| seconds (of processor time) | cold | warm | after a save |\n|---|---|---|---|\n"
    return said + head + "\n".join(f"| {name} | {' | '.join(values)} |" for name, values in rows.items())


def _made() -> Path:
    with fabricate_project("Large", n_documents=N_DOCUMENTS).project as project:
        ids = list(project.corpus().document_ids)
        decisions: list[Decision] = []
        for number in range(N_TOPICS):
            parent = ROOT_ID if number < 50 else f"t{(number - 50) // 20}"
            decisions.append(AddTopic(parent, TopicNode(f"t{number}", f"Topic {number}", keywords=("one", "two"))))
        for number in range(N_DECISIONS - N_TOPICS):
            topic = f"t{number % N_TOPICS}"
            text = f"Definition {number}, with as many words as people use."
            moved = MoveDocuments((ids[number % len(ids)],), topic)
            decisions.append(moved if number % 10 == 0 else EditDefinition(topic, text))
        for start in range(0, N_DECISIONS, 1000):
            project.record_all(decisions[start : start + 1000], author=f"Curator {start // 1000 % 4}")
        project.freeze_release("first", author="Ada")
        return project.path


def _measured(path: Path) -> dict[str, list[str]]:
    project = Project(path)
    project.taxonomy()
    numbers = iter(range(10**6))

    def save(asked: Project) -> object:
        text = f"saved {next(numbers)}"
        return asked.record(EditDefinition("t7", text), author="Ada", expected=asked.sequence)

    questions: dict[str, Callable[[Project], object]] = {
        "open": lambda _: Project(path).close(),
        "prove the database": lambda _: database_problems(path / "project.db"),
        "seed": Project.seed,
        "log": Project.log,
        "tree": Project.taxonomy,
        "history": Project.history,
        "what can be undone": Project.standing,
        "curation": Project.curation,
        "places of documents": document_places,
        "releases": Project.releases,
        "change since a release": lambda asked: compare(asked.releases()[-1].taxonomy, asked.taxonomy()),
        "collect an export": export_of,
        "check the rules of SKOS": lambda asked: check_integrity(asked.taxonomy()),
        "collect a release": lambda asked: export_of(asked, release="first"),
        "save a decision": save,
    }
    for name in _FORMATS:
        questions[f"collect and write {name}"] = partial(_exported, name)
    rows = {}
    for name, ask in questions.items():
        # Places of documents are kept for a process, and not for an open project.
        places_module._PLACES, places_module._LEDGERS = Memory(8), Memory(4)
        with Project(path) as fresh:
            cold = _seconds(partial(ask, fresh))
        ask(project)
        warm = _seconds(partial(ask, project))
        save(project)
        rows[name] = [cold, warm, _seconds(partial(ask, project))]
    project.close()
    return rows


def _exported(format_name: str, project: Project) -> bytes:
    made = export_of(project)
    return export(made.taxonomy, format_name, made.context)


def _seconds(ask: Callable[[], object]) -> str:
    """Return how long an answer took, and in brackets how much of that this process was at work."""
    started, worked = time.perf_counter(), time.process_time()
    ask()
    return f"{time.perf_counter() - started:.3f} ({time.process_time() - worked:.3f})"
