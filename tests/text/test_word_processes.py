"""Words found by several processes are those that one process finds, to the byte."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from taxocom.errors import CancelledError
from taxocom.text import word_processes
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document
from taxocom.text.language.stop_words import stop_words
from taxocom.text.language.words import WordIndex

_WORDS = [
    "gravity",
    "maxwell's",
    "maxwell",
    "l'eau",
    "naïve",
    "量子力学",
    "wave",
    "function",
    "x-ray",
    "$a_b$",
    "3rd",
    "it's",
]


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_processes, "_WORTH_IT_CHARACTERS", 2_000)
    monkeypatch.setattr(word_processes, "_BATCH_CHARACTERS", 900)


def _documents(n: int = 400) -> Iterator[Document]:
    for d in range(n):
        words = [_WORDS[(d * 7 + step * step) % len(_WORDS)] for step in range(12)]
        yield Document(f"d{d}", f"{' '.join(words)}. New{d % 97} word{d}!", title=f"About {words[0]}" if d % 3 else "")


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


def _helpers() -> list[psutil.Process]:
    """Return the helpers that are at work for this process."""
    children = psutil.Process().children()
    return [each for each in children if "taxocom.text.word_helper" in each.cmdline()]


def test_an_index_made_by_several_processes_is_the_same_to_the_byte(tmp_path: Path) -> None:
    made = []
    for processes in (1, 2, 3):
        place = tmp_path / str(processes)
        place.mkdir()
        report = build_corpus(_documents(), place, seed_phrases=("wave function",), processes=processes)
        made.append((_digest(place), report))
    assert made[0] == made[1] == made[2]


def test_helpers_that_are_killed_cost_nothing_but_their_help() -> None:
    alone, helped = (WordIndex(stop_words(()), ("gravity",)) for _ in range(2))
    expected = [each.ids.tolist() for each in word_processes.document_words(_documents(), alone, 1)]
    found = []
    for number, each in enumerate(word_processes.document_words(_documents(), helped, 2)):
        found.append(each.ids.tolist())
        if number == 60:
            helpers = _helpers()
            assert len(helpers) == 2
            for helper in helpers:
                helper.kill()
    assert found == expected
    assert helped.words == alone.words


def test_a_cancel_ends_the_helpers(tmp_path: Path) -> None:
    class Cancelling:
        def report(self, stage: str, fraction: float) -> None:
            if stage.startswith("Reading documents (500"):
                assert _helpers()
                raise CancelledError("Cancelled.")

    with pytest.raises(CancelledError):
        build_corpus(_documents(3_000), tmp_path, processes=2, progress=Cancelling())
    assert not _helpers()
