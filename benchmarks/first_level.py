"""First-level topics taken out in turn: our walk, and BERTopic as it is shipped, on the same documents.

Each system sees the texts and the rest of the tree. *Complete tree* has nothing missing, so every new topic is wrong.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.tagging import Labelled, read_labelled
from taxocom.evaluation.baselines.bertopic_ import BertopicAsShipped
from taxocom.evaluation.our_system import TaxoCom
from taxocom.evaluation.runs import Bench, Cell, run_cell
from taxocom.evaluation.scenario_report import EvaluationReport, Measured
from taxocom.evaluation.scenarios import Scenario, complete_scenario, removal_scenario
from taxocom.evaluation.systems import System
from taxocom.store.projects.lexicon_files import find_lexicon
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.text.corpus import Corpus
from taxocom.text.input.documents import Document

SAMPLES = (("bbc", 0), ("dbpedia", 300), ("20news", 300), ("arxiv", 200))
SYSTEMS: tuple[System, ...] = (TaxoCom(max_depth=1, lexicon=find_lexicon), BertopicAsShipped(find_lexicon))


@dataclass(frozen=True)
class _Runs:
    """The reports of one system on one corpus: one for every topic taken out, and that of the complete tree."""

    system: str
    removals: list[EvaluationReport]
    complete: EvaluationReport

    def row(self, corpus: str) -> tuple[str, ...]:
        recovered = sum(report.recovery.n_topmost_recovered for report in self.removals)
        return (
            corpus,
            self.system,
            f"{np.mean([report.detection.f1 for report in self.removals]):.2f}",
            f"{recovered} of {len(self.removals)}",
            f"{np.mean([report.recovery.n_spurious for report in self.removals]):.1f}",
            str(self.complete.recovery.n_spurious),
            f"{np.mean([report.cpu_seconds for report in self.removals]):.0f} s",
        )


def run(corpora: Path | None = None) -> str:
    """Run both systems on real corpora and return the table."""
    if corpora is None:
        return "No corpora were given: `make bench CORPORA=folder NAMES=first_level`."
    header = (
        "corpus",
        "system",
        "mean F1",
        "recovered",
        "wrong a run",
        "wrong on the complete tree",
        "processor time a run",
    )
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    for name, most in SAMPLES:
        labelled = read_labelled(corpora / name, most)
        corpus = f"{name}, {most} a class" if most else f"{name}, whole"
        lines += ["| " + " | ".join(_run(labelled, system).row(corpus)) + " |" for system in SYSTEMS]
    return "\n".join(lines)


def _run(labelled: Labelled, system: System) -> _Runs:
    tops = [node.label for node in labelled.tree.children_of(ROOT_ID)]
    removals = [_report(labelled, removal_scenario(top, labelled.tree, [(top,)]), system) for top in tops]
    return _Runs(system.name, removals, _report(labelled, complete_scenario(labelled.tree), system))


def _report(labelled: Labelled, scenario: Scenario, system: System) -> EvaluationReport:
    """Index the documents with the names that the seed has, and run the system."""
    whole = labelled.corpus
    documents = [
        Document(document_id, text, labels=gold)
        for document_id, text, gold in zip(whole.document_ids, whole.texts, labelled.gold, strict=True)
    ]
    corpus = Corpus.from_documents(documents, seed_phrases=[node.label for node in scenario.seed.walk()])
    measured = Measured(list(corpus.labels), corpus.vocabulary, corpus.counts)
    report = run_cell(Bench(labelled.name, corpus, measured), Cell(scenario, system))
    print(
        f"{labelled.name}, without {scenario.name}, {system.name}: F1 {report.detection.f1:.2f}, "
        f"{report.recovery.n_spurious} wrong",
        file=sys.stderr,
        flush=True,
    )
    return report
