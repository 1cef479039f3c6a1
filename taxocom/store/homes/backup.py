"""A whole project in one file, and back. The file is a zip with a manifest of checksums; it is trusted in nothing."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select

from taxocom.errors import InputError, StoreError
from taxocom.progress import SILENT, Progress
from taxocom.store.db import schema
from taxocom.store.db.database import DamagedError, Database
from taxocom.store.db.head import head_of, read_head
from taxocom.store.db.migrate import bring_up_to_date, foreign_parts
from taxocom.store.db.proof import database_problems
from taxocom.store.db.server_address import is_on_server
from taxocom.store.db.which_database import DATABASE, database_of
from taxocom.store.disk.clock import Clock, stamp, utc_now
from taxocom.store.disk.locks import working_place
from taxocom.store.disk.whole_files import (
    clear_errors,
    damaged_among,
    discard,
    make_private,
    plain_files,
    private,
    protect,
    sync_directory,
    sync_file,
)
from taxocom.store.homes.lifecycle import free_name, new_project, settle
from taxocom.store.projects.project import Project

_FORMAT = "taxocom-backup"
_VERSION = 1
_MANIFEST = "manifest.json"
_MAX_MANIFEST = 64 * 2**20
_PIECE = 2**20
_PATIENCE = 120.0
_ALLOWED = re.compile(r"artifacts/[0-9a-f]{64}(\.[a-z0-9]{1,16}){0,2}(/[^/\\\0]+)*")


@dataclass(frozen=True)
class _Entry:
    n_bytes: int
    sha256: str


@dataclass(frozen=True)
class _Manifest:
    name: str
    files: dict[str, _Entry]
    created_at: str = ""
    commits: int = 0


@dataclass(frozen=True)
class BackupAbout:
    """A backup's own account: which project it is of, when it was made, and after how many changes."""

    name: str
    created_at: str
    commits: int


def backup_project(
    project: Project,
    file: Path,
    *,
    overwrite: bool = False,
    progress: Progress = SILENT,
    clock: Clock = utc_now,
    by: str | None = None,
) -> Path:
    """Write a project to one file, consistent even while others write; the file appears whole or not at all.

    `by` is the person who asked for it, None the program itself.
    """
    if by is not None:
        project.require("backup", by)
    if file.exists() and not overwrite:
        raise StoreError(f"{file} exists. Choose another name, or allow it to be overwritten.")
    with project.working_place("backup") as place:
        place.mkdir()
        copy = place / DATABASE
        commits = _copy_proven(project, copy)
        members = {DATABASE: copy, **_artifact_files(project, copy)}
        partial = file.with_name(f".{file.name}.part")
        try:
            with clear_errors("write", file):
                partial.unlink(missing_ok=True)
                partial.touch(mode=0o600)
                about = {"name": project.name, "created_at": stamp(clock()), "commits": commits}
                _write_zip(partial, about, members, progress)
                sync_file(partial)
                partial.replace(file)
                sync_directory(file.absolute().parent)
        finally:
            discard(partial)
    return file


def read_about(file: Path) -> BackupAbout:
    """Return a backup's own account; only its manifest is read."""
    with _as_zip(file) as archive:
        manifest = _read_manifest(file, archive)
    return BackupAbout(manifest.name, manifest.created_at, manifest.commits)


def _copy_proven(project: Project, copy: Path) -> int:
    """Copy the database, ask the copy for all that was acknowledged before, and return how many changes it counts.

    A backup must not pass damage on.
    """
    database = database_of(project.path)
    # What comes from a server brings a head of its own, with as many changes as the server counted.
    if not is_on_server(project.path):
        with clear_errors("read", head_of(database)):
            shutil.copyfile(head_of(database), head_of(copy))
    project.copy_database_to(copy)
    if problems := database_problems(copy):
        raise DamagedError(database, problems)
    return read_head(copy).commits


