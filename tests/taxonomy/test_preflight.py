from __future__ import annotations

import json

import numpy as np
import pytest

from taxocom.errors import SeedError
from taxocom.taxonomy.preflight import apply_fix, check_seed
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.terms.vocabulary import Vocabulary

TERMS = ("machine_learning", "soccer", "court", "goal", "physics", "42", "rings", "judge")
VOCABULARY = Vocabulary(
    TERMS,
    np.array([900, 400, 300, 200, 90, 80, 50, 5], dtype=np.int32),
    np.array([412, 200, 150, 100, 60, 40, 30, 3], dtype=np.int32),
    np.ones(len(TERMS), dtype=np.float32),
    np.array([True] * 5 + [False] + [True] * 2),
)
# court and judge point one way, soccer and goal another.
VECTORS = np.array(
    [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0.1, 0], [0, 0, 1], [0.5, 0.5, 0], [0, 0, 1], [0, 1, 0.1]], dtype=np.float32
)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)


def seed_of(*topics: tuple[str, tuple[str, ...]]) -> Taxonomy:
    seed = Taxonomy.empty()
    for number, (label, keywords) in enumerate(topics):
        seed = seed.with_topic(TopicNode(f"t{number}", label, keywords=keywords), ROOT_ID)
    return seed


def codes(seed: Taxonomy, **options) -> list[tuple[str, str]]:
    return [(finding.node_id, finding.code) for finding in check_seed(seed, VOCABULARY, **options).findings]


def test_a_name_is_matched_as_the_tokeniser_writes_it():
    report = check_seed(seed_of(("Machine Learning", ()), ("Courts", ()), ("ring", ())), VOCABULARY)
    assert [(match.term, match.matched_by) for match in report.matches] == [
        ("machine_learning", "name"),
        ("court", "name"),
        ("rings", "name"),
    ]
    assert (report.matches[0].count, report.matches[0].document_frequency) == (900, 412)
    assert (report.ok, report.n_matched, report.findings) == (True, 3, ())


def test_a_name_that_is_no_term_gets_the_nearest_by_spelling_with_their_documents():
    report = check_seed(seed_of(("machin lerning", ()), ("Soccer", ())), VOCABULARY)
    (finding,) = report.findings
    assert (finding.severity, finding.code) == ("error", "not-a-term")
    assert "machine learning (412 documents)" in finding.message
    assert (finding.fixes[0].kind, finding.fixes[0].value) == ("add_keyword", "machine learning")
    assert not report.ok


def test_a_name_that_is_no_term_gets_the_nearest_by_meaning():
    seed = seed_of(("court cases", ()), ("Soccer", ()))
    near = check_seed(seed, VOCABULARY, term_vectors=VECTORS).matches[0].near_by_meaning
    assert [found.term for found in near][:2] == ["court", "judge"]
    assert check_seed(seed, VOCABULARY).matches[0].near_by_meaning == ()


def test_every_fix_solves_its_finding():
    seed = seed_of(("machin lerning", ()), ("Soccer", ()))
    for fix in check_seed(seed, VOCABULARY).findings[0].fixes:
        assert check_seed(apply_fix(seed, fix), VOCABULARY).ok


def test_a_topic_can_be_known_by_its_keywords():
    seed = seed_of(("Justice", ("judge", "courts", "tribunal")), ("Soccer", ()))
    report = check_seed(seed, VOCABULARY)
    assert (report.matches[0].term, report.matches[0].matched_by) == ("court", "keyword")
    assert [finding.code for finding in report.findings] == ["by-keyword", "unknown-keywords"]
    assert report.ok


@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        ((("the", ()), ("Soccer", ())), [("t0", "stop-word")]),
        ((("judge", ()), ("Soccer", ())), [("t0", "few-documents")]),
        ((("Soccer", ()), ("soccer", ())), [("t1", "duplicate")]),
        ((("Courts", ()), ("Court", ())), [("t1", "same-term")]),
        ((("Football", ("soccer",)), ("Soccer", ())), [("t0", "by-keyword"), ("t1", "same-term")]),
    ],
)
def test_what_weakens_a_seed_is_found(topics, expected):
    assert codes(seed_of(*topics)) == expected


def test_a_user_may_bring_stop_words():
    assert codes(seed_of(("soccer", ()), ("court", ())), stop_words=["soccer"]) == [("t0", "stop-word")]


def test_the_same_name_elsewhere_is_a_warning_and_beside_itself_an_error():
    seed = seed_of(("Soccer", ()), ("Court", ()))
    below = seed.with_topic(TopicNode("t9", "soccer"), "t1")
    beside = seed.with_topic(TopicNode("t9", "soccer"), ROOT_ID)
    assert [finding.severity for finding in check_seed(below, VOCABULARY).findings] == ["warning"]
    assert [finding.severity for finding in check_seed(beside, VOCABULARY).findings] == ["error"]


def test_a_number_is_no_suggestion():
    report = check_seed(seed_of(("421", ()), ("Soccer", ())), VOCABULARY)
    assert "42" not in [near.term for near in report.matches[0].near_by_spelling]


def test_a_seed_that_the_corpus_never_speaks_of_is_an_error():
    report = check_seed(seed_of(("Psychics", ()), ("zzz", ())), VOCABULARY)
    with pytest.raises(SeedError, match=r"None of the 2 topics.*'Psychics': physics \(60 documents\)"):
        report.require_match()
    check_seed(seed_of(("Soccer", ())), VOCABULARY).require_match()


def test_the_report_is_text_and_data():
    report = check_seed(seed_of(("machin lerning", ()), ("judge", ())), VOCABULARY)
    text = report.report()
    assert text.startswith("1 of 2 topics occur in the corpus.")
    assert text.index("To fix:") < text.index("To check:")
    data = json.loads(json.dumps(report.to_dict()))
    assert (data["ok"], data["matched"], data["findings"][0]["fixes"][0]["value"]) == (False, 1, "machine learning")
