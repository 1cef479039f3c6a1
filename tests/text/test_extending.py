"""A corpus that grows has the terms that it had, under the same ids, and the words that are new."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taxocom.progress import SILENT
from taxocom.settings import TextSettings
from taxocom.text.corpus import Corpus, open_corpus
from taxocom.text.extending import extend_corpus
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document

WORDS = ["goal", "striker", "court", "judge", "machine learning", "point of view", "vote", "senate"]
SETTINGS = TextSettings(min_count=3, stop_words=("the",))


def texts(n: int, words: list[str], first: int) -> list[Document]:
    rng = np.random.default_rng(first)
    made = (" ".join(["the", *rng.choice(words, 9), f"x{number}"]) + "." for number in range(first, first + n))
    return [Document(f"d{first + number}", text, f"Title {number}") for number, text in enumerate(made)]


OLD, NEW = texts(60, WORDS, 0), texts(20, [*WORDS, "vaccine", "the", "virus"], 100)


@pytest.fixture
def grown(tmp_path: Path) -> tuple[Corpus, Corpus, Corpus]:
    """The old corpus, the same with more documents, and one that was made of all at once."""
    for name in ("old", "new", "whole"):
        (tmp_path / name).mkdir()
    build_corpus(OLD, tmp_path / "old", settings=SETTINGS, seed_phrases=["judge"])
    old = open_corpus(tmp_path / "old")
    extend_corpus(old, tmp_path / "old", NEW, tmp_path / "new", settings=SETTINGS, progress=SILENT)
    build_corpus([*OLD, *NEW], tmp_path / "whole", settings=SETTINGS, seed_phrases=["judge"])
    return old, open_corpus(tmp_path / "new"), open_corpus(tmp_path / "whole")


def test_terms_keep_their_ids_and_new_words_come_behind_them(grown: tuple[Corpus, Corpus, Corpus]) -> None:
    old, new, _ = grown
    n_terms = len(old.vocabulary)
    assert new.vocabulary.terms[:n_terms] == old.vocabulary.terms
    assert set(new.vocabulary.terms[n_terms:]) == {"vaccine", "virus"}
    assert list(new.document_ids) == [each.document_id for each in (*OLD, *NEW)]
    assert list(new.texts)[-1] == NEW[-1].text
    assert new.titles[60] == "Title 0"
    assert new.fingerprint != old.fingerprint
    assert new.looked_for == ("judge",)


def test_what_is_counted_is_what_is_there(grown: tuple[Corpus, Corpus, Corpus]) -> None:
    old, new, whole = grown
    assert (new.counts[:60, : len(old.vocabulary)] != old.counts).nnz == 0
    assert np.array_equal(new.counts.sum(axis=0), new.vocabulary.counts)
    assert np.array_equal(new.counts.astype(bool).sum(axis=0), new.vocabulary.document_frequencies)
    assert new.n_tokens == new.counts.sum()
    ours = dict(zip(new.vocabulary.terms, new.vocabulary.counts.tolist(), strict=True))
    theirs = dict(zip(whole.vocabulary.terms, whole.vocabulary.counts.tolist(), strict=True))
    both = ours.keys() & theirs.keys()
    assert {"vaccine", "virus", "goal", "machine_learning"} <= both
    assert sum(abs(ours[term] - theirs[term]) for term in both) <= 0.05 * sum(theirs.values())


def test_it_can_grow_again(grown: tuple[Corpus, Corpus, Corpus], tmp_path: Path) -> None:
    _, new, _ = grown
    (tmp_path / "third").mkdir()
    third = texts(10, ["senate", "vote"], 300)
    report = extend_corpus(new, tmp_path / "new", third, tmp_path / "third", settings=SETTINGS, progress=SILENT)
    found = open_corpus(tmp_path / "third")
    assert (report.n_documents, found.n_documents) == (90, 90)
    assert list(found.texts) == [each.text for each in (*OLD, *NEW, *third)]
    assert list(found.titles) == [each.title for each in (*OLD, *NEW, *third)]
    assert found.vocabulary.terms == new.vocabulary.terms
