"""Does the tree fit the texts? The same answer on the page, after an import and before a project is made."""

from __future__ import annotations

from collections.abc import Sequence

from taxocom.numerics.arrays import Floats2d
from taxocom.store import Project
from taxocom.store.disk.memory import Memory
from taxocom.store.projects.corpus_reading import corpus_reading
from taxocom.taxonomy.preflight import PreflightReport, check_seed
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.corpus import Corpus
from taxocom.text.terms.lookup import quick_term_vectors

_VECTORS: Memory[Floats2d] = Memory(2)


def project_check(project: Project) -> PreflightReport:
    """Match the tree of a project to its texts, by the stop words that these were read with."""
    reading = corpus_reading(project)
    stop_words = reading.text_settings().stop_words if reading else None
    return check(project.taxonomy(), project.corpus(), stop_words=stop_words)


def check(seed: Taxonomy, corpus: Corpus, *, stop_words: Sequence[str] | None = None) -> PreflightReport:
    """Match a seed to a corpus; a name that is not found gets suggestions by spelling and by meaning."""
    report = check_seed(seed, corpus.vocabulary, stop_words=stop_words)
    if report.ok:
        return report
    # The vectors take seconds, and only a name that is not found needs them.
    vectors = _VECTORS.get(corpus.fingerprint, lambda: quick_term_vectors(corpus.counts))
    return check_seed(seed, corpus.vocabulary, term_vectors=vectors, stop_words=stop_words)
