"""Files and directories named by content: written whole, never changed, shared by all that have the same content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, delete, select, text

from taxocom.errors import StoreError
from taxocom.store.db import schema
from taxocom.store.db.database import upsert
from taxocom.store.db.project_database import ProjectDatabase
from taxocom.store.db.records import Artifact
from taxocom.store.disk.array_file import ArrayFile, read_arrays, write_arrays
from taxocom.store.disk.clock import Clock, stamp
from taxocom.store.disk.locks import busy_with, working_place
from taxocom.store.disk.whole_files import (
    clear_errors,
    content_of,
    damaged_among,
    is_as_named,
    plain_files,
    protect,
    remove,
    sync_directory,
    sync_file,
    sync_tree,
    vouch_for,
)

if TYPE_CHECKING:
    import numpy.typing as npt

_NAME = re.compile(r"[0-9a-f]{64}(\.[a-z0-9]{1,16}){0,2}")

_KINDS = {
    "corpus": "The indexed corpus",
    "proposal": "A proposal",
    "map": "The map of a proposal",
    "embedding": "The set of word vectors",
    "upload": "An uploaded file",
    "quality": "A measurement",
    "gold": "The hierarchy to measure against",
    "tagged": "The file of tagged texts",
    "release": "What a release is exported with",
}


class Artifacts:
    """The artifacts of one project: `<project>/artifacts`, with `<project>/work` for what is being made."""

    def __init__(self, project: Path, database: ProjectDatabase, clock: Clock) -> None:
        self._folder = project / "artifacts"
        self._work = project / "work"
        self._database = database
        self._clock = clock

    def working_place(self, purpose: str) -> AbstractContextManager[Path]:
        """Give a fresh path, on the artifacts' own file system, to build something at."""
        return working_place(self._work, purpose)

    def put_bytes(
        self, data: bytes, kind: str, *, made_from: str, extension: str, details: Mapping[str, Any]
    ) -> Artifact:
        """Keep bytes as a file."""
        with self.working_place("bytes") as place:
            with clear_errors("write", place):
                place.write_bytes(data)
            return self.publish(place, kind, made_from=made_from, extension=extension, details=details)

    def publish(
        self, path: Path, kind: str, *, made_from: str = "", extension: str = "", details: Mapping[str, Any]
    ) -> Artifact:
        """Move a finished file or directory in among the artifacts and return it under its name.

        `path` must be a working place: it is renamed, not copied, and only after all of it is on the disk.
        """
        with clear_errors("keep", path):
            content = content_of(path)
            name = _checked(content.digest + (f".{extension}" if extension else ""))
            target = self._folder / name
            if target.exists() and is_as_named(target):
                remove(path)
            else:
                # What is there under this name and damaged gives way: making it again is how it is repaired.
                remove(target)
                protect(path)
                sync_tree(path) if path.is_dir() else sync_file(path)
                _move_in(path, target)
                vouch_for(target)
        return self._register(Artifact(name, kind, content.n_bytes, made_from, stamp(self._clock()), dict(details)))

    def _register(self, artifact: Artifact) -> Artifact:
        latest = {"kind": artifact.kind, "made_from": artifact.made_from, "details": artifact.details}
        first = {"bytes": artifact.n_bytes, "created_at": artifact.created_at}
        with self._database.write() as connection:
            # The same content made again, perhaps in another way: the later account of it holds.
            upsert(connection, schema.artifacts, {"name": artifact.name}, latest, **first)
        return artifact

    def path_of(self, name: str) -> Path:
        """Return where an artifact lies; one that is missing or damaged is a StoreError.

        It is checked against its name when a process first asks for it: a flipped bit in an array of indices would
        end the process, and elsewhere change results without a word.
        """
        path = self._folder / _checked(name)
        with clear_errors("read", path):
            state = "missing" if not path.exists() else "" if is_as_named(path) else "damaged on the disk"
        if state:
            raise StoreError(
                f"{self._called(name)} of this project is {state} (artifact {name[:12]}…). Repair it with the command: "
                f"taxocom repair {self._folder.parent.name}"
            )
        return path

    def _called(self, name: str) -> str:
        with self._database.read() as connection:
            kind = connection.scalar(select(schema.artifacts.c.kind).where(schema.artifacts.c.name == name))
        return _KINDS.get(str(kind), "A file")

    def damaged(self) -> list[Artifact]:
        """Return the artifacts that are missing or no longer hold what their name says; every byte is read."""
        found = {_checked(artifact.name): artifact for artifact in self.all()}
        return [found[path.name] for path in damaged_among([self._folder / name for name in found])]

    def put_back(self, name: str, path: Path) -> None:
        """Put a good copy, built at a working place, where a damaged or missing artifact was."""
        with clear_errors("keep", path):
            if content_of(path).digest != _checked(name).partition(".")[0]:
                raise StoreError(f"The copy of the artifact {name} is damaged too; it was not used.")
            protect(path)
            sync_tree(path) if path.is_dir() else sync_file(path)
            remove(self._folder / name)
            _move_in(path, self._folder / name)

    def forget(self, name: str) -> None:
        """Let go of an artifact that is lost, and of what stands on it: its proposals and the purposes it serves."""
        with self._database.write(turn="project") as connection:
            connection.execute(delete(schema.uses).where(schema.uses.c.artifact == name))
            connection.execute(delete(schema.proposals).where(schema.proposals.c.artifact == name))
            connection.execute(delete(schema.artifacts).where(schema.artifacts.c.name == name))
        remove(self._folder / _checked(name))

    def all(self) -> list[Artifact]:
        """Return every artifact on record, oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(select(schema.artifacts).order_by(text("rowid")))
            return [_artifact(row) for row in rows]

    def use(self, purpose: str, name: str) -> None:
        """Let an artifact serve a purpose from now on, in place of the one that did."""
        if not (self._folder / _checked(name)).exists():
            self.path_of(name)
        values = {"artifact": name, "at": stamp(self._clock())}
        with self._database.write() as connection:
            upsert(connection, schema.uses, {"purpose": purpose}, values)

    def stop_using(self, purpose: str) -> None:
        """Let nothing serve a purpose any more; what did is deleted by the next `drop_unused`."""
        with self._database.write() as connection:
            connection.execute(delete(schema.uses).where(schema.uses.c.purpose == purpose))

    def used_for(self, purpose: str) -> Artifact | None:
        """Return the artifact that serves a purpose, None if none does."""
        with self._database.read() as connection:
            row = connection.execute(
                select(schema.artifacts).join(schema.uses).where(schema.uses.c.purpose == purpose)
            ).first()
        return _artifact(row) if row else None

    def save_arrays(
        self, purpose: str, metadata: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], *, made_from: str
    ) -> Artifact:
        """Keep arrays with their metadata and let them serve a purpose."""
        with self.working_place("arrays") as place:
            with clear_errors("write", place):
                write_arrays(place, metadata, arrays)
            artifact = self.publish(place, purpose.partition("/")[0], made_from=made_from, extension="npz", details={})
            self.use(purpose, artifact.name)
        return artifact

    def load_arrays(self, purpose: str) -> ArrayFile | None:
        """Open the arrays that serve a purpose, None if none do."""
        artifact = self.used_for(purpose)
        return read_arrays(self.path_of(artifact.name)) if artifact else None

    def purposes(self) -> dict[str, str]:
        """Return every purpose with the name of the artifact that serves it."""
        with self._database.read() as connection:
            return {row.purpose: row.artifact for row in connection.execute(select(schema.uses))}

    def drop_unused(self, *, older_than_seconds: float = 3600.0) -> int:
        """Delete artifacts that serve no purpose and belong to no proposal or release; return the bytes freed.

        Young ones are spared, since the process that made one may be about to use it.
        """
        busy = busy_with(self._work)
        if busy:
            raise StoreError(f"{self._folder.parent} is being worked on ({', '.join(busy)}). Try again afterwards.")
        limit = self._clock().timestamp() - older_than_seconds
        n_bytes = 0
        with self._database.write(turn="project") as connection:
            kept = {
                *connection.scalars(select(schema.uses.c.artifact)),
                *connection.scalars(select(schema.proposals.c.artifact)),
                *connection.scalars(select(schema.releases.c.artifact)),
            }
            for path in sorted(self._folder.iterdir()):
                if path.name not in kept and path.stat().st_ctime <= limit:
                    connection.execute(delete(schema.artifacts).where(schema.artifacts.c.name == path.name))
                    n_bytes += content_size(path)
                    remove(path)
        return n_bytes


def content_size(path: Path) -> int:
    """Return the bytes of a file, or of all files of a directory."""
    files = plain_files(path) if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


def _move_in(path: Path, target: Path) -> None:
    try:
        path.rename(target)
    except OSError:
        # Another process published the same directory between our look and our rename; theirs is as good.
        if not target.exists():
            raise
        remove(path)
    sync_directory(target.parent)


def _checked(name: str) -> str:
    # Names come back from a database that may have been restored from a stranger's file.
    if not _NAME.fullmatch(name):
        raise StoreError(f"{name!r} is not the name of an artifact (64 hexadecimal digits and at most two extensions).")
    return name


def _artifact(row: Row[*tuple[Any, ...]]) -> Artifact:
    return Artifact(row.name, row.kind, row.bytes, row.made_from, row.created_at, row.details)
