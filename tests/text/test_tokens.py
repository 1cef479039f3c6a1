"""Any script gives words, and a word has one normal form wherever it comes from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.text.language.stop_words import english, stop_words
from taxocom.text.language.tokens import is_number_like, is_too_short, tokens_of, word_spans, words_of
from taxocom.text.language.words import BREAK, Kind, WordIndex
from taxocom.text.terms.vocabulary import display, normal_term


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't PANIC", ["don't", "panic"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("Maxwell's and Maxwell’s", ["maxwell", "and", "maxwell"]),
        ("l'homme et qu’elle", ["homme", "et", "elle"]),
        ("snake_case", ["snake", "case"]),
        ("ﬁnite ＡＢＣ", ["finite", "abc"]),
        ("Übergröße", ["übergröße"]),
        ("математика и физика", ["математика", "и", "физика"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("العربية لغة", ["العربية", "لغة"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("机器学习", ["机", "器", "学", "习"]),
        ("コンピュータを使う", ["コンピュータ", "を", "使", "う"]),
        ("science & technology", ["science", "and", "technology"]),
        ("", []),
        ("?!", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_a_thai_vowel_sign_stays_with_its_consonant() -> None:
    assert words_of("ที่") == ["ที่"]


def test_punctuation_stands_between_words_and_a_hyphen_does_not() -> None:
    assert tokens_of("one, two-three -- four") == ["one", ",", "two", "three", "--", "four"]
    assert tokens_of("line\nbreak\n\nparagraph") == ["line", "break", "\n\n", "paragraph"]


@pytest.mark.parametrize("word", ["1993", "3.14", "0x1f0h", "1f0h7", "2000s", "a1b2c3"])
def test_numbers_and_codes_are_told(word: str) -> None:
    assert is_number_like(word)


@pytest.mark.parametrize("word", ["3d", "mp3", "x86", "h2o", "covid19", "word", "слово", "日"])
def test_words_with_a_digit_may_still_be_words(word: str) -> None:
    assert not is_number_like(word)


def test_one_letter_is_too_short_and_an_ideograph_is_not() -> None:
    assert is_too_short("x")
    assert is_too_short("あ")
    assert not is_too_short("水")


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_a_normal_term_is_its_own_normal_form(name: str) -> None:
    term = normal_term(name)
    assert normal_term(display(term)) == term


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=80))
def test_plain_text_has_the_same_words_beside_a_letter_that_is_not_plain(text: str) -> None:
    assert word_spans(text) == word_spans(f"{text} é")[:-1]


@given(st.text(max_size=80))
def test_word_spans_lie_in_order_inside_the_text(text: str) -> None:
    end = 0
    for span in word_spans(text):
        assert end <= span.start < span.stop <= len(text)
        end = span.stop


@pytest.mark.parametrize(
    "text", ["Don't PANIC, Maxwell’s l'homme", "机器学习 is コンピュータ", "state-of-the-art हिन्दी"]
)
def test_word_spans_are_the_words_of_the_text(text: str) -> None:
    assert [span.word for span in word_spans(text)] == words_of(text)


def test_the_english_list_holds_function_words_and_no_subjects() -> None:
    words = english().words
    assert {"the", "don't", "of", "however", "is"} <= words
    assert words.isdisjoint({"method", "system", "government", "music", "art"})
    assert english().connectors <= words
    assert english().articles <= words
    assert {"first", "non"} <= english().openers
    assert english().openers.isdisjoint(words)


def test_a_users_stop_words_are_read_as_text_is() -> None:
    assert stop_words(["Der", "DIE", "l'on"]).words == {"der", "die", "l'on"}
    assert stop_words(()).words == frozenset()


def test_spellings_of_one_word_share_an_id_and_punctuation_is_a_break() -> None:
    index = WordIndex(english())
    ids = index.ids_of("Maxwell, maxwell's 1993 the x").tolist()
    assert ids[0] == ids[2]
    assert ids[1] == ids[-1] == BREAK
    met = index.kinds()
    kinds = {index.words[i]: met[i] for i in ids}
    assert kinds == {"maxwell": Kind.WORD, "": Kind.BREAK, "1993": Kind.NUMBER, "the": Kind.STOP, "x": Kind.OPENER}


def test_segmented_text_is_split_at_spaces_only() -> None:
    index = WordIndex(english(), segmented=True)
    assert [index.words[i] for i in index.ids_of("Machine_Learning is e-mail")] == [
        "machine_learning",
        "is",
        "e-mail",
        "",
    ]
