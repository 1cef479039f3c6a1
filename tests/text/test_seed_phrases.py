"""The seed's names are found in singular and plural, and are one term in either."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.text.terms.seed_phrases import number_forms, phrase_forms, seed_terms


@pytest.mark.parametrize(
    ("singular", "plural"),
    [("gun", "guns"), ("body", "bodies"), ("class", "classes"), ("box", "boxes"), ("matrix", "matrixes"),
     ("hero", "heroes"), ("virus", "viruses"), ("day", "days"), ("language", "languages"), ("process", "processes"),
     ("church", "churches"), ("movie", "movies")],
)  # fmt: skip
def test_singular_and_plural_lead_to_each_other(singular: str, plural: str) -> None:
    assert plural in number_forms(singular)
    assert singular in number_forms(plural)


@pytest.mark.parametrize("word", ["physics", "mathematics", "news", "analysis", "series", "us", "is", "水", "3d"])
def test_words_without_a_regular_other_number_are_left(word: str) -> None:
    assert word[:-1] not in number_forms(word)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12))
def test_a_word_is_its_own_first_form(word: str) -> None:
    forms = number_forms(word)
    assert forms[0] == word
    assert len(set(forms)) == len(forms)


def test_every_word_of_a_phrase_may_change_its_number() -> None:
    assert ("wars", "of", "independence") in phrase_forms(("war", "of", "independence"))
    assert phrase_forms(("finite", "groups"))[0] == ("finite", "groups")


def test_names_that_differ_in_number_are_the_one_given_first() -> None:
    seeds = seed_terms(["Finite Groups", "finite group", "Knots", "", "?!"])
    assert seeds.phrases == (("finite", "groups"), ("knots",))
    assert seeds.aliases["finite_group"] == "finite_groups"
    assert seeds.aliases["knot"] == "knots"
    assert "finite_groups" not in seeds.aliases


def test_a_name_of_many_words_has_a_bounded_number_of_forms() -> None:
    assert len(phrase_forms(tuple(f"name{chr(97 + i)}" for i in range(12)))) <= 64
