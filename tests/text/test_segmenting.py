"""New texts in the terms of a corpus that is indexed already."""

from __future__ import annotations

import numpy as np
import pytest

from taxocom.text.corpus import Corpus
from taxocom.text.terms.segmenting import Segmenter

TERMS = ("machine_learning", "learning", "machine", "law_and_order", "中国", "finite_groups", "groups")


def found(text: str, segmenter: Segmenter) -> dict[str, int]:
    row = segmenter.counts([text])
    return {TERMS[term]: int(count) for term, count in zip(row.indices, row.data, strict=True)}


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Machine learning and a machine", {"machine_learning": 1, "machine": 1}),
        ("the machine. Learning", {"machine": 1, "learning": 1}),
        ("Law and order!", {"law_and_order": 1}),
        ("law, and order", {}),
        ("A finite group, two finite groups", {"finite_groups": 2}),
        ("在中国", {"中国": 1}),
        ("the Machine's learning", {"machine_learning": 1}),
        ("", {}),
    ],
)
def test_the_longest_term_is_found_and_none_across_a_mark(text: str, terms: dict[str, int]) -> None:
    assert found(text, Segmenter(TERMS, {"finite_group": "finite_groups"})) == terms


def test_a_text_that_came_segmented_is_taken_as_it_stands() -> None:
    segmenter = Segmenter(TERMS, {}, segmented=True)
    assert found("machine_learning machine learning", segmenter) == {"machine_learning": 1, "machine": 1, "learning": 1}


def test_the_texts_of_a_corpus_have_the_terms_that_it_was_indexed_with() -> None:
    rng = np.random.default_rng(3)
    words = ["goal", "striker", "court", "judge", "machine learning", "point of view"]
    texts = [" ".join([*rng.choice(words, 12), f"number{number}"]) + "." for number in range(80)]
    corpus = Corpus.from_documents(texts, seed_phrases=["machine learning"])
    again = Segmenter(corpus.vocabulary.terms, corpus.vocabulary.aliases).counts(corpus.texts)
    differing = abs(again - corpus.counts).sum()
    assert differing <= 0.02 * corpus.counts.sum()


def test_how_texts_are_put_together_changes_nothing() -> None:
    texts = ["machine learning", "", "law and order of groups", "groups machine"]
    segmenter = Segmenter(TERMS, {})
    together = segmenter.counts(texts).toarray()
    assert np.array_equal(together, np.vstack([segmenter.counts([text]).toarray() for text in texts]))
