"""Many runs, one file each: what was done is not done again, and tables are made from the files alone."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from taxocom.errors import CancelledError, InputError
from taxocom.evaluation.report import EvaluationReport, Measured, RunFacts, evaluate
from taxocom.evaluation.scenarios import Scenario, topic_paths
from taxocom.evaluation.systems import System, SystemResult
from taxocom.progress import SILENT, Progress, Span
from taxocom.text.corpus import Corpus

FORMAT = 1

_BASELINES = "taxocom.evaluation.baselines"
_SHOWING = ("tables.py", "rendering.py", "runs.py")


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


@dataclass(frozen=True)
class _StoredRun:
    key: dict[str, Any]
    report: EvaluationReport


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
    for i, cell in enumerate(cells):
        part = Span(progress, i / len(cells), (i + 1) / len(cells))
        stage = f"{cell.scenario.name}: {cell.system.name}"
        part.report(stage, 0.0)
        key = cell_key(bench, cell)
        path = folder / _file_name(key)
        stored = _read_cell(path, key)
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
        _write_cell(path, key, report)
        reports.append(report)
    progress.report("Evaluation", 1.0)
    return RunOutcome(tuple(reports), tuple(failures), n_resumed)


def run_cell(bench: Bench, cell: Cell, *, progress: Progress = SILENT) -> EvaluationReport:
    """Run one system on one scenario, classify downstream if asked, and measure; seconds are the system's own."""
    share = 1.0 if bench.classifier is None else 0.7
    start = time.perf_counter()
    result = cell.system.run(
        bench.corpus, cell.scenario.seed, random_state=cell.random_state, progress=Span(progress, 0.0, share)
    )
    seconds = time.perf_counter() - start
    downstream = None
    if bench.classifier is not None:
        downstream = bench.classifier.classify(
            bench.corpus, result, random_state=cell.random_state, progress=Span(progress, share, 1.0)
        )
    facts = RunFacts(bench.corpus_name, cell.system.name, cell.system.note, cell.random_state, seconds)
    return evaluate(result, cell.scenario, bench.measured, facts, downstream=downstream)


def cell_key(bench: Bench, cell: Cell) -> dict[str, Any]:
    """Return what decides a run's outcome; a stored run with another key is not this run."""
    return {
        "format": FORMAT,
        "corpus": bench.corpus_name,
        "fingerprint": bench.corpus.fingerprint,
        "scenario": cell.scenario.name,
        "seed": ["/".join(path) for path in topic_paths(cell.scenario.seed)],
        "removed": ["/".join(path) for path in cell.scenario.removed],
        "system": cell.system.name,
        "settings": repr(cell.system),
        "code": code_digest(uses_engine=not type(cell.system).__module__.startswith(_BASELINES)),
        "classifier": repr(bench.classifier),
        "random_state": cell.random_state,
    }


@cache
def code_digest(*, uses_engine: bool) -> str:
    """Return a digest of the source that decides a run, so that a run of older code is not taken for one of this.

    The other systems do not depend on the engine, so a change of it leaves their runs standing.
    """
    package = Path(__file__).parents[1]
    layers = ["text", "numerics", "taxonomy", "evaluation", *(["expansion"] if uses_engine else [])]
    sources = [path for layer in layers for path in sorted((package / layer).rglob("*.py"))]
    sources += [package / "settings.py"] if uses_engine else []
    digest = hashlib.sha256()
    for path in sources:
        if path.name not in _SHOWING:
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def read_reports(folder: Path) -> list[EvaluationReport]:
    """Read every stored run of a folder, ordered by file name."""
    return [_read_file(path).report for path in sorted(folder.glob("*.json"))]


def _file_name(key: dict[str, Any]) -> str:
    """Return a name that a person can read and that no other run has."""
    named = [str(key[part]) for part in ("corpus", "scenario", "system", "random_state")]
    digest = hashlib.sha256("\x1f".join(named).encode()).hexdigest()[:8]
    readable = "-".join(re.sub(r"[^a-z0-9]+", "_", part.casefold()).strip("_")[:40] for part in named)
    return f"{readable}-{digest}.json"


def _read_cell(path: Path, key: dict[str, Any]) -> EvaluationReport | None:
    if not path.is_file():
        return None
    stored = _read_file(path)
    return stored.report if stored.key == key else None


def _read_file(path: Path) -> _StoredRun:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return _StoredRun(values["key"], EvaluationReport.from_dict(values["report"]))
    except (json.JSONDecodeError, KeyError, TypeError, UnicodeDecodeError, InputError) as error:
        raise InputError(f"{path} is no stored run ({error}). Delete it, and the run will be made again.") from error


def _write_cell(path: Path, key: dict[str, Any], report: EvaluationReport) -> None:
    """Write beside and then rename, so that a file is whole or not there."""
    partial = path.with_suffix(".partial")
    text = json.dumps({"key": key, "report": report.to_dict()}, ensure_ascii=False, indent=1)
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(path)
