"""Reading the texts of a project again: the same ones as before, with what a person wishes changed; or other texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from taxocom.errors import InputError
from taxocom.store import Project
from taxocom.store.projects.corpus_reading import CorpusReading, corpus_reading
from taxocom.text.language.languages import language_name

_NOTE = "phrase_wishes"


@dataclass(frozen=True)
class ReadingWishes:
    """What a person may want changed: phrases to keep, phrases to drop, and the language if not the one detected."""

    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    language: str | None = None

    @classmethod
    def of(cls, settings: Mapping[str, Any] | None) -> ReadingWishes:
        """Return the wishes among the settings that texts are read by."""
        given = settings or {}
        kept, dropped = (tuple(given.get(name) or ()) for name in ("kept_phrases", "dropped_phrases"))
        return cls(kept, dropped, given.get("language"))

    def without(self, phrases: Sequence[str]) -> ReadingWishes:
        """Drop phrases; one that was to be kept no longer is."""
        kept = tuple(phrase for phrase in self.kept if phrase not in phrases)
        return replace(self, kept=kept, dropped=tuple(dict.fromkeys([*self.dropped, *phrases])))

    def with_phrase(self, phrase: str) -> ReadingWishes:
        """Keep a phrase; if it was to be dropped it no longer is."""
        phrase = " ".join(phrase.split())
        dropped = tuple(other for other in self.dropped if other != phrase)
        return replace(self, kept=tuple(dict.fromkeys([*self.kept, phrase])), dropped=dropped)

    def leaving_alone(self, phrase: str) -> ReadingWishes:
        """Neither keep nor drop a phrase: the texts decide again whether it is one."""
        kept, dropped = (tuple(other for other in each if other != phrase) for each in (self.kept, self.dropped))
        return replace(self, kept=kept, dropped=dropped)

    def difference(self, in_use: ReadingWishes) -> dict[str, list[str]]:
        """Return what would change if the texts were read by these wishes and not by those in use, under headings."""
        gone = [phrase for phrase in (*in_use.kept, *in_use.dropped) if phrase not in (*self.kept, *self.dropped)]
        language = language_name(self.language) if self.language else "as detected"
        changes = {
            "Language": [language] if self.language != in_use.language else [],
            "Keep": [phrase for phrase in self.kept if phrase not in in_use.kept],
            "Drop": [phrase for phrase in self.dropped if phrase not in in_use.dropped],
            "Neither kept nor dropped": gone,
        }
        return {heading: phrases for heading, phrases in changes.items() if phrases}

    def as_settings(self) -> dict[str, Any]:
        """Return the wishes as settings that texts are read by."""
        phrases = {"kept_phrases": list(self.kept), "dropped_phrases": list(self.dropped)}
        return {**phrases, "language": self.language}

    def keep(self, project: Project, *, by: str | None = None) -> None:
        """Note the wishes in the project, for the next time its texts are read; `by` is who has them."""
        if by is not None:
            project.require("texts", by)
        project.set_about(**{_NOTE: self.as_settings()})


def wishes_in_use(project: Project) -> ReadingWishes:
    """Return the wishes that the texts of a project were read by."""
    reading = corpus_reading(project)
    return ReadingWishes.of(reading.settings if reading else None)


def reading_wishes(project: Project) -> ReadingWishes:
    """Return the wishes noted in a project; without a note those that its texts were read by."""
    in_use, noted = wishes_in_use(project), project.about().get(_NOTE)
    return in_use if noted is None else ReadingWishes.of({"language": in_use.language, **noted})


def same_texts(project: Project) -> CorpusReading:
    """Return how to read the texts of a project again: as they were read, with what was wished since."""
    reading = corpus_reading(project)
    if reading is None or not reading.source:
        raise InputError("It is not known where these texts came from. Choose the file again.")
    return replace(reading, settings=_with_wishes(reading.settings, reading_wishes(project)))


def other_texts(project: Project, chosen: CorpusReading) -> CorpusReading:
    """Return how to read other texts into a project: the settings of the project, and what was chosen for these texts.

    Columns, encoding and language belong to a file and do not carry over.
    """
    reading = corpus_reading(project)
    before = {**(reading.settings or {})} if reading else {}
    kept = _with_wishes(before, replace(reading_wishes(project), language=None))
    return replace(chosen, settings={**kept, **(chosen.settings or {})})


def _with_wishes(settings: Mapping[str, Any] | None, wishes: ReadingWishes) -> dict[str, Any]:
    return {**(settings or {}), **wishes.as_settings()}
