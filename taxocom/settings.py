"""Every number a person may set, with its default and its range."""

from __future__ import annotations

from dataclasses import dataclass

from taxocom.errors import SettingsError


@dataclass(frozen=True)
class TextSettings:
    """How text becomes terms.

    `stop_words` None means our English list; an empty tuple means none. `max_words` bounds the words of a phrase,
    `min_count` the occurrences a term needs to enter the vocabulary (seed names need one).
    """

    min_count: int = 5
    max_words: int = 4
    phrase_threshold: float = 0.3
    stop_words: tuple[str, ...] | None = None
    max_terms: int = 50_000

    def __post_init__(self) -> None:
        _at_least("min_count", self.min_count, 1)
        _between("max_words", self.max_words, 1, 6)
        _between("phrase_threshold", self.phrase_threshold, 0.0, 1.0)
        _at_least("max_terms", self.max_terms, 100)


def _at_least(name: str, value: float, low: float) -> None:
    if not value >= low:
        raise SettingsError(f"{name} is {value}; it must be at least {low}.")


def _between(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise SettingsError(f"{name} is {value}; it must lie between {low} and {high}.")
