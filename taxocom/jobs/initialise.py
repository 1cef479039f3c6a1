"""From a name, a corpus file and a seed to a project, again and again until it is whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taxocom.errors import InputError, StoreError
from taxocom.jobs.control import list_jobs, submit
from taxocom.store import JobRecord, Project, create_project, list_projects, open_project
from taxocom.taxonomy.tree import Taxonomy


@dataclass(frozen=True)
class Initialised:
    """A project whose corpus is being indexed, and the job that does it."""

    project: Project
    job: JobRecord


def initialise(
    name: str,
    source: Path,
    *,
    seed: Taxonomy,
    columns: Mapping[str, Any] | None = None,
    encoding: str | None = None,
    settings: Mapping[str, Any] | None = None,
    author: str = "",
    owner: str = "",
    description: str = "",
) -> Initialised:
    """Create a project and start indexing its corpus.

    If it was interrupted before, it goes on with the project that is there, provided nothing was done with it since: no
    corpus and no decisions. Any other project of that name is left alone, with a StoreError.
    """
    source = source.expanduser().absolute()
    if not source.exists():
        raise InputError(f"There is no file {source}. Check the path of the corpus.")
    project = begin_project(name, seed=seed, author=author, owner=owner, description=description)
    params = {"source": str(source), "columns": columns, "encoding": encoding, "settings": settings}
    running = [job for job in list_jobs(project, active=True) if job.kind == "index" and job.params == params]
    return Initialised(project, running[0] if running else submit(project, "index", params, author=author))


def begin_project(name: str, *, seed: Taxonomy, author: str = "", owner: str = "", description: str = "") -> Project:
    """Create a project, or open the one that an interrupted init left under that name."""
    project = _unfinished(name)
    if project is None:
        return create_project(name, seed=seed, author=author, owner=owner, description=description)
    if project.seed() != seed:
        project.set_seed(seed, author=author, why="given again to an interrupted init")
    return project


def _unfinished(name: str) -> Project | None:
    for summary in list_projects():
        if summary.name.casefold() == " ".join(name.split()).casefold() and not summary.problem:
            if summary.has_corpus or summary.n_decisions:
                raise StoreError(
                    f"There is already a project {summary.name!r}. Choose another name, or open or delete that one."
                )
            return open_project(summary.path.name)
    return None
