"""What an evaluation of a labelled project asks: the tree its labels spell out, and what is taken out of it."""

from __future__ import annotations

import pytest

from taxocom.errors import InputError, JobError
from taxocom.evaluation.scenarios import topic_paths
from taxocom.jobs.quality_scenarios import (
    FEWEST_DOCUMENTS,
    EvaluationRequest,
    documents_by_topic,
    gold_from_labels,
    label_counts,
)

LABELS = [("Sport", "Tennis")] * 6 + [("Sport", "Golf")] * 5 + [("law",)] * 7 + [("Law", "slip")] + [()] * 3
COUNTS = label_counts(LABELS)


def test_labels_spell_out_a_tree_without_slips_of_the_pen():
    gold = gold_from_labels(COUNTS)
    assert sorted(topic_paths(gold)) == [("law",), ("sport",), ("sport", "golf"), ("sport", "tennis")]
    assert {node.label for node in gold.walk()} == {"Sport", "Tennis", "Golf", "law"}
    assert FEWEST_DOCUMENTS == 5


def test_a_topic_holds_the_documents_labelled_below_it():
    held = documents_by_topic(COUNTS, gold_from_labels(COUNTS))
    assert held == {("sport",): 11, ("sport", "golf"): 5, ("sport", "tennis"): 6, ("law",): 7}


def test_topics_are_taken_out_together_or_one_at_a_time():
    gold = gold_from_labels(COUNTS)
    params = {"remove": [["sport", "golf"], ["law"]], "n_states": 2}
    together = EvaluationRequest.from_params(params)
    assert together.n_runs == 2
    (scenario,) = together.scenarios(gold)
    assert set(scenario.removed) == {("sport", "golf"), ("law",)}
    assert scenario.name == "without sport/golf, law"
    apart = EvaluationRequest.from_params({**params, "one_by_one": True})
    assert apart.n_runs == 4
    assert [scenario.removed for scenario in apart.scenarios(gold)] == [(("sport", "golf"),), (("law",),)]


def test_what_cannot_be_asked_is_refused_with_the_remedy():
    gold = gold_from_labels(COUNTS)
    with pytest.raises(JobError, match="Choose at least one"):
        EvaluationRequest().scenarios(gold)
    with pytest.raises(JobError, match="one at a time"):
        EvaluationRequest(remove=(("sport",), ("law",))).scenarios(gold)
    with pytest.raises(InputError, match="no topic 'cookery'"):
        EvaluationRequest(remove=(("cookery",),)).scenarios(gold)
