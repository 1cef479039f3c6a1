"""What each kind of job does. Functions here run in the worker process and import what is heavy inside themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from taxocom.errors import JobError
from taxocom.jobs.registry import task
from taxocom.progress import Progress, Span
from taxocom.settings import TextSettings
from taxocom.store import Project
from taxocom.subprocesses import cores
from taxocom.taxonomy.codec import from_plain
from taxocom.taxonomy.preflight import names_and_keywords


@task("index")
def index(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Read a corpus file, index it, and make it the project's corpus.

    Parameters: `source` (an absolute path), and where the guess should not hold `columns`, `encoding` and `settings`;
    `skip_unreadable` leaves out files that cannot be read.
    Until the last step the project keeps the corpus that it had.
    """
    from taxocom.reading.files import source_of
    from taxocom.store.projects.document_places import lay_ground
    from taxocom.text.indexing import build_corpus
    from taxocom.text.input.columns import Columns

    source = Path(str(params["source"]))
    if not source.is_absolute():
        raise JobError(f"The corpus is given as {str(source)!r}; a worker needs the whole path, starting with /.")
    columns = from_plain(Columns, params["columns"], "columns") if params.get("columns") else None
    settings = from_plain(TextSettings, params.get("settings") or {}, "settings")
    skip = bool(params.get("skip_unreadable"))
    found = source_of(source, encoding=params.get("encoding"), skip_unreadable=skip)
    documents = found.documents(columns)
    with project.working_place("corpus") as place:
        place.mkdir()
        report = build_corpus(
            documents,
            place,
            settings=settings,
            seed_phrases=names_and_keywords(project.taxonomy()),
            given_terms=found.given_terms,
            processes=cores(),
            progress=Span(progress, 0.0, 0.78),
        )
        progress.report("Keeping the corpus", 0.78)
        reading = {name: params.get(name) for name in ("columns", "encoding", "settings", "skip_unreadable")}
        counted = {"loading": asdict(documents.report), "index": asdict(report)}
        details = {"source": str(source), "reading": reading, **counted}
        artifact = project.publish_directory(place, "corpus", made_from=report.fingerprint, details=details)
        before = project.used_for("corpus")
        project.use("corpus", artifact)
    try:
        lay_ground(project, Span(progress, 0.8, 1.0))
    except BaseException:
        # A cancel leaves the texts that were there.
        if before is None:
            project.stop_using("corpus")
        else:
            project.use("corpus", before)
        raise
    return {**details, "artifact": artifact.name}
