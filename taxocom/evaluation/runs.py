"""Many runs, one file each: what was done is not done again, and tables are made from the files alone."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from taxocom.errors import CancelledError, InputError
from taxocom.evaluation.samples import content_digest
from taxocom.evaluation.scenario_report import EvaluationReport, Measured, RunFacts, evaluate
from taxocom.evaluation.scenarios import Scenario, topic_paths
from taxocom.evaluation.sources import source_digest
from taxocom.evaluation.systems import System, SystemResult
from taxocom.progress import SILENT, Progress, Span
from taxocom.text.corpus import Corpus

FORMAT = 2

_BASELINES = "taxocom.evaluation.baselines"
_ENGINE = ("evaluation", "expansion", "taxonomy", "text", "numerics", "settings")


class Classifier(Protocol):
    """Assigns documents to the topics of a tree, knowing nothing but their terms."""

    def classify(self, corpus: Corpus, result: SystemResult, *, random_state: int, progress: Progress) -> Sequence[str]:
        """Return the node of every document."""


@dataclass(frozen=True)
class Bench:
    """What all runs share: a named corpus, what it is measured with, and the downstream classifier if one is wanted."""

    corpus_name: str
    corpus: Corpus
    measured: Measured
    classifier: Classifier | None = None


@dataclass(frozen=True)
class Cell:
    """One run: a scenario, a system, a random state."""

    scenario: Scenario
    system: System
    random_state: int = 0


@dataclass(frozen=True)
class CellFailure:
    """A run that broke, and its error in words; it is tried again the next time."""

    scenario: str
    system: str
    random_state: int
    message: str


@dataclass(frozen=True)
class RunOutcome:
    """The reports of all runs that are done, in the order of the cells, and what broke."""

    reports: tuple[EvaluationReport, ...]
    failures: tuple[CellFailure, ...]
    n_resumed: int


def run_cells(bench: Bench, cells: Sequence[Cell], folder: Path, *, progress: Progress = SILENT) -> RunOutcome:
    """Run every cell that has no file in `folder` yet, store each as soon as it is done, and return all reports.

    A file counts only if it was made from the same corpus, scenario, settings of the system and code. A cell that
    breaks does not stop the others, because a table with one row missing is better than none after hours; a cancel
    does.
    """
    folder.mkdir(parents=True, exist_ok=True)
    reports: list[EvaluationReport] = []
    failures: list[CellFailure] = []
    n_resumed = 0
    fingerprint = content_digest(bench.corpus)
    for i, cell in enumerate(cells):
        part = Span(progress, i / len(cells), (i + 1) / len(cells))
        stage = f"{cell.scenario.name}: {cell.system.name}"
        part.report(stage, 0.0)
        key = cell_key(bench.corpus_name, fingerprint, cell, bench.classifier)
        stored = stored_report(folder, key)
        if stored is not None:
            n_resumed += 1
            reports.append(stored)
            continue
        try:
            report = run_cell(bench, cell, progress=part)
        except CancelledError:
            raise
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            failures.append(CellFailure(cell.scenario.name, cell.system.name, cell.random_state, message))
            continue
        store_report(folder, key, report)
        reports.append(report)
    progress.report("Evaluation", 1.0)
    return RunOutcome(tuple(reports), tuple(failures), n_resumed)


def run_cell(bench: Bench, cell: Cell, *, progress: Progress = SILENT) -> EvaluationReport:
    """Run one system on one scenario, classify downstream if asked, and measure; seconds are the system's own."""
    share = 1.0 if bench.classifier is None else 0.7
    start, cpu_start = time.perf_counter(), time.process_time()
    result = cell.system.run(
        bench.corpus, cell.scenario.seed, random_state=cell.random_state, progress=Span(progress, 0.0, share)
    )
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    downstream = None
    if bench.classifier is not None:
        downstream = bench.classifier.classify(
            bench.corpus, result, random_state=cell.random_state, progress=Span(progress, share, 1.0)
        )
    facts = RunFacts(bench.corpus_name, cell.system.name, cell.system.note, cell.random_state, seconds, cpu_seconds)
    return evaluate(result, cell.scenario, bench.measured, facts, downstream=downstream)


def cell_key(corpus_name: str, fingerprint: str, cell: Cell, classifier: Classifier | None) -> dict[str, Any]:
    """Return what decides a run's outcome; a stored run with another key is not this run.

    `fingerprint` is the `content_digest` of the corpus, so the code that indexed it need not be in the key.
    """
    return {
        "format": FORMAT,
        "corpus": corpus_name,
        "fingerprint": fingerprint,
        "scenario": cell.scenario.name,
        "seed": ["/".join(path) for path in topic_paths(cell.scenario.seed)],
        "removed": ["/".join(path) for path in cell.scenario.removed],
        "system": cell.system.name,
        "settings": _said(cell.system),
        "code": code_digest(cell.system),
        "measures": source_digest("taxocom.evaluation.scenario_report", "evaluate", ("evaluation",)),
        "classifier": repr(classifier),
        "classifier_code": "" if classifier is None else code_digest(classifier),
        "random_state": cell.random_state,
    }


def _said(system: System) -> str:
    """Return a system as text that is the same in every process: a function by its name and not by its address."""
    return re.sub(r"<function (\S+) at 0x[0-9a-f]+>", r"\1", repr(system))


def code_digest(system: System | Classifier) -> str:
    """Return a digest of the source that decides what a system does, so that a run of older code is not taken for one.

    Another system is its own class and what that uses of the numerics; the engine may change and leave its runs
    standing. Ours, and one that is not known here, is everything from its class down.
    """
    kind = type(system)
    layers = ("evaluation", "numerics") if kind.__module__.startswith(_BASELINES) else _ENGINE
    return source_digest(kind.__module__, kind.__qualname__.split(".")[0], layers)


def read_reports(folder: Path) -> list[EvaluationReport]:
    """Read every stored run of a folder, ordered by file name."""
    return [_report(path, _values(path)) for path in sorted(folder.glob("*.json"))]


def stored_report(folder: Path, key: dict[str, Any]) -> EvaluationReport | None:
    """Return the stored run with this key, None if it is missing or was made from something else."""
    path = folder / _file_name(key)
    if not path.is_file():
        return None
    values = _values(path)
    return _report(path, values) if values["key"] == key else None


def store_report(folder: Path, key: dict[str, Any], report: EvaluationReport) -> None:
    """Write a run beside its place and then rename it, so that a file is whole or not there."""
    path = folder / _file_name(key)
    partial = path.with_suffix(".partial")
    text = json.dumps({"key": key, "report": report.to_dict()}, ensure_ascii=False, indent=1)
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(path)


def _file_name(key: dict[str, Any]) -> str:
    """Return a name that a person can read and that no other run has."""
    named = [str(key[part]) for part in ("corpus", "scenario", "system", "random_state")]
    digest = hashlib.sha256("\x1f".join(named).encode()).hexdigest()[:8]
    readable = "-".join(re.sub(r"[^a-z0-9]+", "_", part.casefold()).strip("_")[:40] for part in named)
    return f"{readable}-{digest}.json"


def _values(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return {"key": values["key"], "report": values["report"]}
    except (json.JSONDecodeError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a stored run ({error}). Delete it, and the run will be made again.") from error


def _report(path: Path, values: dict[str, Any]) -> EvaluationReport:
    try:
        return EvaluationReport.from_dict(values["report"])
    except InputError as error:
        raise InputError(f"{path} is not a stored run ({error}). Delete it, and the run will be made again.") from error
