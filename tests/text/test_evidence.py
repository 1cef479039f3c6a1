"""Evidence: sentences cover the text, and terms are found where the index found them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.text.terms.passages import Passage, passages, sentences


def split(text: str) -> list[str]:
    return [text[span.start : span.stop] for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith met J. Doe, e.g. in Bonn. He left.", ["Dr. Smith met J. Doe, e.g. in Bonn.", "He left."]),
        ("Version 2.5 is out. Yes.", ["Version 2.5 is out.", "Yes."]),
        ('He said "No!" Then he left.', ['He said "No!"', "Then he left."]),
        ("机器学习很好。下一句！", ["机器学习很好。", "下一句！"]),
        ("यह एक वाक्य है। दूसरा।", ["यह एक वाक्य है।", "दूसरा।"]),
        ("A title\n\nA paragraph", ["A title", "A paragraph"]),
        ("  ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize("piece", [".", "A. ", "?!", ".)", "\n ", "。"])
def test_much_of_anything_is_split_at_once(piece: str) -> None:
    text = piece * (200_000 // len(piece)) + "x"
    assert "".join("".join(split(text)).split()) == "".join(text.split())


@given(st.text())
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    assert "".join("".join(split(text)).split()) == "".join(text.split())


def marked(passage: Passage) -> list[tuple[str, str]]:
    return [(passage.text[mark.start : mark.stop], mark.term) for mark in passage.highlights]


def test_terms_are_found_across_case_number_hyphens_and_line_breaks() -> None:
    text = "Wars of\nIndependence and machine-learning. Nothing here. Maxwell’s equations! 机器学习很好。"
    terms = ["war_of_independence", "machine_learning", "maxwell_equations", "机器学习"]
    found = passages([text], 0, terms, limit=5)
    assert [marked(passage) for passage in found] == [
        [("Wars of\nIndependence", "war_of_independence"), ("machine-learning", "machine_learning")],
        [("Maxwell’s equations", "maxwell_equations")],
        [("机器学习", "机器学习")],
    ]


def test_the_longest_term_is_marked_and_none_across_punctuation() -> None:
    found = passages(
        ["Support vector machines. A support, vector it is."], 0, ["support_vector", "support_vector_machine"]
    )
    assert [marked(passage) for passage in found] == [[("Support vector machines", "support_vector_machine")]]


def test_sentences_with_more_of_the_terms_come_first_into_the_selection() -> None:
    text = "About cats. About dogs and cats. About birds, dogs and cats. About dogs."
    found = passages([text], 0, ["cat", "dog", "bird"], limit=2)
    assert [passage.text for passage in found] == ["About dogs and cats.", "About birds, dogs and cats."]


def test_a_very_long_sentence_is_cut_around_what_was_found() -> None:
    text = "filler " * 400 + "the lighthouse stands " + "filler " * 400
    (passage,) = passages([text], 0, ["lighthouse"])
    assert len(passage.text) <= 400
    assert marked(passage) == [("lighthouse", "lighthouse")]


def test_no_term_no_passage() -> None:
    assert passages(["Nothing of it."], 0, ["lighthouse", ""]) == []
