"""Batches: texts that join a project's corpus after it was read, each with a name and a date, and the way back.

The record of batches is part of the corpus's own account, so that both change in one step: a project that was killed
at any moment has the whole batch or nothing of it. Documents keep their ids and their order; a batch is a run of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from itertools import chain
from typing import Any

from taxocom.errors import InputError
from taxocom.progress import Progress, Span
from taxocom.settings import TextSettings
from taxocom.store.db.records import Artifact
from taxocom.store.disk.clock import Clock, stamp, utc_now
from taxocom.store.projects.corpus_reading import corpus_reading
from taxocom.store.projects.document_places import lay_ground
from taxocom.store.projects.growing import READ_WHOLE, can_grow, grow
from taxocom.store.projects.project import Project
from taxocom.taxonomy.codec import from_plain
from taxocom.taxonomy.preflight import names_and_keywords
from taxocom.text.indexing import build_corpus
from taxocom.text.input.columns import Columns
from taxocom.text.input.documents import Document, LoadingReport, checked
from taxocom.text.input.loading import CorpusSource

FIRST = "first reading"
_LONGEST_NAME = 200


@dataclass(frozen=True)
class Batch:
    """Documents that came together: rows `first_row` on, `n_documents` of them.

    `n_known` were left out because their id is in the corpus already, `n_repeated` because their text is, `n_empty`
    because they have none; `n_unreadable` files were left out because they cannot be read. `date` is what the person
    said, `at` when it was added.
    """

    name: str
    date: str
    first_row: int
    n_documents: int
    n_known: int = 0
    n_repeated: int = 0
    n_empty: int = 0
    at: str = ""
    author: str = ""
    source: str = ""
    n_unreadable: int = 0

    @property
    def n_skipped(self) -> int:
        """How many documents were left out."""
        return self.n_known + self.n_repeated + self.n_empty + self.n_unreadable

    def said(self) -> str:
        """Say what came and what was left out."""
        parts = [
            f"{number:,} {why}"
            for number, why in (
                (self.n_known, "with an id that is there already"),
                (self.n_repeated, "with a text that is there already"),
                (self.n_empty, "without text"),
                (self.n_unreadable, "in files that cannot be read"),
            )
            if number
        ]
        return f"{self.n_documents:,} added" + (f"; left out: {', '.join(parts)}" if parts else "")


@dataclass(frozen=True)
class NewTexts:
    """Documents to add. Without ids of their own (`has_ids`) theirs are made from the name of the batch.

    `loading` is told what reading them comes across.
    """

    documents: Iterable[Document]
    has_ids: bool
    source: str = ""
    loading: LoadingReport = field(default_factory=LoadingReport)


def list_batches(project: Project) -> list[Batch]:
    """Return the batches of a project, oldest first; none before the first was added."""
    artifact = project.used_for("corpus")
    plain = artifact.details.get("batches") or [] if artifact else []
    return [from_plain(Batch, each, "batch") for each in plain]


def find_batch(project: Project, name: str) -> Batch:
    """Return the batch of a name; an unknown one is an InputError that lists those there are."""
    found = {each.name: each for each in list_batches(project)}
    if name not in found:
        raise InputError(f"There is no batch {name!r}. Batches: {', '.join(found) or 'none yet'}.")
    return found[name]


def batch_rows(project: Project) -> list[tuple[str, int, int]]:
    """Return the name, the first row and the number of documents of the first reading and of every batch."""
    found = list_batches(project)
    n_first = found[0].first_row if found else project.corpus().n_documents
    return [(FIRST, 0, n_first), *((each.name, each.first_row, each.n_documents) for each in found)]


def append_batch(
    project: Project,
    texts: NewTexts,
    *,
    name: str = "",
    dated: str = "",
    author: str = "",
    progress: Progress,
    clock: Clock = utc_now,
) -> Batch:
    """Add documents to the corpus of a project as one batch, whole or not at all.

    New documents are read in the terms that are there and the words that they bring (`growing`). Now and then all
    texts that the project keeps are indexed again with them, as they were read before. Documents that are there keep
    their ids and their topics.
    """
    artifact, before, today = _corpus(project), list_batches(project), stamp(clock())[:10]
    name = _free_name(name, dated or today, before)
    known = set(project.corpus().document_ids)
    known |= set((artifact.details.get("loading") or {}).get("repeats") or {})
    n_there = project.corpus().n_documents
    n_known = 0

    def arriving() -> Iterator[Document]:
        nonlocal n_known
        for document in texts.documents:
            new_id = document.document_id if texts.has_ids else f"{name}-{document.document_id}"
            if texts.has_ids and new_id in known:
                n_known += 1
                continue
            yield replace(document, document_id=new_id)

    report = LoadingReport()
    made: list[Batch] = []

    def account() -> Mapping[str, Any]:
        n_new = report.n_kept - n_there
        if n_new <= 0:
            raise InputError(_nothing_new(n_known, report))
        counted = (n_known, report.n_duplicate, report.n_empty)
        noted = (*counted, stamp(clock()), author, texts.source, texts.loading.n_unreadable)
        made.append(Batch(name, dated or today, n_there, n_new, *noted))
        return {"batches": [asdict(each) for each in (*before, *made)]}

    if can_grow(project, names_and_keywords(project.taxonomy())):
        grow(project, arriving(), report, account, progress)
    else:
        _reindex(project, chain(stored_documents(project), arriving()), report, account, progress)
    return made[0]


def take_batch_back(project: Project, name: str, *, progress: Progress) -> Batch:
    """Take a batch out again; the others stay. Decisions on its documents stay in the log and move nothing."""
    found, chosen = list_batches(project), find_batch(project, name)
    gone = range(chosen.first_row, chosen.first_row + chosen.n_documents)
    left = [
        replace(each, first_row=each.first_row - chosen.n_documents) if each.first_row > chosen.first_row else each
        for each in found
        if each != chosen
    ]
    kept = (document for row, document in enumerate(stored_documents(project)) if row not in gone)
    _reindex(project, kept, LoadingReport(), lambda: {"batches": [asdict(each) for each in left]}, progress)
    return chosen


def read_again(project: Project, *, settings: TextSettings, progress: Progress) -> None:
    """Index the texts that a project keeps, all batches among them, by other settings."""
    plain = {"settings": asdict(settings)}
    _reindex(project, stored_documents(project), LoadingReport(), dict, progress, reading=plain)


def columns_of(project: Project) -> Mapping[str, Any] | None:
    """Return the columns that the texts of a project were read by, None where they have none."""
    reading = corpus_reading(project)
    return None if reading is None else reading.columns


def remembered_columns(source: CorpusSource, remembered: Mapping[str, Any] | None) -> CorpusSource:
    """Read a source by the columns that a project's texts were read by, if it has all of them."""
    if not remembered or not source.available:
        return source
    columns = Columns(**{**remembered, "text": tuple(remembered["text"])})
    return source.with_columns(columns) if set(columns.names) <= set(source.available) else source


