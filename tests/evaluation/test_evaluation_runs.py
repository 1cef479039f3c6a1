from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from taxocom.errors import CancelledError, InputError
from taxocom.evaluation import runs
from taxocom.evaluation.our_system import TaxoCom, no_lexicon
from taxocom.evaluation.runs import Bench, Cell, read_reports, run_cells
from taxocom.evaluation.samples import content_digest, take_documents
from taxocom.evaluation.scenario_report import Measured
from taxocom.evaluation.scenarios import removal_scenario
from taxocom.evaluation.systems import SystemResult
from taxocom.store.projects.lexicon_files import find_lexicon
from taxocom.taxonomy.tree import ROOT_ID, TopicNode


@dataclass(frozen=True)
class Toy:
    """Puts every document of the planted corpus's second half into one novel node, and counts its runs."""

    setting: int = 1
    name: str = "toy"
    note: str = ""
    runs: list[int] = field(default_factory=list, repr=False, compare=False)
    broken: bool = field(default=False, repr=False)

    def run(self, corpus, seed, *, random_state, progress):
        self.runs.append(random_state)
        if self.broken:
            raise RuntimeError("out of luck")
        tree = seed.with_topic(TopicNode("new", "games", origin="novel"), ROOT_ID)
        half = corpus.n_documents // 2
        return SystemResult(tree, ["science"] * half + ["new"] * (corpus.n_documents - half), {"new": ["sports"]})


@dataclass(frozen=True)
class Everywhere:
    node_id: str = "science"

    def classify(self, corpus, result, *, random_state, progress):
        return [self.node_id] * corpus.n_documents


@pytest.fixture
def scenario(planted_gold):
    return removal_scenario("sports gone", planted_gold, [("sports",)])


@pytest.fixture
def bench(planted):
    return Bench("planted", planted, Measured(planted.labels, planted.vocabulary, planted.counts))


def test_what_was_run_is_read_and_not_run_again(bench, scenario, tmp_path):
    toy = Toy()
    cells = [Cell(scenario, toy, state) for state in (0, 1)]
    first = run_cells(bench, cells[:1], tmp_path)
    assert first.reports[0].detection.f1 == 1.0
    both = run_cells(bench, cells, tmp_path)
    assert (toy.runs, both.n_resumed) == ([0, 1], 1)
    assert both.reports[0] == first.reports[0]
    assert sorted(report.random_state for report in read_reports(tmp_path)) == [0, 1]
    assert not list(tmp_path.glob("*.partial"))


def test_other_settings_or_another_corpus_run_again(bench, scenario, planted, tmp_path):
    run_cells(bench, [Cell(scenario, Toy())], tmp_path)
    changed = Toy(setting=2)
    assert run_cells(bench, [Cell(scenario, changed)], tmp_path).n_resumed == 0
    assert changed.runs == [0]
    part = take_documents(planted, np.arange(0, 320, 2))
    other = Bench("planted", part, Measured(part.labels, part.vocabulary, part.counts))
    assert run_cells(other, [Cell(scenario, changed)], tmp_path).n_resumed == 0


def test_a_function_among_the_settings_is_known_by_its_name(scenario):
    """Its address differs from process to process, and no run would ever be found again."""
    ours = [TaxoCom(lexicon=lexicon) for lexicon in (no_lexicon, find_lexicon)]
    without, with_it = (runs.cell_key("planted", "f", Cell(scenario, each, 0), None)["settings"] for each in ours)
    assert "0x" not in without + with_it
    assert "lexicon=no_lexicon" in without
    assert "lexicon=find_lexicon" in with_it


def test_another_version_of_the_code_runs_again(bench, scenario, tmp_path, monkeypatch):
    toy = Toy()
    run_cells(bench, [Cell(scenario, toy)], tmp_path)
    monkeypatch.setattr(runs, "code_digest", lambda _: "later")
    assert run_cells(bench, [Cell(scenario, toy)], tmp_path).n_resumed == 0
    assert toy.runs == [0, 0]


def test_a_run_of_an_older_format_is_run_again_and_not_read(bench, scenario, tmp_path):
    run_cells(bench, [Cell(scenario, Toy())], tmp_path)
    path = next(tmp_path.glob("*.json"))
    values = json.loads(path.read_text(encoding="utf-8"))
    values["key"]["format"] = 0
    del values["report"]["detection"]
    path.write_text(json.dumps(values), encoding="utf-8")
    assert run_cells(bench, [Cell(scenario, Toy())], tmp_path).n_resumed == 0


def test_what_a_system_sees_of_a_corpus_decides_and_not_how_it_was_made(planted):
    renamed = replace(planted, fingerprint="made by other code")
    assert content_digest(renamed) == content_digest(planted)
    swapped = np.array(planted.tokens)
    swapped[[0, 1]] = swapped[[1, 0]]
    assert swapped[0] != swapped[1]
    assert content_digest(replace(planted, tokens=swapped)) != content_digest(planted)


def test_a_broken_cell_is_told_and_does_not_stop_the_others(bench, scenario, tmp_path):
    broken = Toy(name="unlucky", broken=True)
    outcome = run_cells(bench, [Cell(scenario, broken), Cell(scenario, Toy())], tmp_path)
    assert [report.system for report in outcome.reports] == ["toy"]
    assert outcome.failures[0].message == "RuntimeError: out of luck"
    run_cells(bench, [Cell(scenario, broken)], tmp_path)
    assert broken.runs == [0, 0]


def test_a_cancel_stops_and_leaves_what_was_done(bench, scenario, tmp_path):
    class Cancel:
        def report(self, stage, fraction):
            if fraction >= 0.5:
                raise CancelledError("stopped")

    with pytest.raises(CancelledError):
        run_cells(bench, [Cell(scenario, Toy()), Cell(scenario, Toy(name="later"))], tmp_path, progress=Cancel())
    assert [report.system for report in read_reports(tmp_path)] == ["toy"]


def test_a_damaged_file_is_named(bench, scenario, tmp_path):
    run_cells(bench, [Cell(scenario, Toy())], tmp_path)
    path = next(tmp_path.glob("*.json"))
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=path.name):
        read_reports(tmp_path)


def test_a_classifier_fills_the_downstream_scores(planted, scenario, tmp_path):
    bench = Bench(
        "planted", planted, Measured(planted.labels, planted.vocabulary, planted.counts), classifier=Everywhere()
    )
    report = run_cells(bench, [Cell(scenario, Toy())], tmp_path).reports[0]
    assert report.downstream[0].micro_f1 == pytest.approx(0.5)
    assert report.levels[0].micro_f1 == pytest.approx(1.0)


def test_a_sample_keeps_term_ids_and_counts_anew(planted):
    rows = np.array([5, 2, 300])
    part = take_documents(planted, rows)
    assert part.n_documents == 3
    assert [list(part.terms_of(i)) for i in range(3)] == [list(planted.terms_of(row)) for row in rows]
    assert part.labels == tuple(planted.labels[row] for row in rows)
    assert part.vocabulary.terms == planted.vocabulary.terms
    assert part.vocabulary.counts.tolist() == np.bincount(part.tokens, minlength=len(planted.vocabulary)).tolist()
    assert part.counts.toarray().tolist() == planted.counts.toarray()[rows].tolist()
    assert part.fingerprint != planted.fingerprint
