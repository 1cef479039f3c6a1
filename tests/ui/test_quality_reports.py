"""Evaluations as rows and files: means by hand, the worst topic first, and files that hold every number."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from taxocom.evaluation.scenario_report import EvaluationReport, Measured, RunFacts, evaluate
from taxocom.evaluation.scenarios import removal_scenario
from taxocom.evaluation.systems import SystemResult
from taxocom.store.projects.quality_runs import QualityRun
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.ui.quality.quality_reports import (
    ShownRun,
    reading,
    removed_rows,
    report_html,
    report_json,
    run_title,
    spread,
)
from tests.evaluation.planting import corpus_of

GOLD = Taxonomy.empty().with_topic(TopicNode("law", "law"), ROOT_ID).with_topic(TopicNode("<b>art", "<b>art"), ROOT_ID)


def report(n_right: int, random_state: int) -> EvaluationReport:
    """Two laws and four arts, of which so many are in the novel topic."""
    labels = [("law",)] * 2 + [("<b>art",)] * 4
    corpus = corpus_of([["court", "judge"]] * 2 + [["paint", "brush"]] * 4, labels)
    scenario = removal_scenario("without art", GOLD, [("<b>art",)])
    novel = TopicNode("n1", "painting", origin="novel")
    result = SystemResult(
        scenario.seed.with_topic(novel, ROOT_ID),
        ["law"] * 2 + ["n1"] * n_right + ["law"] * (4 - n_right),
        {"n1": ["paint", "brush"], "law": ["court", "judge"]},
        {"n1": ["painting", "<b>art"]},
    )
    facts = RunFacts("toy", "TaxoCom", random_state=random_state)
    return evaluate(result, scenario, Measured(labels, corpus.vocabulary, corpus.counts), facts)


RUN = QualityRun(
    "r1", "evaluate", "2026-11-16T13:40:00", 0, "f", {"remove": [["<b>art"]], "n_states": 2}, n_planned=2, n_done=2
)
SHOWN = ShownRun("A", RUN, (report(4, 0), report(1, 1)), ())


def test_means_and_deviations_are_over_the_random_states():
    f1 = spread(SHOWN.reports, lambda each: each.detection.f1)
    # All four found: 1. One of four: precision 1, recall 1/4, so 2/5.
    assert f1 is not None
    assert f1.mean == pytest.approx(0.7)
    assert f1.deviation == pytest.approx(0.6 / 2**0.5)
    assert str(f1) == "0.700 ± 0.424"
    assert str(spread(SHOWN.reports, lambda each: each.n_documents)) == "6"
    assert str(spread(SHOWN.reports, lambda each: each.recovery.n_recovered)) == "0.5 ± 0.7"
    assert spread(SHOWN.reports, lambda _: None) is None


def test_a_hidden_topic_has_one_row_over_its_random_states():
    (row,) = removed_rows([SHOWN])
    assert row["F1"] == pytest.approx(0.7)
    assert (row["found"], row["placed"], row["runs"]) == (1, 1, 2)
    assert row["found as"] == "painting"
    assert row["right name"] == "suggestion 2"


def test_the_numbers_are_read_out_in_words():
    whole, missed = SHOWN.reports
    assert reading([whole])[0].startswith("Most hidden topics were found")
    assert reading([whole, missed])[0].startswith("Some hidden topics were found")
    assert reading([missed])[0].startswith("No hidden topic was found")
    mixed = replace(whole, detection=replace(whole.detection, f1=0.5))
    assert reading([whole])[1:] == []
    assert reading([mixed])[1:] == [
        "Their documents are mixed with others (F1 0.50): look at a topic's documents before you accept it."
    ]
    crowded = replace(whole, recovery=replace(whole.recovery, n_spurious=3, n_placed=0))
    assert reading([crowded])[1:] == [
        "Most topics were found under another parent: check the place of a topic when you accept it.",
        "Expect to reject about 3 of the topics proposed in a run.",
    ]


def test_the_worst_topic_comes_first():
    worse = replace(SHOWN.reports[1].removed[0], topic="law", f1=0.1)
    second = replace(SHOWN.reports[1], removed=(SHOWN.reports[1].removed[0], worse))
    rows = removed_rows([replace(SHOWN, reports=(SHOWN.reports[0], second))])
    assert [row["hidden topic"] for row in rows] == ["law", "<b>art"]


def test_the_page_holds_text_as_text_and_tells_runs_apart():
    page = report_html("toy <script>", [SHOWN, replace(SHOWN, letter="B")])
    assert "<script>" not in page
    assert "<b>" not in page
    assert "TaxoCom (A)" in page
    assert "TaxoCom (B)" in page
    assert "0.700 ± 0.424" in page


def test_the_json_holds_every_report_whole():
    kept = json.loads(report_json([SHOWN]))["runs"][0]
    assert [EvaluationReport.from_dict(values) for values in kept["reports"]] == list(SHOWN.reports)
    assert kept["settings"]["remove"] == [["<b>art"]]


def test_a_run_is_called_by_when_what_and_how_far():
    assert run_title(RUN) == "2026-11-16 13:40 · without <b>art · 2 random states"
    assert run_title(replace(RUN, n_done=1)).endswith("1 of 2 done")
