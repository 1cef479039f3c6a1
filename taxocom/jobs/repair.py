"""Putting a damaged project right: from a backup, by making things again, else by letting go of what is lost."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from taxocom.errors import StoreError, TaxocomError
from taxocom.progress import SILENT, Progress
from taxocom.reading.files import take_back
from taxocom.store import Artifact, Project
from taxocom.store.db.server_address import is_on_server
from taxocom.store.db.which_database import DATABASE, problems_of
from taxocom.store.homes.backup import database_in
from taxocom.store.homes.salvage import salvage
from taxocom.store.projects.corpus_reading import reading_of


@dataclass(frozen=True)
class Repair:
    """What became of a damaged artifact or of the database, and what a person should do about it, if anything."""

    artifact: str
    kind: str
    is_whole: bool
    said: str


def repair_database(path: Path, backup: Path | None = None, *, accept_loss: bool = False) -> list[Repair]:
    """Put the database of a project right: what its head proves is kept, the rest is taken from a backup.

    Without a backup a loss is an error, unless it is accepted.
    """
    if not (problems := problems_of(path)):
        return []
    if is_on_server(path):
        raise StoreError(f"{problems[0]} What is on a server is put right there, or restored from a backup.")
    database = path / DATABASE
    with ExitStack() as stack:
        rows = None if backup is None else stack.enter_context(database_in(backup, path / "work"))
        found = salvage(database, rows, accept_loss=accept_loss)
    kept = f" The damaged one is kept as {found.kept_at.name}." if found.kept_at else ""
    said = "; ".join([found.said, *found.lost])
    return [Repair(DATABASE, "database", not found.lost, f"{said}.{kept}")]


def repair(project: Project, backup: Path | None = None, progress: Progress = SILENT) -> list[Repair]:
    """Put every damaged artifact right, or take it out of the way.

    A backup gives back the very bytes. Without one the corpus is read again from where it was read, and what can be
    computed is computed when it is next needed.
    """
    # The corpus may be read from an upload that is damaged too, and had better come back first.
    damaged = sorted(project.damaged(), key=lambda artifact: artifact.kind == "corpus")
    return [_one(project, artifact, backup, progress) for artifact in damaged]


def _one(project: Project, artifact: Artifact, backup: Path | None, progress: Progress) -> Repair:
    if backup is not None and take_back(project, artifact.name, backup):
        return Repair(artifact.name, artifact.kind, True, "taken back from the backup, byte for byte")
    in_use = project.used_for("corpus")
    if in_use is not None and in_use.name == artifact.name:
        return _read_again(project, artifact, progress)
    if releases := [release.name for release in project.releases() if release.artifact == artifact.name]:
        said = f"lost, so the release {', '.join(releases)} cannot be exported. Give a backup: --from FILE"
        return Repair(artifact.name, artifact.kind, False, said)
    nodes = [record.node_id for record in project.proposals() if record.artifact == artifact.name]
    project.forget_artifact(artifact.name)
    if nodes:
        topics = ", ".join(sorted(set(nodes)))
        return Repair(artifact.name, artifact.kind, False, f"a proposal is lost: expand again the topic {topics}")
    if artifact.kind == "embedding":
        return Repair(artifact.name, artifact.kind, True, "removed; the next expansion makes it again")
    if artifact.kind == "map":
        return Repair(artifact.name, artifact.kind, True, "removed; it can be drawn again on the page Expand")
    return Repair(artifact.name, artifact.kind, False, "lost; it was removed from the project")


def _read_again(project: Project, artifact: Artifact, progress: Progress) -> Repair:
    from taxocom.jobs.tasks import index

    if artifact.details.get("batches"):
        # The file that was read first has none of the texts that were added since.
        said = f"texts were added to it as batches; give a backup: taxocom repair {project.path.name} --from FILE"
        return Repair(artifact.name, artifact.kind, False, said)
    try:
        index(project, reading_of(project, artifact).as_parameters(), progress)
    except TaxocomError as error:
        said = f"could not be read again ({error}). Give a backup: taxocom repair {project.path.name} --from FILE"
        return Repair(artifact.name, artifact.kind, False, said)
    used = project.used_for("corpus")
    if used is not None and used.name == artifact.name:
        return Repair(artifact.name, artifact.kind, True, "read again from its source, the same byte for byte")
    project.forget_artifact(artifact.name)
    return Repair(artifact.name, artifact.kind, True, "read again; the tree has grown since, so expand topics again")
