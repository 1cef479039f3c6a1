"""Whether an indexed corpus that came from elsewhere is one: kernels trust their indices and do not look again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from taxocom.errors import InputError
from taxocom.text import corpus_files
from taxocom.text.corpus import Corpus, open_corpus


def check_corpus(directory: Path) -> Corpus:
    """Open a corpus and make sure that everything in it points inside it; an InputError says what does not."""
    try:
        corpus = open_corpus(directory)
        problem = _problem(corpus, directory)
    except InputError:
        raise
    # Bytes that nobody wrote may raise anything, in json, numpy and Arrow.
    except Exception as error:
        raise InputError(
            f"{directory.name[:12]}… is not an indexed corpus ({error!r:.200}). Index it again."
        ) from error
    if problem:
        raise InputError(f"{directory.name[:12]}… is not a sound corpus: {problem}. Index it again.")
    return corpus


def _problem(corpus: Corpus, directory: Path) -> str:
    n_documents, n_terms = corpus.n_documents, len(corpus.vocabulary)
    table = corpus_files.open_documents(directory)
    table.validate(full=True)
    text_offsets = corpus_files.open_array(directory / corpus_files.TEXT_OFFSETS)
    values, columns, rows = (
        corpus_files.open_array(directory / name)
        for name in (corpus_files.COUNT_VALUES, corpus_files.COUNT_COLUMNS, corpus_files.COUNT_OFFSETS)
    )
    vocabulary = corpus.vocabulary
    lengths = {
        "the documents": table.num_rows == n_documents and table.schema.equals(corpus_files.DOCUMENT_SCHEMA),
        "the offsets of documents": _goes_up(corpus.offsets, n_documents, len(corpus.tokens)),
        "the offsets of texts": _goes_up(text_offsets, n_documents, (directory / corpus_files.TEXTS).stat().st_size),
        "the offsets of counts": _goes_up(rows, n_documents, len(columns)) and len(values) == len(columns),
        "the terms in documents": _within(corpus.tokens, n_terms),
        "the terms in counts": _within(columns, n_terms),
        "the counts": values.dtype == np.int32 and bool(np.all(values > 0)),
        "the vocabulary": all(
            len(column) == n_terms
            for column in (
                *(vocabulary.counts, vocabulary.document_frequencies),
                *(vocabulary.integrity, vocabulary.may_name),
            )
        )
        and all(isinstance(term, str) for term in vocabulary.terms),
    }
    return ", ".join(f"{what} do not fit" for what, fits in lengths.items() if not fits)


def _goes_up(offsets: npt.NDArray[Any], n: int, end: int) -> bool:
    return (
        offsets.dtype == np.int64
        and offsets.shape == (n + 1,)
        and int(offsets[0]) == 0
        and int(offsets[-1]) == end
        and bool(np.all(offsets[1:] >= offsets[:-1]))
    )


def _within(ids: npt.NDArray[Any], n: int) -> bool:
    return ids.dtype == np.int32 and ids.ndim == 1 and (not len(ids) or (int(ids.min()) >= 0 and int(ids.max()) < n))
