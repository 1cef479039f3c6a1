"""Making a project: whole or not at all, read here and now or by a job that the page watches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from taxocom.errors import PreflightError
from taxocom.jobs.control import submit
from taxocom.jobs.tasks import index
from taxocom.progress import Progress
from taxocom.store import Project, create_project
from taxocom.store.projects.corpus_reading import CorpusReading
from taxocom.taxonomy.preflight import PreflightReport
from taxocom.taxonomy.tree import Taxonomy
from taxocom.workflow.seed_check import project_check


@dataclass(frozen=True)
class BuiltProject:
    """A project that was just made, how its seed fits its texts, and what reading and indexing reported."""

    project: Project
    preflight: PreflightReport
    report: dict[str, Any]


def build_project(
    name: str,
    seed: Taxonomy,
    reading: CorpusReading,
    *,
    author: str = "",
    description: str = "",
    strict: bool = False,
    keep_source: bool = False,
    progress: Progress,
) -> BuiltProject:
    """Read texts into a project that nobody sees before it is whole; after an error no project is left.

    `keep_source` keeps the file that they are read from with the project, as for one that will not stay.
    """
    found: list[PreflightReport] = []
    reported: dict[str, Any] = {}

    def fill(project: Project) -> None:
        how = reading.kept_with(project) if keep_source else reading
        reported.update(index(project, how.as_parameters(), progress))
        report = project_check(project)
        report.require_match()
        if strict and not report.ok:
            raise PreflightError(
                f"The seed has problems, and --strict was asked for. No project was made.\n{report.report()}"
            )
        found.append(report)

    project = create_project(name, seed=seed, author=author, description=description, fill=fill)
    return BuiltProject(project, found[0], reported)


def begin_reading(
    name: str, seed: Taxonomy, choose: Callable[[Project], CorpusReading], *, author: str, owner: str = ""
) -> Project:
    """Make a project and start the job that reads its texts.

    `choose` says how to read them, and may keep an upload with the project: if that fails there is no project.
    """
    chosen: list[CorpusReading] = []

    def fill(made: Project) -> None:
        chosen.append(choose(made))

    project = create_project(name, seed=seed, author=author, owner=owner, fill=fill)
    # The upload has moved with the project since.
    reading = chosen[0].found_in(project)
    submit(project, "index", reading.as_parameters(), author=author)
    return project
