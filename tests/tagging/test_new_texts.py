"""New texts in the lexicon lie where the documents of a corpus would."""

from __future__ import annotations

import numpy as np

from taxocom.tagging import new_texts
from taxocom.tagging.lexicon import Lexicon, document_vectors
from taxocom.tagging.new_texts import LexiconReader

TEXTS = ["goal match goal", "vote  law\nvote", "unheard", "", "match vote sport", "politics"]


def test_a_text_lies_where_it_would_as_a_document(tiny: Lexicon) -> None:
    documents = document_vectors(tiny, TEXTS)
    reader = LexiconReader(tiny, documents.idf, documents.center)
    for _ in range(2):
        assert np.allclose(reader.read(TEXTS).vectors, documents.vectors, atol=1e-3)
    assert np.allclose(reader.read(["sport match vote"]).vectors[0], documents.vectors[4], atol=1e-3)
    assert reader.read([]).vectors.shape == (0, 2)


def test_words_that_were_forgotten_are_cut_again(tiny: Lexicon, monkeypatch) -> None:
    documents = document_vectors(tiny, TEXTS)
    reader = LexiconReader(tiny, documents.idf, documents.center)
    monkeypatch.setattr(new_texts, "_MOST_WORDS", 1)
    parts = [reader.read([text]).vectors for text in TEXTS * 2]
    assert np.allclose(np.vstack(parts), np.vstack([documents.vectors] * 2), atol=1e-3)
