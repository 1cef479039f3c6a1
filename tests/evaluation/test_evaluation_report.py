from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from taxocom.errors import InputError
from taxocom.evaluation.rendering import to_html, to_markdown
from taxocom.evaluation.result_tables import Spread, Table, comparison, tables_of
from taxocom.evaluation.scenario_report import EvaluationReport, Measured, RunFacts, evaluate
from taxocom.evaluation.scenarios import removal_scenario
from taxocom.evaluation.systems import SystemResult
from taxocom.text.terms.vocabulary import Vocabulary

HOSTILE = "<script>alert('x')</script> | ![p](http://x) *b*"


@pytest.fixture
def report(gold_tree, grow) -> EvaluationReport:
    tree = grow({"science": {"space": {}, "medicine": {}}, "sale": {}, "+games": {}, f"+{HOSTILE}": {}})
    scenario = removal_scenario("sports gone", gold_tree, [("sports",)])
    terms = ("goal", "moon", "team", "price")
    vocabulary = Vocabulary(terms, np.ones(4, np.int32), np.ones(4, np.int32), np.ones(4, np.float32), np.ones(4, bool))
    counts = sparse.csr_array(np.array([[1, 0, 1, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]))
    labels = [("sports", "hockey"), ("sports", "baseball"), ("science", "space"), ("sale",)]
    result = SystemResult(
        tree, ["games", "games", "space", HOSTILE], {"games": ["goal", "team"], "space": ["moon"]}, {"games": ["Sport"]}
    )
    facts = RunFacts("toy", "TaxoCom", note="none", random_state=3, seconds=1.5)
    return evaluate(result, scenario, Measured(labels, vocabulary, counts, counts), facts, downstream=["games"] * 4)


def test_a_report_holds_what_the_metrics_say(report):
    assert (report.detection.n_predicted, report.detection.n_gold) == (3, 2)
    assert (report.recovery.n_recovered, report.recovery.n_spurious, report.recovery.n_topmost) == (1, 1, 1)
    assert report.names.first == 1.0
    # goal and team: together in 2 of 4 documents and never apart, so NPMI is 1.
    assert report.quality.coherency == pytest.approx(1.0)
    assert report.levels[0].micro_f1 == pytest.approx(3 / 4)
    assert report.downstream[0].micro_f1 == pytest.approx(2 / 4)
    assert report.quality.gap_before == pytest.approx(3 / 4)
    assert [row.topic for row in report.novel] == ["sports", ""]


def test_a_report_survives_json(report):
    assert EvaluationReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report


def test_a_damaged_report_names_its_field(report):
    values = report.to_dict()
    del values["detection"]["f1"]
    with pytest.raises(InputError, match=r"report\.detection lacks f1"):
        EvaluationReport.from_dict(values)
    values = report.to_dict() | {"seconds": "long"}
    with pytest.raises(InputError, match=r"report\.seconds should be float but is 'long'"):
        EvaluationReport.from_dict(values)


def test_a_comparison_averages_random_states_and_sets_off_the_best(report):
    worse = replace(report, system="other", detection=replace(report.detection, f1=0.1))
    again = replace(worse, random_state=4, detection=replace(report.detection, f1=0.3))
    table = comparison("t", "c", [worse, report, again], {"F1": lambda r: r.detection.f1, "S": lambda r: r.seconds})
    assert [row[2] for row in table.rows] == ["other", "TaxoCom"]
    other, ours = (row[3] for row in table.rows)
    assert isinstance(other, Spread)
    assert isinstance(ours, Spread)
    assert other.mean == pytest.approx(0.2)
    assert other.deviation == pytest.approx(0.02**0.5)
    assert ours.deviation is None
    # Seconds are equal, so nobody is best.
    assert table.best == {(1, 3)}


def test_every_table_renders_and_corpus_text_stays_text(report):
    tables = tables_of([report])
    titles = [table.title for table in tables]
    assert "Documents of removed topics" in titles
    assert "Documents classified by WeSHClass" in titles
    page = to_html("Evaluation <b>", tables, facts=["2 cores"])
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "Evaluation &lt;b&gt;" in page
    assert "src=" not in page
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    text = to_markdown(tables)
    assert "<script>" not in text.replace("\\<", "").replace("\\>", "")
    assert "![" not in text
    for line in text.splitlines():
        if line.startswith("| "):
            assert line.replace("\\|", "").count("|") >= 3


def test_markdown_shows_numbers_right_and_the_best_in_bold():
    table = Table("T", "c", ("Name", "Value"), (("a", Spread(0.5)), ("b", None)), frozenset({(0, 1)}))
    assert to_markdown([table]).splitlines()[-3:] == ["|---|---:|", "| a | **0.500** |", "| b | – |"]
