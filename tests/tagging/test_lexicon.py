"""What the lexicon makes of texts and names: by hand on six words, and by its own laws on the real table."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from taxocom.errors import CancelledError, SettingsError
from taxocom.settings import TaggingSettings
from taxocom.tagging import lexicon as module
from taxocom.tagging.lexicon import MAX_CHARACTERS, Lexicon, document_vectors, name_vectors
from tests.tagging.tiny_lexicon import VECTORS, WORDS

TEXTS = ["goal goal match", "vote law", "", "goal\n\tlaw"]


def test_a_text_is_the_pieces_of_its_words_in_reading_order(tiny: Lexicon) -> None:
    found = tiny.encode(TEXTS)
    assert [list(pieces) for pieces in found] == [[0, 0, 1], [2, 3], [], [0, 3]]
    assert all(pieces.dtype == np.int32 for pieces in found)


def test_batches_and_lines_make_no_difference(tiny: Lexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice([*WORDS, "unheard"], size=rng.integers(0, 9))) for _ in range(50)]
    expected = [[WORDS[word] for word in text.split() if word in WORDS] for text in texts]
    for batch, line in ((50, 50), (7, 2), (1, 1)):
        monkeypatch.setattr(module, "BATCH", batch)
        monkeypatch.setattr(module, "_LINE", line)
        assert [list(pieces) for pieces in tiny.encode(texts)] == expected


def test_only_the_beginning_of_a_long_text_is_read(tiny: Lexicon) -> None:
    (pieces,) = tiny.encode(["goal " * MAX_CHARACTERS])
    assert len(pieces) == MAX_CHARACTERS // len("goal ")


def test_a_name_is_the_plain_mean_of_its_pieces_and_zero_without_any(tiny: Lexicon) -> None:
    found = tiny.embed(["goal law", "unheard", "match"])
    assert found.tolist() == [[1, 3], [0, 0], [4, 0]]
    assert tiny.embed([]).shape == (0, 2)


def test_document_vectors_by_hand(tiny: Lexicon) -> None:
    found = document_vectors(tiny, TEXTS)
    # Four documents: "goal" and "law" stand in two of them, "match" and "vote" in one.
    twice, once, never = (math.log(5 / (frequency + 1)) for frequency in (2, 1, 0))
    assert found.idf == pytest.approx([twice, once, once, twice, never, never], rel=1e-6)
    means = np.array([[(2 * 2 * twice + 4 * once) / 3, 0], [0, (2 * once + 6 * twice) / 2], [twice, 3 * twice]])
    assert found.center == pytest.approx(means.mean(axis=0), rel=1e-6)
    centred = means - means.mean(axis=0)
    units = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    assert found.vectors[[0, 1, 3]] == pytest.approx(units, abs=1e-3)
    assert not found.vectors[2].any(), "a document without a piece is like no other"


def test_cosines_tell_which_name_a_document_is_nearest(tiny: Lexicon) -> None:
    documents = document_vectors(tiny, TEXTS)
    cosines = documents.cosines(name_vectors(tiny, ["sport", "politics", "goal vote"]))
    assert cosines.shape == (4, 3)
    assert cosines[0, 0] > cosines[0, 1]
    assert cosines[1, 1] > cosines[1, 0]
    assert not cosines[2].any()


def test_three_names_are_centred_and_two_are_not(tiny: Lexicon) -> None:
    two = name_vectors(tiny, ["goal", "sport", "unheard"])
    assert two == pytest.approx(np.array([[1, 0], [3 / math.sqrt(10), 1 / math.sqrt(10)], [0, 0]]), abs=1e-6)
    three = name_vectors(tiny, ["goal", "match", "sport", "unheard"])
    centred = VECTORS[[0, 1, 4]] - VECTORS[[0, 1, 4]].mean(axis=0, dtype=np.float64)
    assert three[:3] == pytest.approx(centred / np.linalg.norm(centred, axis=1, keepdims=True), abs=1e-6)
    assert not three[3].any(), "what is unheard of stays so, and moves no other"


def test_a_corpus_of_no_documents_or_silent_ones_has_no_directions(tiny: Lexicon) -> None:
    assert document_vectors(tiny, []).vectors.shape == (0, 2)
    assert not document_vectors(tiny, ["", "unheard"]).vectors.any()


def test_cancelling_passes_through(tiny: Lexicon) -> None:
    class Impatient:
        def report(self, stage: str, fraction: float) -> None:
            raise CancelledError("Cancelled.")

    with pytest.raises(CancelledError):
        document_vectors(tiny, TEXTS, Impatient())


def test_the_real_tokenizer_cuts_words_as_it_cuts_texts(real: Lexicon) -> None:
    texts = [
        "Everyday life, naïve façades; 東京 🎈 <s> e-mail\\alpha_{i}",
        "The  quick\tbrown\nfox isn't <unk> here.",
        " ",
        "x",
    ]
    for text, pieces in zip(texts, real.encode(texts), strict=True):
        whole = real.tokenizer.encode(" ".join(text.split()), add_special_tokens=False)
        assert list(pieces) == whole.ids
    assert 1 not in real.encode(["<s>"])[0], "what looks like a mark of the tokenizer is text"


def test_the_real_lexicon_knows_words_that_a_text_does_not_use(real: Lexicon) -> None:
    texts = [
        "The striker scored twice before half time and the keeper was sent off.",
        "Parliament passed the bill after ministers won the vote by a narrow margin.",
        "The new processor runs the operating system and its software twice as fast.",
        "Shares fell as the central bank raised interest rates to fight inflation.",
    ]
    names = ["sport", "politics", "technology", "business"]
    cosines = document_vectors(real, texts).cosines(name_vectors(real, names))
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_the_same_texts_give_the_same_bytes_with_and_without_threads(real: Lexicon) -> None:
    texts = [f"document {number} speaks of {number % 7} unrelated things" for number in range(300)]
    code = (
        "import hashlib; from taxocom.store.projects.lexicon_files import load_lexicon;"
        "from taxocom.tagging.lexicon import document_vectors;"
        f"print(hashlib.sha256(document_vectors(load_lexicon(), {texts!r}).vectors.tobytes()).hexdigest())"
    )
    digests = {
        subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
        for env in ({**os.environ, "TOKENIZERS_PARALLELISM": value} for value in ("true", "false"))
    }
    assert len(digests) == 1


def test_a_weight_outside_its_range_is_refused() -> None:
    assert TaggingSettings() == TaggingSettings(lexicon=True, lexicon_weight=5.0)
    with pytest.raises(SettingsError, match="lexicon_weight is -1"):
        TaggingSettings(lexicon_weight=-1)
    with pytest.raises(SettingsError, match="lexicon_weight is nan"):
        TaggingSettings(lexicon_weight=math.nan)