def _artifact_files(project: Project, database: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    with _opened(database) as copy, copy.read() as connection:
        names = list(connection.scalars(select(schema.artifacts.c.name)))
    for name in names:
        path = project.artifact_path(name)
        for file in plain_files(path) if path.is_dir() else [path]:
            found[f"artifacts/{file.relative_to(path.parent).as_posix()}"] = file
    return found


def _write_zip(target: Path, about: dict[str, Any], members: dict[str, Path], progress: Progress) -> None:
    total = sum(path.stat().st_size for path in members.values()) or 1
    n_done = 0
    files: dict[str, Any] = {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for member, path in members.items():
            digest, n_bytes = hashlib.sha256(), 0
            with path.open("rb") as source, archive.open(zipfile.ZipInfo(member), "w", force_zip64=True) as sink:
                while piece := source.read(_PIECE):
                    digest.update(piece)
                    sink.write(piece)
                    n_bytes += len(piece)
                    progress.report("Backing up", min(1.0, (n_done + n_bytes) / total))
            n_done += n_bytes
            files[member] = {"bytes": n_bytes, "sha256": digest.hexdigest()}
        manifest = {"format": _FORMAT, "version": _VERSION, **about, "files": files}
        archive.writestr(_MANIFEST, json.dumps(manifest, indent=1))


def restore_project(file: Path, *, name: str | None = None, progress: Progress = SILENT) -> Project:
    """Make a project from a backup; every byte is checked first, and no existing project is touched.

    Without a `name` it gets its own, with a number added if that is taken.
    """
    with _as_zip(file) as archive:
        manifest = _read_manifest(file, archive)
        _refuse_tricks(file, archive, manifest)
        chosen = name or free_name(manifest.name)
        with new_project(chosen) as place:
            with clear_errors("restore to", place):
                _unpack(file, archive, manifest, place, progress)
            _adopt(file, place, chosen)
            _read_through(file, place)
            final = settle(place, chosen)
    return Project(final)


def take_back(project: Project, name: str, file: Path) -> bool:
    """Put a damaged artifact of a project right from a backup; False if the backup does not hold it."""
    with _as_zip(file) as archive, project.working_place("repair") as place:
        manifest = _read_manifest(file, archive)
        _refuse_tricks(file, archive, manifest)
        wanted = {
            member: entry for member, entry in manifest.files.items() if member.split("/")[:2] == ["artifacts", name]
        }
        if not wanted:
            return False
        make_private(place)
        with clear_errors("restore to", place):
            _unpack(file, archive, replace(manifest, files=wanted), place, SILENT)
        with project.working_place("repair") as built:
            (place / "artifacts" / name).rename(built)
            project.put_artifact_back(name, built)
    return True


@contextmanager
def database_in(file: Path, place: Path) -> Iterator[Path]:
    """Unpack the database of a backup under `place`, whole and of our own version, to take rows from."""
    with _as_zip(file) as archive, working_place(place, "backup") as folder:
        manifest = _read_manifest(file, archive)
        _refuse_tricks(file, archive, manifest)
        make_private(folder)
        wanted = {DATABASE: manifest.files[DATABASE]}
        with clear_errors("restore to", folder):
            _unpack(file, archive, replace(manifest, files=wanted), folder, SILENT)
        _bring_in(file, folder / DATABASE)
        yield folder / DATABASE


@contextmanager
def _as_zip(file: Path) -> Iterator[zipfile.ZipFile]:
    if file.exists() and not file.is_file():
        raise InputError(f"{file} is not a file, so it cannot be a backup. Nothing was restored.")
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive
    except FileNotFoundError:
        raise InputError(f"There is no file {file}.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise InputError(f"{file} is not a backup, or is damaged ({error}). Nothing was restored.") from error


def _read_manifest(file: Path, archive: zipfile.ZipFile) -> _Manifest:
    try:
        entry = archive.getinfo(_MANIFEST)
        if entry.file_size > _MAX_MANIFEST:
            raise ValueError(f"a manifest of {entry.file_size} bytes")
        data = json.loads(archive.read(entry))
        if data["format"] != _FORMAT or not isinstance(data["version"], int):
            raise ValueError(f"the format is {data['format']!r}")
        if data["version"] > _VERSION:
            raise InputError(f"{file} was made by a newer version of TaxoCom Studio. Install that to restore it.")
        files = {str(path): _Entry(int(it["bytes"]), str(it["sha256"])) for path, it in data["files"].items()}
        return _Manifest(str(data["name"]), files, str(data.get("created_at", "")), int(data.get("commits", 0)))
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError, zipfile.BadZipFile) as error:
        raise InputError(f"{file} is not a backup of a project ({error}). Nothing was restored.") from error


def _refuse_tricks(file: Path, archive: zipfile.ZipFile, manifest: _Manifest) -> None:
    """Refuse names that lead elsewhere, links, and members beyond the manifest."""
    members = [entry.filename for entry in archive.infolist()]
    if sorted(members) != sorted([*manifest.files, _MANIFEST]) or DATABASE not in manifest.files:
        raise InputError(f"{file}: what it holds is not what its manifest lists. Nothing was restored.")
    for entry in archive.infolist():
        allowed = entry.filename in (DATABASE, _MANIFEST) or (
            _ALLOWED.fullmatch(entry.filename) and not {".", ".."} & set(entry.filename.split("/"))
        )
        if not allowed or stat.S_ISLNK(entry.external_attr >> 16):
            raise InputError(f"{file} holds {entry.filename!r}, which no backup does. Nothing was restored.")
        if entry.filename != _MANIFEST and entry.file_size != manifest.files[entry.filename].n_bytes:
            raise InputError(f"{file}: {entry.filename!r} has not the size its manifest says. Nothing was restored.")


def _unpack(file: Path, archive: zipfile.ZipFile, manifest: _Manifest, place: Path, progress: Progress) -> None:
    total = sum(entry.n_bytes for entry in manifest.files.values()) or 1
    free = shutil.disk_usage(place).free
    if total > free:
        raise InputError(f"{file} would unpack to {total:,} bytes, and {free:,} are free. Nothing was restored.")
    n_done = 0
    for member, entry in manifest.files.items():
        target = place / member
        make_private(target.parent)
        digest, n_bytes = hashlib.sha256(), 0
        with open(target, "xb", opener=private) as sink:
            for piece in _pieces(file, archive, member, entry.n_bytes):
                digest.update(piece)
                n_bytes += sink.write(piece)
        if n_bytes != entry.n_bytes or digest.hexdigest() != entry.sha256:
            raise InputError(f"{file}: {member!r} is damaged, its checksum differs. Nothing was restored.")
        n_done += entry.n_bytes
        progress.report("Restoring", n_done / total)


def _pieces(file: Path, archive: zipfile.ZipFile, member: str, n_bytes: int) -> Iterator[bytes]:
    """Yield what a file of the backup holds, a byte more than promised at most: it may unpack to far more."""
    left = n_bytes
    try:
        with archive.open(member) as source:
            while left >= 0 and (piece := source.read(min(_PIECE, left + 1))):
                left -= len(piece)
                yield piece
    # Not to be taken for an error of the place that is restored to.
    except OSError as error:
        raise InputError(f"{file} is damaged ({error}). Nothing was restored.") from error


def _bring_in(file: Path, path: Path) -> None:
    """Refuse a database that is damaged or not as we make them, and bring an older one up to date."""
    problems = database_problems(path, with_head=False, seconds=_PATIENCE)
    with _opened(path, seconds=_PATIENCE) as database:
        try:
            if not problems:
                bring_up_to_date(database)
                problems = foreign_parts(database)
        except StoreError as error:
            raise InputError(f"{file}: {error} Nothing was restored.") from error
    if problems:
        raise InputError(f"{file}: its database is damaged ({problems[0]}). Nothing was restored.")


def _adopt(file: Path, place: Path, name: str) -> None:
    """Check the database inside and give it its name; jobs stay behind, since their workers are elsewhere."""
    _bring_in(file, place / DATABASE)
    with _opened(place / DATABASE, seconds=_PATIENCE) as database, database.write() as connection:
        connection.execute(delete(schema.jobs))
        connection.execute(delete(schema.meta).where(schema.meta.c.key == "name"))
        connection.execute(schema.meta.insert().values(key="name", value=name))
        names = set(connection.scalars(select(schema.artifacts.c.name)))
    # The manifest may be made up as well; the names are what the rest of the project refers to.
    present = list((place / "artifacts").iterdir())
    wrong = {path.name for path in damaged_among(present)} | (names - {path.name for path in present})
    if wrong:
        raise InputError(
            f"{file}: the artifact {min(wrong)} is missing or not what its name says. Nothing was restored."
        )
    protect(place / "artifacts")


def _read_through(file: Path, place: Path) -> None:
    """Read all that the pages read: what cannot be read is better refused than left for every page to stumble over."""
    from taxocom.store.db.attachments import Attachments
    from taxocom.text.corpus_checks import check_corpus

    try:
        with Project(place) as project:
            project.history()
            project.taxonomy()
            project.releases()
            project.proposals()
            project.artifacts()
            if project.has_corpus:
                check_corpus(project.artifact_path(project.purposes()["corpus"]))
            for proposal in project.proposals():
                project.load_proposal(proposal.proposal_id)
            for release in project.releases():
                if release.artifact:
                    Attachments.from_bytes(project.artifact_path(release.artifact).read_bytes(), release.name)
    # A database whose rows a stranger made up may raise anything.
    except Exception as error:
        raise InputError(f"{file}: what it holds cannot be read ({error!s:.300}). Nothing was restored.") from error


@contextmanager
def _opened(path: Path, seconds: float | None = None) -> Iterator[Database]:
    database = Database(path, seconds=seconds)
    try:
        yield database
    finally:
        database.close()
