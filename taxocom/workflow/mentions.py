"""How often documents say names of several words that are no terms of the corpus, because nobody knew of them then."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from taxocom.numerics.arrays import Floats1d
from taxocom.store import Project
from taxocom.store.projects.document_places import project_witnesses
from taxocom.tagging.names import name_terms
from taxocom.text.language.tokens import is_unspaced, words_of
from taxocom.text.terms.seed_phrases import phrase_forms

_MOST_READ = 3_000
"""Documents with all the words of a name; more than that many use them apart, and reading them takes too long."""


def mentions_in_texts(project: Project, names: Sequence[str]) -> Floats1d | None:
    """Count names that are no terms in the texts, shape (n_documents,); None if every name is a term."""
    corpus = project.corpus()
    damped = project_witnesses(project).damped
    unknown = [name for name in names if not len(name_terms(corpus.vocabulary, [name])) and len(words_of(name)) > 1]
    if not unknown:
        return None
    found = np.zeros(corpus.n_documents, dtype=np.float32)
    for name in unknown:
        words = tuple(words_of(name))
        known = [ids for word in words if len(ids := name_terms(corpus.vocabulary, [word]))]
        if not known:
            continue
        has_all = np.ones(corpus.n_documents, dtype=bool)
        for ids in known:
            has_all &= np.asarray(damped[:, ids].sum(axis=1)).ravel() > 0
        pattern = _pattern(words, corpus.language)
        for row in np.flatnonzero(has_all)[:_MOST_READ].tolist():
            found[row] += len(pattern.findall(corpus.texts[row]))
    return found


def _pattern(words: tuple[str, ...], language: str) -> re.Pattern[str]:
    """Return what matches the name in any case and number, its words parted by spaces, line breaks or hyphens."""
    forms = {
        ("" if all(map(is_unspaced, form)) else r"[\s\-\u2010\u2011]+").join(map(re.escape, form))
        for form in phrase_forms(words, language)
    }
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(forms, key=len, reverse=True))})(?!\w)", re.IGNORECASE)
