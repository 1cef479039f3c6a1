"""What is not language must not become terms, and what is must stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.text.language.cleaning import clean
from taxocom.text.language.tokens import tokens_of, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("see http://example.org/a_b?c=d now", ["see", "now"]),
        ("visit www.example.org/x, then", ["visit", "then"]),
        ("mail figmo@netcom.com today", ["mail", "today"]),
        ("the $C^*$-algebras of $\\mathbb{R}^n$ here", ["the", "algebras", "of", "here"]),
        ("a $1$-greedy base", ["a", "greedy", "base"]),
        ("a $3 \\times 3$ matrix", ["a", "matrix"]),
        ("we \\emph{prove} a bound \\cite{Foo99} on it", ["we", "prove", "a", "bound", "on", "it"]),
        (
            "Schr\\\"odinger, Poincar\\'{e}, Erd\\H{o}s, \\L{}ukasiewicz",
            ["schrödinger", "poincaré", "erdős", "łukasiewicz"],
        ),
        ("<p class='x'>bold &amp; new</p>", ["bold", "new"]),
        ("begin\nM" + "AX>'" * 15 + "\nend", ["begin", "end"]),
        ("key " + "QUJD" * 20 + " end", ["key", "end"]),
    ],
)
def test_only_words_of_the_language_are_left(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    "text", ["it costs $5 and not $10 a day", "from $4.95 to $7 each, or US$ 3", "a < b and c > d", "R&D; AT&T"]
)
def test_money_and_plain_signs_are_not_markup(text: str) -> None:
    plain = text.replace("$", " ").replace("<", " ").replace(">", " ").replace("&", " ")
    assert words_of(text) == words_of(plain)


def test_what_is_dropped_ends_a_phrase() -> None:
    assert tokens_of("finite $n$ groups") == ["finite", ".", "groups"]


@pytest.mark.parametrize(
    "piece", ["a", "<!--", "$", "$x", "\\[", "\\(", "\\cite{", "&", "@", "a.", "字", "<a ", "\n ", "'"]
)
def test_much_of_anything_is_cleaned_at_once(piece: str) -> None:
    tokens_of(piece * (200_000 // len(piece)) + " @ $ < > & ; \\ \\[ $")


@given(st.text())
def test_cleaning_never_fails_and_plain_text_is_left_alone(text: str) -> None:
    clean(text)
    if text.isalpha() and len(text) < 40:
        assert clean(text) == text
