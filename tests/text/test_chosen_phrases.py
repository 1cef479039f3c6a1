"""What a person wants kept or dropped as a phrase, is."""

from __future__ import annotations

from pathlib import Path

import pytest

from taxocom.settings import TextSettings
from taxocom.text.corpus import open_corpus
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document

FILLER = ["river", "stone", "cloud", "paper", "glass", "wheel", "bread", "lamp", "chair", "metal"]


@pytest.fixture
def documents() -> list[Document]:
    made = []
    for i in range(60):
        a, b, c, d = (FILLER[(i * k + i // 10) % 10] for k in (1, 3, 7, 9))
        made.append(Document(str(i), f"{a} new york city {b}. {c} machine learning {d}. {b} blue door {c}."))
    return made


def phrases(documents: list[Document], folder: Path, **settings: tuple[str, ...]) -> set[str]:
    folder.mkdir()
    build_corpus(documents, folder, settings=TextSettings(**settings))
    return {term for term in open_corpus(folder).vocabulary.terms if "_" in term}


def test_a_dropped_phrase_is_never_made_however_it_could_be_put_together(documents: list[Document], tmp_path: Path):
    assert {"new_york_city", "machine_learning"} <= phrases(documents, tmp_path / "all")
    left = phrases(documents, tmp_path / "dropped", dropped_phrases=("New York City", "machine learning"))
    assert not left & {"new_york_city", "machine_learning"}
    assert left & {"new_york", "york_city"}


def test_a_kept_phrase_is_a_term_even_if_it_is_dropped_too(documents: list[Document], tmp_path: Path):
    kept = phrases(documents, tmp_path / "kept", kept_phrases=("door glass", "slept"), dropped_phrases=("blue door",))
    assert "blue_door" not in kept
    both = phrases(documents, tmp_path / "both", kept_phrases=("blue door",), dropped_phrases=("blue door",))
    assert "blue_door" in both


def test_the_choice_is_part_of_what_a_corpus_was_built_from(documents: list[Document], tmp_path: Path):
    prints = set()
    for name, settings in (("plain", TextSettings()), ("dropped", TextSettings(dropped_phrases=("blue door",)))):
        folder = tmp_path / name
        folder.mkdir()
        prints.add(build_corpus(documents, folder, settings=settings).fingerprint)
    assert len(prints) == 2
