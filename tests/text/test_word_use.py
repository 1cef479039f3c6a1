from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.text.language.word_use import word_use

WORDS = ["medical", "medicine", "minimise", "doctor", "quickly"]
# Each line five times: what is met less often may be anything.
ENGLISH = [
    "A medical student of medicine, and the doctor is here.",
    "The medical school of the doctor. We minimise the cost of medicine",
    "Some medical advice from the doctor who works with medicine; they minimise that.",
    "They work quickly. You minimise it and go quickly, with quickly many things",
] * 5


def use_of(texts, word):
    use = word_use(texts, [word])
    return int(use.seen[0]), int(use.closing[0]), int(use.bare[0])


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("medicine", (1, 1, 0)),
        ("of medicine", (1, 1, 1)),
        ("in medicine, in Medicine. (of medicine)", (3, 3, 2)),
        ("the medicine is old", (1, 1, 0)),
        ("in medicine bottles", (1, 0, 0)),
        ("in the medicine for me", (1, 1, 0)),
        ("medicine the", (1, 0, 0)),
        ("bio-medicine of", (0, 0, 0)),
        ("", (0, 0, 0)),
    ],
)
def test_counts_by_hand(text, counts):
    assert use_of([text], "medicine") == counts


def test_nothing_is_read_across_texts():
    # Behind one another these would be "of medicine" and "medicine bottles".
    assert use_of(["we speak of", "medicine", "bottles"], "medicine") == (1, 1, 0)


def test_adjectives_and_nouns_are_told_from_verbs_adverbs_and_what_needs_an_article():
    use = word_use(ENGLISH, WORDS)
    assert [word for word, holds in zip(WORDS, use.is_modifier, strict=True) if holds] == ["medical"]
    assert [word for word, holds in zip(WORDS, use.is_noun, strict=True) if holds] == ["medicine"]


@pytest.mark.parametrize(
    ("n_closing", "is_modifier", "is_noun"),
    [(0, True, False), (4, True, False), (5, False, False), (9, False, False), (10, False, True), (20, False, True)],
)
def test_what_has_a_word_behind_it_now_and_then_is_neither(n_closing, is_modifier, is_noun):
    use = word_use(["of gun, "] * n_closing + ["a gun owner"] * (20 - n_closing), ["gun"])
    assert (use.is_modifier[0], use.is_noun[0]) == (is_modifier, is_noun)


def test_what_is_rarely_met_is_neither():
    use = word_use(ENGLISH[:4], WORDS)
    assert not use.is_modifier.any()
    assert not use.is_noun.any()


def test_a_language_without_these_small_words_has_no_nouns():
    use = word_use(["nauka o zdrowiu, historia zdrowiu. W zdrowiu i po zdrowiu"] * 10, ["zdrowiu"])
    assert use.seen[0] == 40
    assert not use.is_noun.any()


def test_no_words_and_no_texts():
    assert len(word_use(ENGLISH, []).seen) == 0
    assert word_use([], ["medicine"]).seen.tolist() == [0]


@given(st.lists(st.text(alphabet="ab ,.", max_size=12).map(lambda text: text.replace("b", " of ")), max_size=6))
def test_bare_uses_are_closing_ones_and_the_order_of_texts_does_not_matter(texts):
    seen, closing, bare = use_of(texts, "a")
    assert bare <= closing <= seen
    assert use_of(texts[::-1], "a") == (seen, closing, bare)
