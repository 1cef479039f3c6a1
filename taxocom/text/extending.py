"""A corpus that grows: new documents in the terms that are there, and in the words that only they have.

It costs what is new. Ids of terms stay; words that came up to `min_count` become terms behind all others. A word that
was no term before occurred less often than that in the old texts, so hardly anything is missed there. Phrases are not
mined: those that are known are found.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from taxocom.numerics.arrays import Ints1d, Offsets
from taxocom.progress import Progress, Span
from taxocom.settings import TextSettings
from taxocom.text import corpus_files
from taxocom.text.corpus import Corpus
from taxocom.text.indexing import IndexReport
from taxocom.text.input.documents import Document
from taxocom.text.language.stop_words import stop_words
from taxocom.text.language.tokens import normal_word, tokens_of
from taxocom.text.language.words import Kind, WordIndex
from taxocom.text.terms import term_quality
from taxocom.text.terms.segmenting import Segmenter, words_of_term
from taxocom.text.terms.vocabulary import Vocabulary

_BATCH = 2_000


class _Numbers(dict[str, int]):
    """Token → its number, in the order in which tokens are met."""

    def __missing__(self, token: str) -> int:
        self[token] = number = len(self)
        return number


class _CutTexts:
    """New texts as numbers of their tokens: each is cut once, whatever the terms turn out to be."""

    def __init__(self) -> None:
        self._number_of = _Numbers()
        self.texts: list[Ints1d] = []

    def append(self, text: str) -> None:
        """Cut one text."""
        self.texts.append(np.array([self._number_of[token] for token in tokens_of(text)], dtype=np.int32))

    def words(self) -> Counter[str]:
        """Return how often each word was said."""
        spoken: Counter[str] = Counter()
        numbers = np.concatenate([np.zeros(0, np.int32), *self.texts])
        for token, count in zip(self._number_of, np.bincount(numbers).tolist(), strict=True):
            spoken[normal_word(token)] += count
        del spoken[""]
        return spoken

    def numbered(self, segmenter: Segmenter) -> Iterator[Ints1d]:
        """Yield each text as the numbers that its words have in a segmenter, with a 0 behind them."""
        numbers = segmenter.word_numbers(self._number_of)
        end = np.zeros(1, dtype=np.int32)
        return (np.concatenate([numbers[text], end]) for text in self.texts)


@dataclass
class _Grown:
    """What the new documents add to each term, old and new."""

    counts: Offsets
    document_frequencies: Offsets
    lengths: list[Offsets]


def extend_corpus(
    corpus: Corpus,
    directory: Path,
    documents: Iterable[Document],
    place: Path,
    *,
    settings: TextSettings,
    progress: Progress,
) -> IndexReport:
    """Write the corpus of a directory with more documents behind its own into an empty one."""
    meta = corpus_files.read_meta(directory)
    n_old, digest = corpus.n_documents, hashlib.sha256(str(meta["fingerprint"]).encode())
    new = _CutTexts()
    with corpus_files.DocumentWriter(place) as writer:
        progress.report("Copying the documents that are there", 0.0)
        writer.copy(directory)
        for number, document in enumerate(documents):
            if number % _BATCH == 0:
                progress.report(f"Reading documents ({number:,} so far)", 0.5 * number / (number + _BATCH))
            encoded = writer.append(document)
            digest.update(f"{document.document_id}\x1f{document.title}\x1f{len(encoded)}\x1e".encode())
            digest.update(encoded)
            new.append(f"{document.title}\n\n{document.text}" if document.title else document.text)
    added = _new_terms(new.words(), corpus, settings)
    terms = [*corpus.vocabulary.terms, *added]
    grown = _write_terms(corpus, Segmenter(terms, corpus.vocabulary.aliases), new, place, Span(progress, 0.5, 1.0))
    _write_vocabulary(corpus.vocabulary, added, grown, place)
    lengths = np.concatenate([np.diff(corpus.offsets), *grown.lengths])
    fingerprint = digest.hexdigest()[:16]
    report = IndexReport(
        n_documents=n_old + len(new.texts),
        n_words=int(meta["report"].get("n_words", 0)) + int(sum(part.sum() for part in grown.lengths)),
        n_tokens=int(lengths.sum()),
        n_terms=len(terms),
        n_phrases=int(meta["report"].get("n_phrases", 0)),
        n_without_terms=int((lengths == 0).sum()),
        fingerprint=fingerprint,
        language=corpus.language_report,
    )
    kept = ("format_version", "settings", "seed_phrases", "given_terms")
    built_from = {
        **{key: meta.get(key) for key in kept},
        "documents": digest.hexdigest(),
        "grew_from": meta["fingerprint"],
    }
    # What says that the directory is whole comes last.
    corpus_files.write_meta(place, fingerprint, built_from, corpus.vocabulary.aliases, asdict(report))
    return report


def _new_terms(spoken: Mapping[str, int], corpus: Corpus, settings: TextSettings) -> list[str]:
    """Return the words that are said often enough and that no term is made of, the most frequent first."""
    known = {word for term in (*corpus.vocabulary.terms, *corpus.vocabulary.aliases) for word in words_of_term(term)}
    frequent = [(word, count) for word, count in spoken.items() if count >= settings.min_count and word not in known]
    index = WordIndex(stop_words(settings.stop_words, corpus.language))
    index.add(word for word, _ in frequent)
    kinds = dict(zip(index.words, index.kinds(), strict=True))
    able = [(word, count) for word, count in frequent if kinds.get(word) is Kind.WORD]
    room = max(settings.max_terms - len(corpus.vocabulary), 0)
    return [word for word, _ in sorted(able, key=lambda pair: (-pair[1], pair[0]))[:room]]


def _write_terms(corpus: Corpus, segmenter: Segmenter, new: _CutTexts, place: Path, progress: Progress) -> _Grown:
    grown = _Grown(np.zeros(segmenter.n_terms, np.int64), np.zeros(segmenter.n_terms, np.int64), [])
    with corpus_files.TermWriter(place) as writer:
        counts = corpus.counts
        writer.append(corpus.tokens, corpus.offsets, counts.indices, counts.data, np.asarray(counts.indptr, np.int64))
        texts, done = new.numbered(segmenter), 0
        while batch := list(islice(texts, _BATCH)):
            progress.report("Finding the terms of the new documents", done / len(new.texts))
            ends = np.cumsum([0, *map(len, batch)], dtype=np.int64)
            found = segmenter.terms_among(np.concatenate(batch), ends)
            rows = segmenter.count(found)
            writer.append(found.tokens, found.starts, rows.indices, rows.data, np.asarray(rows.indptr, np.int64))
            grown.counts += np.bincount(found.tokens, minlength=segmenter.n_terms)
            grown.document_frequencies += np.bincount(rows.indices, minlength=segmenter.n_terms)
            grown.lengths.append(np.diff(found.starts))
            done += len(batch)
    return grown


def _write_vocabulary(vocabulary: Vocabulary, added: Sequence[str], grown: _Grown, place: Path) -> None:
    n_old = len(vocabulary)
    counts, frequencies = grown.counts.copy(), grown.document_frequencies.copy()
    counts[:n_old] += vocabulary.counts
    frequencies[:n_old] += vocabulary.document_frequencies
    integrity, may_name = vocabulary.integrity, vocabulary.may_name
    if added:
        none = np.zeros(len(added), dtype=np.bool_)
        new = term_quality.TermStatistics(
            counts[n_old:], frequencies[n_old:], counts[n_old:], np.zeros(len(added)), is_phrase=none, given=none
        )
        integrity = np.concatenate([integrity, term_quality.integrity(new, np.concatenate(grown.lengths))])
        may_name = np.concatenate([may_name, term_quality.may_name(list(added), new)])
    table = pa.table(
        {
            "term": [*vocabulary.terms, *added],
            "count": counts.astype(np.int32),
            "document_frequency": frequencies.astype(np.int32),
            "integrity": integrity.astype(np.float32),
            "may_name": may_name,
        }
    )
    pq.write_table(table, place / corpus_files.VOCABULARY)
