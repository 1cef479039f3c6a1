"""How the texts of a project were read: where from, which columns, which encoding, which settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from taxocom.settings import TextSettings
from taxocom.store.db.records import Artifact
from taxocom.store.disk.whole_files import link_or_copy
from taxocom.store.projects.project import Project
from taxocom.taxonomy.codec import from_plain

_PARTS = ("columns", "encoding", "settings", "skip_unreadable")


@dataclass(frozen=True)
class CorpusReading:
    """What to ask for to read the same texts the same way; None is what the reader finds out by itself."""

    source: str
    columns: Mapping[str, Any] | None = None
    encoding: str | None = None
    settings: Mapping[str, Any] | None = None
    skip_unreadable: bool | None = None

    def as_parameters(self) -> dict[str, Any]:
        """Return the parameters of a job that reads the texts."""
        return {"source": self.source, **{part: getattr(self, part) for part in _PARTS}}

    def found_in(self, project: Project) -> CorpusReading:
        """Return the same with the path of the source in this project: each copy of a project has its uploads."""
        path = Path(self.source)
        kept = path.parent.name == "artifacts" and path.name in {artifact.name for artifact in project.artifacts()}
        return replace(self, source=str(project.artifact_path(path.name))) if kept else self

    def kept_with(self, project: Project) -> CorpusReading:
        """Keep a copy of the source with the project, to be read from there."""
        path = Path(self.source)
        with project.working_place("upload") as place:
            link_or_copy(path, place)
            kept = project.publish_file(place, "upload", extension=path.suffix.removeprefix("."))
        return replace(self, source=str(project.artifact_path(kept.name)))

    def text_settings(self) -> TextSettings:
        """Return the settings with their defaults filled in."""
        return from_plain(TextSettings, self.settings or {}, "settings")


def corpus_reading(project: Project) -> CorpusReading | None:
    """Return how the texts in use were read; None if there are none."""
    artifact = project.used_for("corpus")
    return None if artifact is None else reading_of(project, artifact)


def reading_of(project: Project, corpus: Artifact) -> CorpusReading:
    """Return how a corpus was read.

    It is noted with the corpus itself, so it does not matter whether a job, a command or a repair read it. Corpora from
    before that was noted have it in the job that made them.
    """
    noted = corpus.details.get("reading") or _parameters_of_job(project, corpus)
    source = str(corpus.details.get("source") or "")
    return CorpusReading(source, **{part: noted.get(part) for part in _PARTS}).found_in(project)


def _parameters_of_job(project: Project, corpus: Artifact) -> Mapping[str, Any]:
    for job in project.job_table.all():
        if job.kind == "index" and job.state == "done" and (job.result or {}).get("artifact") == corpus.name:
            return job.params
    return {}