@dataclass(frozen=True)
class NewReading:
    """The columns and the encoding that new texts are read by."""

    columns: Columns | None
    encoding: str | None


def new_reading(project: Project, source: CorpusSource, *, encoding: str | None, remembered: bool) -> NewReading:
    """Return how new texts are read: as the project's were where they can be, if `remembered`, else as asked."""
    before = corpus_reading(project)
    if before is not None and remembered:
        source = remembered_columns(source, before.columns)
    return NewReading(source.columns, encoding or (before.encoding if before else None))


def valid_date(text: str) -> str:
    """Return the date of a batch; what is no date is an InputError."""
    try:
        return date.fromisoformat(text.strip()).isoformat() if text.strip() else ""
    except ValueError:
        raise InputError(f"{text!r} is not a date. Write it as 2026-11-18.") from None


def stored_documents(project: Project) -> Iterator[Document]:
    """Yield the documents of a project as they were read."""
    corpus = project.corpus()
    fields = (corpus.document_ids, corpus.texts, corpus.titles, corpus.labels, corpus.dates)
    for document_id, text, title, labels, written in zip(*fields, strict=True):
        yield Document(document_id, text, title, tuple(labels), written or "")


def _corpus(project: Project) -> Artifact:
    artifact = project.used_for("corpus")
    if artifact is None:
        raise InputError(f"{project.name} has no texts yet. Read some first: taxocom index PROJECT --corpus FILE")
    if project.corpus().came_segmented:
        raise InputError(
            "The texts of this project came with their phrases marked, and texts without cannot join them. Put all of "
            "them into one such corpus and read that: taxocom index PROJECT --corpus FOLDER"
        )
    return artifact


def refuse_taken_name(project: Project, name: str) -> None:
    """Raise if a new batch cannot be called so; what has no name is called by its date."""
    _free_name(name, "", list_batches(project))


def _free_name(name: str, otherwise: str, before: Sequence[Batch]) -> str:
    taken = {each.name for each in before} | {FIRST}
    wanted = " ".join(name.split())[:_LONGEST_NAME]
    if wanted in taken:
        raise InputError(f"There is a batch {wanted!r} already. Give this one another name.")
    if wanted:
        return wanted
    numbers = (f"{otherwise} ({number})" for number in range(2, len(taken) + 3))
    return next(each for each in chain((otherwise,), numbers) if each not in taken)


def _nothing_new(n_known: int, report: LoadingReport) -> str:
    said = Batch("", "", 0, 0, n_known, report.n_duplicate, report.n_empty).said()
    return f"Nothing is new in these texts ({said}), so nothing was changed. Is it the right file?"


def _reindex(
    project: Project,
    documents: Iterable[Document],
    report: LoadingReport,
    account: Any,
    progress: Progress,
    *,
    reading: Mapping[str, Any] | None = None,
) -> None:
    """Build a corpus of documents, put it in the place of the one that is there, and tag what is new in it."""
    before = _corpus(project)
    remembered = {**(before.details.get("reading") or {}), **(reading or {})}
    settings = from_plain(TextSettings, remembered.get("settings") or {}, "settings")
    loading = dict(before.details.get("loading") or {})
    with project.working_place("corpus") as place:
        place.mkdir()
        built = build_corpus(
            checked(documents, report),
            place,
            settings=settings,
            seed_phrases=names_and_keywords(project.taxonomy()),
            progress=Span(progress, 0.0, 0.78),
        )
        progress.report("Keeping the corpus", 0.78)
        told = {**loading, "repeats": (loading.get("repeats") or {}) | report.repeats}
        counted = {"loading": told, "index": asdict(built)}
        details = {**before.details, READ_WHOLE: built.n_documents, "reading": remembered, **counted, **account()}
        artifact = project.publish_directory(place, "corpus", made_from=built.fingerprint, details=details)
        project.use("corpus", artifact)
    try:
        lay_ground(project, Span(progress, 0.8, 1.0))
    except BaseException:
        # A cancel leaves the texts that were there.
        project.use("corpus", before)
        raise
