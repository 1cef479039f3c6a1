"""Index the corpora, run what has not been run, keep every run in a file of its own."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from benchmarks._quality_plan import COMPLETE, CUT_TO, Case, Row
from taxocom.evaluation.baselines.weshclass import WeSHClass
from taxocom.evaluation.preparation import Prepared, draw_sample, index_sample, set_aside
from taxocom.evaluation.runs import Bench, Cell, cell_key, run_cell, store_report, stored_report
from taxocom.evaluation.samples import content_digest, take_documents
from taxocom.evaluation.scenario_report import EvaluationReport, Measured
from taxocom.evaluation.scenarios import Scenario, skew_topic
from taxocom.evaluation.sources import source_digest
from taxocom.interchange.seed_reading import read_seed
from taxocom.settings import ExpansionSettings
from taxocom.text.corpus import open_corpus
from taxocom.text.input.loading import sniff

Reports = dict[tuple[str, str, str, int], EvaluationReport]


@dataclass(frozen=True)
class Place:
    """Where the corpora lie, and where runs and indexes are kept."""

    corpora: Path
    cache: Path

    def scenario(self, case: Case) -> Scenario:
        """Read the gold hierarchy and the seed of a case."""
        folder = self.corpora / case.part.folder
        gold = read_seed(folder / "gold.tsv").taxonomy
        seed = gold if case.seed == COMPLETE else read_seed(folder / f"seed_{case.seed}.tsv").taxonomy
        return case.scenario(gold, seed)

    def documents(self, case: Case) -> Path:
        """Return the file of a case's documents, whatever it is packed with."""
        return next(iter(sorted((self.corpora / case.part.folder).glob("docs.*"))))

    def index(self, case: Case) -> Path:
        """Return the directory of a case's index; skewed cases use that of the plain one."""
        parts = [
            _file_digest(self.documents(case)),
            str(case.part.per_class),
            repr(sorted(node.label for node in self.scenario(case).seed.walk())),
            source_digest("taxocom.text.indexing", "build_corpus", ("text", "numerics", "settings")),
            source_digest("taxocom.text.input.loading", "CorpusSource", ("text",)),
        ]
        return self.cache / "indexes" / hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    def fingerprint_file(self, case: Case) -> Path:
        """Return where the digest of what a case shows to a system is kept: to look it up needs no index."""
        index = self.index(case)
        cut = hashlib.sha256("/".join(case.cut).encode()).hexdigest()[:8] if case.cut else "plain"
        return index.with_name(f"{index.name}-{cut}.digest")

    @cached_property
    def runs(self) -> Path:
        """The directory of runs."""
        return self.cache / "runs"


@lru_cache
def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def build_index(place: Place, case: Case) -> None:
    """Index what a case is made from, unless that is done, and note the digest of what the systems will see."""
    index = place.index(case)
    if not index.exists():
        index.parent.mkdir(parents=True, exist_ok=True)
        scenario = place.scenario(case)
        with tempfile.TemporaryDirectory(dir=index.parent) as folder:
            made = Path(folder) / "index"
            made.mkdir()
            sample = draw_sample(sniff(place.documents(case)), scenario.gold, per_class=case.part.per_class)
            index_sample(sample, scenario.seed, made)
            made.rename(index)
    noted = place.fingerprint_file(case)
    if not noted.exists():
        partial = noted.with_suffix(".partial")
        partial.write_text(content_digest(_prepared(place, case).corpus), encoding="utf-8")
        partial.replace(noted)


@lru_cache(maxsize=1)
def _prepared(place: Place, case: Case) -> Prepared:
    whole = open_corpus(place.index(case))
    if not case.cut:
        return set_aside(whole)
    # Nothing is held out here: a hundred documents are asked for, and intrusion is not.
    corpus = take_documents(whole, skew_topic(whole.labels, case.cut, CUT_TO))
    return Prepared(corpus, Measured(list(corpus.labels), corpus.vocabulary, corpus.counts))


def _cell(place: Place, row: Row) -> Cell:
    return Cell(place.scenario(row.case), row.system, row.random_state)


def stored(place: Place, row: Row) -> EvaluationReport | None:
    """Return the report of a row if it was run with this code on these documents."""
    noted = place.fingerprint_file(row.case)
    if not noted.exists():
        return None
    return stored_report(place.runs, _key(place, row))


def _key(place: Place, row: Row) -> dict[str, object]:
    fingerprint = place.fingerprint_file(row.case).read_text(encoding="utf-8")
    return cell_key(row.case.part.name, fingerprint, _cell(place, row), _classifier(row))


def _classifier(row: Row) -> WeSHClass | None:
    return WeSHClass() if row.classify else None


def run_row(place: Place, row: Row) -> EvaluationReport:
    """Run a row and keep its report, and beside it the processor seconds of all that it took."""
    start = time.process_time()
    key = _key(place, row)
    prepared = _prepared(place, row.case)
    bench = Bench(row.case.part.name, prepared.corpus, prepared.measured, _classifier(row))
    report = run_cell(bench, _cell(place, row))
    place.runs.mkdir(parents=True, exist_ok=True)
    store_report(place.runs, key, report)
    _cost_file(place, row).write_text(f"{time.process_time() - start:.1f}\n", encoding="utf-8")
    return report


def _cost_file(place: Place, row: Row) -> Path:
    return place.runs / f"{hashlib.sha256(repr(row.name).encode()).hexdigest()[:16]}.seconds"


