"""A project's corpus grows by a batch at the cost of the batch, with what was computed of its documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from taxocom.progress import Progress, Span
from taxocom.settings import TextSettings
from taxocom.store.db.records import Artifact
from taxocom.store.projects.document_places import DIRECTIONS, lay_ground
from taxocom.store.projects.lexicon_files import LEXICON_VECTORS, find_lexicon
from taxocom.store.projects.project import Project
from taxocom.taxonomy.codec import from_plain
from taxocom.text.corpus import Corpus, open_corpus
from taxocom.text.extending import extend_corpus
from taxocom.text.input.documents import Document, EarlierTexts, LoadingReport, checked
from taxocom.text.terms.vocabulary import normal_term

READ_WHOLE = "n_read_whole"
"""In the account of a corpus: how many documents it had when its phrases were mined."""

_LEARN_AGAIN = 1.5
"""Texts that have grown by this factor are all read again, to find phrases that are new since then."""

_BATCH = 2_000


def can_grow(project: Project, names: Iterable[str]) -> bool:
    """Tell whether a batch may be added to the terms that are there, or all texts must be read again.

    They must if the texts have grown by half, or if the tree has a name that was never looked for.
    """
    artifact = project.used_for("corpus")
    if artifact is None:
        return False
    corpus = project.corpus()
    n_read = int(artifact.details.get(READ_WHOLE) or artifact.details.get("index", {}).get("n_documents", 0))
    if corpus.n_documents > _LEARN_AGAIN * n_read:
        return False
    looked_for = set(corpus.looked_for)
    wanted = (normal_term(name) for name in names)
    return all(not name or name in looked_for or name in corpus.vocabulary for name in wanted)


def grow(
    project: Project,
    arriving: Iterable[Document],
    report: LoadingReport,
    account: Any,
    progress: Progress,
) -> None:
    """Put arriving documents behind those that are there, and tag them.

    Stopped anywhere, nothing has changed.
    """
    before = project.used_for("corpus")
    assert before is not None
    old = project.corpus()
    settings = from_plain(TextSettings, (before.details.get("reading") or {}).get("settings") or {}, "settings")
    loading = dict(before.details.get("loading") or {})
    report.n_read = report.n_kept = old.n_documents
    new = checked(arriving, report, EarlierTexts(list(old.document_ids), old.texts))
    with project.working_place("corpus") as place:
        place.mkdir()
        built = extend_corpus(
            old,
            project.artifact_path(before.name),
            new,
            place,
            settings=settings,
            progress=Span(progress, 0.0, 0.6),
        )
        progress.report("Keeping the corpus", 0.6)
        details: Mapping[str, Any] = {
            **before.details,
            READ_WHOLE: before.details.get(READ_WHOLE) or old.n_documents,
            # It tells of the first reading; what a batch left out is told with the batch.
            "loading": {**loading, "repeats": (loading.get("repeats") or {}) | report.repeats},
            "index": asdict(built),
            **account(),
        }
        artifact = project.publish_directory(place, "corpus", made_from=built.fingerprint, details=details)
    kept = {purpose: project.used_for(purpose) for purpose in (DIRECTIONS, LEXICON_VECTORS)}
    arrays = _grown_arrays(project, old, open_corpus(project.artifact_path(artifact.name)), Span(progress, 0.7, 0.8))
    project.use("corpus", artifact)
    try:
        for purpose, made in arrays.items():
            project.save_arrays(purpose, made.metadata, made.arrays, made_from=made.made_from)
        lay_ground(project, Span(progress, 0.8, 1.0))
    except BaseException:
        # A cancel leaves the texts that were there.
        project.use("corpus", before)
        for purpose, one in kept.items():
            _put_back(project, purpose, one)
        raise


def _put_back(project: Project, purpose: str, artifact: Artifact | None) -> None:
    project.stop_using(purpose) if artifact is None else project.use(purpose, artifact)


class _Made:
    """Arrays for a purpose, and what they were made from."""

    def __init__(self, metadata: Mapping[str, Any], arrays: dict[str, np.ndarray[Any, Any]], made_from: str) -> None:
        self.metadata, self.arrays, self.made_from = metadata, arrays, made_from


def _grown_arrays(project: Project, old: Corpus, new: Corpus, progress: Progress) -> dict[str, _Made]:
    """Return the main directions and the lexicon's vectors with the new documents behind the old ones.

    The directions follow the texts by a step. In the lexicon what a document is placed by stays as it was, the weights
    of pieces and the centre: made of all texts they change hardly a tag (docs/decisions, 2026-11-19).
    """
    found = {}
    first = old.n_documents
    artifact, arrays = project.used_for(DIRECTIONS), project.load_arrays(DIRECTIONS)
    if artifact is not None and arrays is not None and artifact.made_from == old.fingerprint:
        progress.report("Following the main directions", 0.0)
        found[DIRECTIONS] = _Made({}, _directions(arrays.arrays, new), new.fingerprint)
    lexicon = find_lexicon()
    artifact, arrays = project.used_for(LEXICON_VECTORS), project.load_arrays(LEXICON_VECTORS)
    if lexicon and artifact and arrays and artifact.made_from == f"{old.fingerprint}/{lexicon.fingerprint}":
        from taxocom.tagging.new_texts import LexiconReader

        reader = LexiconReader(lexicon, arrays.arrays["idf"], arrays.arrays["center"])
        parts = [arrays.arrays["vectors"]]
        for start in range(first, new.n_documents, _BATCH):
            progress.report("Looking words up in the lexicon", (start - first) / (new.n_documents - first))
            parts.append(
                reader.read([new.texts[row] for row in range(start, min(start + _BATCH, new.n_documents))]).vectors
            )
        made = {**arrays.arrays, "vectors": np.concatenate(parts)}
        found[LEXICON_VECTORS] = _Made(arrays.metadata, made, f"{new.fingerprint}/{lexicon.fingerprint}")
    return found


def _directions(arrays: Mapping[str, np.ndarray[Any, Any]], new: Corpus) -> dict[str, np.ndarray[Any, Any]]:
    from taxocom.tagging.witnesses import damp, follow_directions

    found = follow_directions(damp(new.counts), arrays["terms"])
    return {"documents": found.documents, "terms": found.terms}
