from __future__ import annotations

import numpy as np
import pytest

from taxocom.expansion.describe.name_fitness import is_clipped, name_fitness

TEXTS = [
    "The medical team played in the cup. A doctor of medicine, who played 3 cm behind the team, and some XML.",
    "They played, medical staff of the team and XML; rates fell 4 cts in the dlrs of the cup.",
] * 6


def fitness(*terms, texts=TEXTS, language="en"):
    return dict(zip(terms, name_fitness(texts, list(terms), language).tolist(), strict=True))


def test_nouns_are_fit_and_verbs_adjectives_units_and_clipped_words_are_less_so():
    found = fitness("team", "medicine", "cup", "played", "medical", "cm", "dlrs")
    assert found["team"] == found["medicine"] == found["cup"] == 1.0
    assert max(found["played"], found["medical"]) < 0.7
    assert max(found["cm"], found["dlrs"]) < 0.01


def test_what_is_written_in_capitals_is_a_name():
    assert fitness("xml")["xml"] > 0.1
    assert fitness("xml", texts=[text.lower() for text in TEXTS])["xml"] < 0.01


def test_a_phrase_is_unfit_only_if_all_its_words_are():
    assert fitness("cts_dlrs")["cts_dlrs"] < 0.01
    assert fitness("team_dlrs")["team_dlrs"] == 1.0


def test_other_languages_lose_nothing_by_english_grammar():
    assert fitness("played", "medical", language="de") == {"played": 1.0, "medical": 1.0}
    assert fitness("cm", language="de")["cm"] < 0.01


def test_nothing_to_read_takes_nothing_away():
    assert np.array_equal(name_fitness([], ["team", "played"], "en"), [1.0, 1.0])


@pytest.mark.parametrize(
    ("word", "language", "clipped"),
    [
        ("cts", "en", True),
        ("mln", "pl", True),
        ("млн", "ru", True),
        ("rhythm", "en", False),
        ("œuf", "fr", False),
        ("éts", "fr", False),
        ("vlk", "cs", False),
        ("中国", "zh", False),
        ("كتب", "ar", False),
    ],
)
def test_only_alphabets_with_vowels_and_languages_that_need_them_have_clipped_words(word, language, clipped):
    assert is_clipped(word, language) is clipped
