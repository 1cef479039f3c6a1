"""Jobs on texts that come later: those that are tagged and join nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from taxocom.errors import JobError
from taxocom.jobs.registry import task
from taxocom.progress import Progress, Span
from taxocom.store import Project
from taxocom.taxonomy.codec import from_plain

TAGGED = "tagged"
"""The purpose of the file that the last tagging job made."""


@task("tag")
def tag(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Tag the texts of a file, and keep the result as an artifact.

    Parameters: `source` (an absolute path), `name` of the file to make, and where the guess should not hold `columns`
    and `encoding`; `release`, `least`, `primary` and `n_terms` as `taxocom tag` has them.
    """
    from taxocom.store.project_tagger import project_tagger
    from taxocom.store.tagged_files import TaggingWishes, file_kind, tag_file
    from taxocom.text.columns import Columns
    from taxocom.text.loading import sniff

    source = Path(str(params["source"]))
    if not source.is_absolute():
        raise JobError(f"The texts are given as {str(source)!r}; a worker needs the whole path, starting with /.")
    name = Path(str(params["name"])).name
    suffix, _ = file_kind(Path(name))
    wishes = TaggingWishes(**{key: params[key] for key in ("least", "primary", "n_terms") if key in params})
    found = sniff(source, encoding=params.get("encoding"))
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