def cost(place: Place, rows: Sequence[Row]) -> float:
    """Return the processor seconds that these rows took, the classifier and the measuring included."""
    files = [_cost_file(place, row) for row in rows]
    return sum(float(path.read_text(encoding="utf-8")) for path in files if path.exists())


@dataclass(frozen=True)
class Done:
    """The reports of all rows that are there, what broke in words, and how many rows were run just now."""

    reports: Reports
    failures: tuple[str, ...]
    n_run: int


def run_rows(place: Place, rows: Sequence[Row], *, jobs: int) -> Done:
    """Run every row that is not kept yet, in `jobs` processes, and return all that there is.

    A row that breaks does not stop the others.
    """
    failures: list[str] = []
    cases = list(dict.fromkeys(row.case for row in rows))
    unindexed = [case for case in cases if not place.fingerprint_file(case).exists()]
    # One process for each index: skewed cases wait for the plain one.
    for group in (_plain(unindexed), [case for case in unindexed if case.cut]):
        tasks = [(f"Index of {case.part.name}, {case.scenario_name}", build_index, case) for case in group]
        failures += [message for _, _, message in _each(place, tasks, jobs) if message]
    ready = [row for row in rows if place.fingerprint_file(row.case).exists()]
    missing = [row for row in ready if stored(place, row) is None]
    unbuilt = [case for case in _plain([row.case for row in missing]) if not place.index(case).exists()]
    tasks = [(f"Index of {case.part.name}, {case.scenario_name}", build_index, case) for case in unbuilt]
    failures += [message for _, _, message in _each(place, tasks, jobs) if message]
    tasks = [(", ".join(map(str, row.name)), run_row, row) for row in missing]
    failures += [message for _, _, message in _each(place, tasks, jobs) if message]
    found = {row.name: report for row in ready if (report := stored(place, row)) is not None}
    return Done(found, tuple(failures), len(missing))


def _plain(cases: Sequence[Case]) -> list[Case]:
    """Return the cases whose indexes these need, each once."""
    return list(dict.fromkeys(Case(case.part, case.seed) for case in cases))


def _each(place: Place, tasks: Sequence[tuple], jobs: int) -> Iterator[tuple[str, object, str]]:
    """Do tasks (name, function, argument) in processes; yield the name, the result, and the error in words if any."""
    if not tasks:
        return
    # Each process is given one core, so that processor seconds of systems can be compared.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[variable] = "1"
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        pending: dict[Future[object], str] = {
            pool.submit(_timed, function, place, argument): name for name, function, argument in tasks
        }
        for number, future in enumerate(as_completed(pending), start=1):
            name, error = pending[future], future.exception()
            told = f"{type(error).__name__}: {error}" if error else f"{future.result():.0f} s"
            print(f"[{number}/{len(tasks)}] {name}: {told}", file=sys.stderr, flush=True)
            yield name, None, f"{name}: {told}" if error else ""


def _timed(function, place: Place, argument: object) -> float:
    start = time.perf_counter()
    function(place, argument)
    return time.perf_counter() - start


def clear_indexes(place: Place) -> None:
    """Delete the indexes once nothing needs them; digests and runs stay."""
    for path in (place.cache / "indexes").glob("*"):
        if path.is_dir():
            shutil.rmtree(path)


@dataclass(frozen=True)
class ProposedTopic:
    """A novel topic that was proposed for the news sample."""

    label: str
    suggestions: tuple[str, ...]
    n_documents: int
    terms: tuple[str, ...]


def news_proposal(place: Place, *, run: bool) -> list[ProposedTopic]:
    """Return what is proposed for the root of the news sample, kept for this version of the engine.

    Nothing is returned if nothing is kept and it shall not be run.
    """
    layers = ("expansion", "text", "taxonomy", "numerics", "settings")
    code = source_digest("taxocom.expansion.pipeline", "expand_node", layers)
    kept = place.cache / "runs" / f"news-{hashlib.sha256(f'{code}{ExpansionSettings()}'.encode()).hexdigest()[:16]}"
    if not kept.exists() and not run:
        return []
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(".partial")
        partial.write_text(json.dumps([asdict(topic) for topic in _propose_news()]), encoding="utf-8")
        partial.replace(kept)
    values = json.loads(kept.read_text(encoding="utf-8"))
    return [ProposedTopic(v["label"], tuple(v["suggestions"]), v["n_documents"], tuple(v["terms"])) for v in values]


def _propose_news() -> list[ProposedTopic]:
    from taxocom import Corpus, expand_node, pretrain, read_documents
    from taxocom.store.homes.sample import sample_corpus, sample_seed
    from taxocom.taxonomy.tree import ROOT_ID

    seed = read_seed(sample_seed()).taxonomy
    names = [phrase for node in seed.walk() for phrase in (node.label, *node.keywords)]
    corpus = Corpus.from_documents(read_documents(sample_corpus()), seed_phrases=names)
    embedding = pretrain(corpus, ExpansionSettings().embedding)
    proposal = expand_node(corpus, seed, ROOT_ID, embedding, draw_map=False).proposal
    return [
        ProposedTopic(
            cluster.label,
            cluster.name_suggestions,
            cluster.n_documents,
            tuple(anchor.term for anchor in cluster.anchors[:10]),
        )
        for cluster in proposal.clusters
        if cluster.kind == "novel"
    ]
