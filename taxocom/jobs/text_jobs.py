"""Jobs on texts that come later: those that join a project as a batch, and those that are tagged and join nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taxocom.errors import InputError, JobError
from taxocom.jobs.registry import task
from taxocom.progress import Progress, Span
from taxocom.store import Project
from taxocom.taxonomy.codec import from_plain

if TYPE_CHECKING:
    from taxocom.store.projects.batches import NewTexts
    from taxocom.text.input.documents import Document

TAGGED = "tagged"
"""The purpose of the file that the last tagging job made."""


@task("tag")
def tag(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Tag the texts of a file, and keep the result as an artifact.

    Parameters: `source` (an absolute path), `name` of the file to make, and where the guess should not hold `columns`
    and `encoding`; `release`, `least`, `primary` and `n_terms` as `taxocom tag` has them.
    """
    from taxocom.reading.files import source_of
    from taxocom.store.projects.project_tagger import project_tagger
    from taxocom.store.projects.tagged_files import TaggingWishes, file_kind, tag_file
    from taxocom.text.input.columns import Columns

    source = Path(str(params["source"]))
    if not source.is_absolute():
        raise JobError(f"The texts are given as {str(source)!r}; a worker needs the whole path, starting with /.")
    name = Path(str(params["name"])).name
    suffix, _ = file_kind(Path(name))
    wishes = TaggingWishes(**{key: params[key] for key in ("least", "primary", "n_terms") if key in params})
    skip = bool(params.get("skip_unreadable"))
    found = source_of(source, encoding=params.get("encoding"), skip_unreadable=skip)
    if params.get("columns"):
        found = found.with_columns(from_plain(Columns, params["columns"], "columns"))
    tagger = project_tagger(project, release=params.get("release"), progress=Span(progress, 0.0, 0.2))
    with project.working_place("tagged") as place:
        place.mkdir()
        counted = tag_file(tagger, found, place / name, wishes, Span(progress, 0.2, 1.0))
        facts = {"name": name, **asdict(counted)}
        extension = suffix.removeprefix(".")
        artifact = project.publish_file(place / name, TAGGED, extension=extension, details=facts)
    project.use(TAGGED, artifact)
    return {**facts, "artifact": artifact.name}


@task("append")
def append(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Add the texts of files to the project's as one batch.

    Parameters: `sources` (absolute paths), `name`, `date` and `author` of the batch, what the files are
    `called`, and where the guess should not hold `columns` and `encoding`; `skip_unreadable` leaves out files that
    cannot be read.
    """
    from taxocom.store.projects.batches import append_batch

    sources = [Path(str(each)) for each in params["sources"]]
    if foreign := [each for each in sources if not each.is_absolute()]:
        raise JobError(f"The texts are given as {str(foreign[0])!r}; a worker needs the whole path, starting with /.")
    texts = _new_texts(sources, params)
    name, dated, author = (str(params.get(key) or "") for key in ("name", "date", "author"))
    return asdict(append_batch(project, texts, name=name, dated=dated, author=author, progress=progress))


@task("take-back")
def take_back(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Take the batch of a `name` out again."""
    from taxocom.store.projects.batches import take_batch_back

    return asdict(take_batch_back(project, str(params["name"]), progress=progress))


@task("read-again")
def read_stored_again(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Index the texts that the project keeps, with all batches, by other `settings`."""
    from taxocom.settings import TextSettings
    from taxocom.store.projects.batches import read_again

    read_again(project, settings=from_plain(TextSettings, params.get("settings") or {}, "settings"), progress=progress)
    corpus = project.used_for("corpus")
    return {"index": corpus.details["index"] if corpus else {}}


def _new_texts(sources: Sequence[Path], params: Mapping[str, Any]) -> NewTexts:
    """Open files one after the other; ids that are only numbers of rows are none."""
    from taxocom.reading.files import source_of
    from taxocom.store.projects.batches import NewTexts
    from taxocom.text.input.columns import Columns
    from taxocom.text.input.documents import LoadingReport

    skip = bool(params.get("skip_unreadable"))
    opened = [source_of(source, encoding=params.get("encoding"), skip_unreadable=skip) for source in sources]
    if params.get("columns"):
        columns = from_plain(Columns, params["columns"], "columns")
        opened = [each.with_columns(columns) if each.available else each for each in opened]
    named = [bool(each.columns.id) if each.columns is not None else each.has_named_documents for each in opened]
    if len(set(named)) > 1:
        raise InputError("Some of these files have a column of ids and others have none. Add them one by one.")
    if any(each.given_terms is not None for each in opened):
        raise InputError("Texts that came with their phrases marked cannot be added. Read them on their own.")

    loading = LoadingReport()

    def documents() -> Iterator[Document]:
        for number, each in enumerate(opened, 1):
            for document in each.read_unchecked(loading):
                # Rows are numbered anew in every file.
                several = len(opened) > 1 and not named[0]
                yield replace(document, document_id=f"{number}-{document.document_id}") if several else document

    called = params.get("called") or ", ".join(each.path.name for each in opened)
    return NewTexts(documents(), named[0], str(called), loading)
