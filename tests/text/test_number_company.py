from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.text.language.number_company import beside_numbers

# Ten lines each: what is met less often may be anything.
REPORT = [
    "Shr 34 cts vs 30 cts. Revs 35 mln dlrs vs 2 mln dlrs; oil rose.",
    "On 12 January the price of oil fell, and oil fell",
] * 10
WORDS = ["shr", "cts", "mln", "dlrs", "january", "oil", "rose", "seldom"]


def shares(texts, words=WORDS):
    return dict(zip(words, beside_numbers(texts, words).tolist(), strict=True))


def test_units_months_and_headings_stand_beside_numbers_and_names_do_not():
    found = shares(REPORT)
    assert {word for word, share in found.items() if share >= 0.5} == {"shr", "cts", "mln", "dlrs", "january"}
    assert found["oil"] == found["rose"] == 0.0


def test_a_word_beside_what_stands_beside_numbers_counts_too():
    # "dlrs" never touches a figure; "mln" does.
    assert shares(REPORT)["dlrs"] == 1.0
    assert shares([line.replace("mln", "of") for line in REPORT])["dlrs"] == 0.0


@pytest.mark.parametrize("text", ["5 cm", "cm 5", "(5 cm)", "cm: 5.2", "$5 CM,"])
def test_either_side_and_marks_around_do_not_matter(text):
    assert shares([text] * 9, ["cm"]) == {"cm": 1.0}


def test_what_is_hardly_met_and_what_other_texts_say_is_no_company():
    assert shares(["5 cm"] * 4, ["cm"]) == {"cm": 0.0}
    assert shares(["cm", "5", "cm"] * 9, ["cm"]) == {"cm": 0.0}


@given(st.lists(st.text("ab 1.", max_size=12), max_size=12))
def test_a_share_is_one(texts):
    assert all(0.0 <= share <= 1.0 for share in beside_numbers(texts, ["a", "b", "ab"]))
