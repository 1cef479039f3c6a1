"""Phrase mining: the kernels do what plain Python does, and planted phrases are found."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taxocom.numerics.phrase_kernels import TERM_BITS, count_terms, match_phrases, write_terms
from taxocom.progress import SILENT
from taxocom.text.language.words import Kind
from taxocom.text.terms.inventory import TermInventory
from taxocom.text.terms.phrases import PairCounts, count_adjacent, mine_phrases, significance
from taxocom.text.terms.seed_phrases import build_trie
from taxocom.text.terms.streams import TermStream

CONNECTOR, BARRED, FIRST_TERM = 1, 2, 3


def make_stream(folder: Path, documents: list[list[int]]) -> TermStream:
    path = folder / "words.tmp"
    np.array([i for document in documents for i in (*document, 0)], dtype=np.int32).tofile(path)
    return TermStream(path, np.cumsum([0, *(len(document) + 1 for document in documents)]))


def make_inventory(words: list[str]) -> TermInventory:
    """Make an inventory of a connector, a barred word and some terms."""
    every = ["of", "whereas", *words]
    kinds = [Kind.BREAK, Kind.STOP, Kind.STOP, *(Kind.OPENER if len(word) == 1 else Kind.WORD for word in words)]
    return TermInventory(
        words=[(), *((word,) for word in every)], kinds=kinds, formed=[0] * len(kinds), n_connectors=1, n_barred=2
    )


def plain_pairs(documents: list[list[int]]) -> Counter[tuple[int, ...]]:
    """Count adjacent terms, with up to two connectors between them, in the plainest way."""
    pairs: Counter[tuple[int, ...]] = Counter()
    for document in documents:
        for start, left in enumerate(document):
            for gap in range(3):
                run = document[start : start + gap + 2]
                if (
                    len(run) == gap + 2
                    and left >= FIRST_TERM
                    and run[-1] >= FIRST_TERM
                    and all(word == CONNECTOR for word in run[1:-1])
                ):
                    pairs[tuple(run)] += 1
    return pairs


documents_of_ids = st.lists(st.lists(st.integers(0, 7), max_size=30), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(documents=documents_of_ids, min_count=st.integers(1, 4))
def test_pairs_are_counted_as_plain_python_counts_them(
    tmp_path_factory: pytest.TempPathFactory, documents: list[list[int]], min_count: int
) -> None:
    stream = make_stream(tmp_path_factory.mktemp("pairs"), documents)
    inventory = make_inventory(list("abcde"))
    pairs = count_adjacent(stream, inventory, min_count=min_count, max_words=4, progress=SILENT, stage="")
    found = {
        (left, *([CONNECTOR] * (packed > 0)), *([CONNECTOR] * (packed >= 128)), right): count
        for left, packed, right, count in zip(
            pairs.left.tolist(), pairs.connectors.tolist(), pairs.right.tolist(), pairs.counts.tolist(), strict=True
        )
    }
    assert found == {run: count for run, count in plain_pairs(documents).items() if count >= min_count}


def test_pairs_longer_than_allowed_are_not_counted(tmp_path: Path) -> None:
    stream = make_stream(tmp_path, [[3, 1, 4]] * 5)
    counted = count_adjacent(stream, make_inventory(["a", "b"]), min_count=1, max_words=2, progress=SILENT, stage="")
    assert len(counted.keys) == 0


def test_more_pairs_than_the_table_first_holds_are_all_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(400)]
    documents = rng.integers(FIRST_TERM, FIRST_TERM + 400, (50, 2500)).tolist()
    counted = count_adjacent(
        make_stream(tmp_path, documents), make_inventory(words), min_count=1, max_words=2, progress=SILENT, stage=""
    )
    expected = Counter(pair for document in documents for pair in pairwise(document))
    assert len(expected) > 0.6 * 2**16
    assert (
        dict(zip(zip(counted.left.tolist(), counted.right.tolist(), strict=True), counted.counts.tolist(), strict=True))
        == expected
    )


def test_significance_of_a_hand_computed_case() -> None:
    # 100 joint occurrences, lowered by one standard error to 90; 200 and 300 single ones among 10,000 terms.
    pairs = PairCounts(np.array([3 << TERM_BITS | 4]), np.array([100]))
    counts = np.array([0, 0, 0, 200, 300])
    expected = math.log(90 / (200 * 300 / 10_000)) / -math.log(90 / 10_000)
    assert significance(pairs, counts, total=10_000)[0] == pytest.approx(expected)


@given(joint=st.integers(2, 1000), extra=st.integers(0, 1000), more=st.integers(1, 50))
def test_significance_never_exceeds_one_and_grows_with_the_joint_count(joint: int, extra: int, more: int) -> None:
    pairs = PairCounts(np.array([3 << TERM_BITS | 4] * 2), np.array([joint, joint + more]))
    counts = np.array([0, 0, 0, joint + more + extra, joint + more + extra])
    lower, higher = significance(pairs, counts, total=100_000)
    assert lower < higher <= 1.0


def mined(
    folder: Path, documents: list[list[int]], words: list[str], **changes: float
) -> tuple[TermStream, TermInventory]:
    stream, inventory = make_stream(folder, documents), make_inventory(words)
    options = {"min_count": 3, "max_words": 4, "threshold": 0.3} | changes
    mine_phrases(
        stream,
        inventory,
        min_count=int(options["min_count"]),
        max_words=int(options["max_words"]),
        threshold=options["threshold"],
        progress=SILENT,
    )
    return stream, inventory


def noise(rng: np.random.Generator, size: int, first: int, n: int) -> list[int]:
    return rng.integers(first, first + n, size).tolist()


def test_planted_phrases_are_found_and_merged(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    words = ["war", "independence", "deep", "neural", "network", *(f"noise{i}" for i in range(40))]
    planted = [[3, 1, 4], [5, 6, 7]]
    documents = [noise(rng, 6, 8, 40) + planted[number % 2] + noise(rng, 6, 8, 40) for number in range(200)]
    stream, inventory = mined(tmp_path, documents, words)
    war, deep = inventory.ids["war", "of", "independence"], inventory.ids["deep", "neural", "network"]
    counts = np.bincount(stream.ids, minlength=len(inventory))
    assert counts[war] == counts[deep] == 100
    assert {words for words in inventory.ids if len(words) > 1} >= {
        ("war", "of", "independence"),
        ("deep", "neural", "network"),
    }
    assert all("noise" not in word for words in inventory.words[len(words) + 3 :] for word in words)


def test_no_phrase_has_a_stop_word_at_an_edge_or_crosses_a_break(tmp_path: Path) -> None:
    documents = [[3, 1, 0, 4, 2, 5, 3, 0, 4]] * 50
    _, inventory = mined(tmp_path, documents, ["alpha", "beta", "gamma"], threshold=0.0)
    assert set(inventory.ids) - {(w,) for w in ("of", "whereas", "alpha", "beta", "gamma")} <= {("gamma", "alpha")}


def test_of_overlapping_pairs_the_stronger_is_merged(tmp_path: Path) -> None:
    # "ab" only ever stands together; "bc" often meets elsewhere: in "a b c" the bond of a and b wins.
    rng = np.random.default_rng(2)
    documents = [[3, 4, 5, *noise(rng, 5, 6, 20), 5, 6 + number % 20] for number in range(100)]
    stream, inventory = mined(
        tmp_path, documents, ["aa", "bb", "cc", *(f"x{i}" for i in range(20))], max_words=2, threshold=0.2
    )
    counts = np.bincount(stream.ids, minlength=len(inventory))
    assert counts[inventory.ids["aa", "bb"]] == 100
    assert ("bb", "cc") not in inventory.ids or counts[inventory.ids["bb", "cc"]] == 0


def test_a_phrase_is_never_longer_than_allowed(tmp_path: Path) -> None:
    documents = [[3, 4, 5, 6, 7]] * 30 + [[8, 9, 10]] * 30
    _, inventory = mined(tmp_path, documents, list(map("word{}".format, range(8))), max_words=3, threshold=0.0)
    assert max(map(len, inventory.words)) == 3


def test_an_opener_may_open_a_phrase_and_not_close_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    documents = [[3, 4, *noise(rng, 3, 6, 30), 4, 5, *noise(rng, 3, 6, 30)] for _ in range(100)]
    _, inventory = mined(tmp_path, documents, ["x", "ray", "q", *(f"noise{i}" for i in range(30))])
    assert ("x", "ray") in inventory.ids
    assert ("ray", "q") not in inventory.ids


def test_the_longest_given_phrase_is_matched_first(tmp_path: Path) -> None:
    stream = make_stream(tmp_path, [[3, 4, 5], [3, 4, 6], [4, 5, 3]])
    trie = build_trie({(3, 4): 20, (3, 4, 5): 21, (4, 5): 22}, 30)
    stream.shorten(
        lambda ids, chunk, write, new: match_phrases(
            ids, stream.offsets, chunk.first, chunk.last, write, new, trie.member, trie.edges, trie.targets, trie.ends
        ),
        SILENT,
        "",
    )
    assert stream.ids.tolist() == [21, 0, 20, 6, 0, 22, 3, 0]
    assert stream.offsets.tolist() == [0, 2, 5, 8]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), max_size=12), min_size=1, max_size=6))
def test_counts_of_a_document_are_those_of_its_terms(documents: list[list[int]]) -> None:
    tokens = np.array([t for document in documents for t in document], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, documents)])
    columns, values, rows = np.zeros_like(tokens), np.zeros_like(tokens), np.zeros_like(offsets)
    n_stored = count_terms(tokens, offsets, columns, values, rows)
    assert n_stored == rows[-1]
    for number, document in enumerate(documents):
        row = slice(rows[number], rows[number + 1])
        assert columns[row].tolist() == sorted(set(document))
        assert dict(zip(columns[row].tolist(), values[row].tolist(), strict=True)) == Counter(document)


def test_ids_are_written_as_what_they_expand_to() -> None:
    stream = np.array([1, 2, 3, 0], dtype=np.int32)
    expansion_offsets = np.array([0, 0, 1, 3, 3])
    out, ends = np.zeros(3, dtype=np.int32), np.zeros(3, dtype=np.int64)
    write_terms(stream, np.array([0, 2, 4]), expansion_offsets, np.array([7, 8, 9], dtype=np.int32), out, ends)
    assert out.tolist() == [7, 8, 9]
    assert ends.tolist() == [0, 3, 3]
