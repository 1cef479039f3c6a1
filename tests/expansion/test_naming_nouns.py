from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from taxocom.expansion.describe import cluster_names
from taxocom.expansion.describe.naming import NameEvidence, suggest_names
from taxocom.expansion.describe.noun_families import nouns_of_adjectives
from taxocom.text.terms.vocabulary import Vocabulary

TEXTS = ("A medical question of medicine, and of physics. A doctor, and of doctor", "the medical view of medicine") * 5
# (significance, inside, outside) of 100 and 900 documents, and a direction.
TABLE = {
    "medical": ((0.6, 40, 0), (1.0, 0.1)),
    "medicine": ((0.6, 20, 0), (1.0, 0.0)),
    "doctor": ((0.6, 30, 0), (0.0, 1.0)),
    "physics": ((0.0, 0, 300), (-1.0, -0.5)),
}


def evidence_of(table=TABLE, **changes):
    values, vectors = zip(*table.values(), strict=True)
    significance, inside, outside = zip(*values, strict=True)
    evidence = NameEvidence(
        term_ids=np.arange(len(table), dtype=np.int32),
        significance=np.array(significance, dtype=np.float32),
        inside=np.array(inside),
        outside=np.array(outside),
        n_inside=100,
        n_outside=900,
        vectors=np.array(vectors, dtype=np.float32),
        texts=TEXTS,
    )
    return replace(evidence, **changes)


def vocabulary_of(table=TABLE, may_not=()):
    n = len(table)
    may_name = np.array([term not in may_not for term in table])
    counts = np.full(n, 9, dtype=np.int32)
    return Vocabulary(tuple(table), counts, counts.copy(), np.full(n, 0.8, dtype=np.float32), may_name)


def families_of(table, texts=TEXTS, may_not=()):
    evidence, terms = evidence_of(table), list(table)
    found = nouns_of_adjectives(
        vocabulary_of(table, may_not), evidence.term_ids, np.arange(len(table)), evidence.vectors, texts
    )
    return {terms[adjective]: terms[noun] for adjective, noun in found.items()}


def renamed(old, new, direction=None):
    """Return the table with another word in the place of one, if wanted with another direction."""
    return {
        (new if term == old else term): (values, direction if direction and term == old else vector)
        for term, (values, vector) in TABLE.items()
    }


def test_outside_english_no_word_is_taken_for_an_adjective():
    german = replace(vocabulary_of(), language="de")
    assert suggest_names(evidence_of(), german) == suggest_names(evidence_of(texts=()), vocabulary_of())


def test_an_adjective_gives_its_place_and_its_documents_to_its_noun():
    assert suggest_names(evidence_of(texts=()), vocabulary_of())[0] == "medical"
    assert suggest_names(evidence_of(), vocabulary_of()) == ("medicine", "doctor")


@pytest.mark.parametrize(("doctors", "first"), [(51, "medicine"), (53, "doctor")])
def test_documents_of_both_are_counted_as_if_independent(doctors, first):
    # 0.2 + 0.4 - 0.2 · 0.4 = 0.52.
    table = {**TABLE, "doctor": ((0.6, doctors, 0), (0.0, 1.0))}
    assert suggest_names(evidence_of(table), vocabulary_of())[0] == first


def test_what_both_say_elsewhere_counts_too():
    # Outside 0.02 + 0.5 - 0.01: no longer a name for these documents.
    table = {
        **TABLE,
        "medical": ((0.6, 40, 450), (1.0, 0.1)),
        "medicine": ((0.6, 20, 18), (1.0, 0.0)),
    }
    assert suggest_names(evidence_of(table), vocabulary_of())[0] == "doctor"


def test_a_noun_is_suggested_even_if_it_is_an_anchor_of_another_cluster():
    is_member = np.array([True, False, True, False])
    assert suggest_names(evidence_of(is_member=is_member), vocabulary_of()) == ("medicine", "doctor")
    assert is_member.tolist() == [True, False, True, False]


@pytest.mark.parametrize("way", ["taken", "rejected"])
def test_the_adjective_of_a_name_that_is_taken_or_rejected_is_no_name_either(way):
    assert suggest_names(evidence_of(), vocabulary_of(), **{way: ["Medicine"]}) == ("doctor",)


def test_without_vectors_or_texts_nothing_is_a_family():
    assert "medical" in suggest_names(evidence_of(vectors=None), vocabulary_of())
    assert "medical" in suggest_names(evidence_of(texts=()), vocabulary_of())


def test_a_family_begins_alike_keeps_the_same_company_and_is_used_so():
    assert families_of(TABLE) == {"medical": "medicine"}
    other = [text.replace("medicine", "meditation") for text in TEXTS]
    assert families_of(renamed("medicine", "meditation"), other) == {}
    longer = [text.replace("medicine", "medicinally") for text in TEXTS]
    assert families_of(renamed("medicine", "medicinally"), longer) == {}
    assert families_of(renamed("medicine", "medicine", (-1.0, 1.0))) == {}
    assert families_of(TABLE, [text.replace("medical ", "medical, ") for text in TEXTS]) == {}
    assert families_of(TABLE, [text.replace("of medicine", "to medicine") for text in TEXTS]) == {}
    assert families_of(TABLE, may_not=["medicine"]) == {}


def test_what_all_words_have_in_common_makes_no_family():
    table = {term: (values, (vector[0], vector[1], 9.0)) for term, (values, vector) in TABLE.items()}
    assert families_of(table) == {"medical": "medicine"}
    apart = {**table, "medicine": (TABLE["medicine"][0], (-1.0, 1.0, 9.0))}
    assert families_of(apart) == {}


def test_of_several_nouns_the_one_nearest_in_direction():
    texts = [text.replace("of physics", "of medics, and of physics") for text in TEXTS]
    near, far = (1.0, 0.1), (1.0, 0.6)
    for medics, medicine, noun in ((near, far, "medics"), (far, near, "medicine")):
        table = {**TABLE, "medicine": (TABLE["medicine"][0], medicine), "medics": ((0.1, 1, 0), medics)}
        assert families_of(table, texts) == {"medical": noun}


def test_words_outside_the_evidence_are_not_looked_at():
    only = np.array([0, 2, 3], dtype=np.int32)
    vectors = np.array([(1.0, 0.0), (0.0, 1.0), (1.0, 0.0)], dtype=np.float32)
    assert nouns_of_adjectives(vocabulary_of(), only, np.arange(3), vectors, TEXTS) == {}


@pytest.mark.parametrize("n_members", [0, 1, 400, 799, 5_001])
def test_openings_are_of_the_cluster_and_from_all_of_it(n_members):
    documents = np.arange(2 * n_members)
    corpus = SimpleNamespace(texts=[f"{number} " + "x" * 2_000 for number in documents])
    evidence = SimpleNamespace(documents=documents)
    partition = SimpleNamespace(documents=SimpleNamespace(cluster=documents % 2))
    openings = cluster_names._openings(corpus, evidence, partition, 1)
    read = [int(text.split()[0]) for text in openings]
    assert all(number % 2 for number in read)
    assert len(read) == min(n_members, 400)
    assert len(set(read)) == len(read)
    assert read[:1] == [1] * bool(n_members)
    assert read[-1:] == [len(documents) - 1] * bool(n_members)
    assert all(len(text) == 1_500 for text in openings)
