"""Backups that nobody has to think of: written when due, a bounded number kept, each proven before it counts."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from taxocom.errors import InputError, SettingsError, StoreError
from taxocom.store.db.which_database import commits_of
from taxocom.store.disk.clock import Clock, moment, utc_now
from taxocom.store.disk.locks import try_lock
from taxocom.store.disk.whole_files import clear_errors, make_private, write_whole
from taxocom.store.homes.backup import backup_project, read_about
from taxocom.store.homes.listing import home_of
from taxocom.store.projects.project import Project

_NAME = re.compile(r"(\d{4,})-\d{4}-\d\d-\d\d\.zip")
_PROBLEM = "problem.txt"
_SHARE_OF_DISK = 0.5
"""How much of what is free on the disk a backup may take."""


@dataclass(frozen=True)
class BackupPlan:
    """How often backups are written (0 hours: never), how many are kept of each project, and where (None: the home).

    Set by TAXOCOM_BACKUP_HOURS, TAXOCOM_BACKUP_KEEP and TAXOCOM_BACKUP_FOLDER; a folder on another disk is best.
    """

    hours: float = 24.0
    keep: int = 5
    folder: Path | None = None

    @staticmethod
    def from_environment() -> BackupPlan:
        """Read the plan; a value that makes no sense is a SettingsError."""
        default = BackupPlan()
        try:
            hours = float(os.environ.get("TAXOCOM_BACKUP_HOURS") or default.hours)
            keep = int(os.environ.get("TAXOCOM_BACKUP_KEEP") or default.keep)
        except ValueError as error:
            raise SettingsError(f"TAXOCOM_BACKUP_HOURS and TAXOCOM_BACKUP_KEEP must be numbers: {error}.") from error
        if not hours >= 0 or keep < 1:
            raise SettingsError(
                f"TAXOCOM_BACKUP_HOURS is {hours:g} and TAXOCOM_BACKUP_KEEP {keep}. Give 0 hours for no backups, "
                "and keep at least 1."
            )
        chosen = os.environ.get("TAXOCOM_BACKUP_FOLDER")
        return BackupPlan(hours, keep, Path(chosen).expanduser().absolute() if chosen else None)

    def place_of(self, project: Path) -> Path:
        """Return where the backups of a project lie."""
        return (self.folder or home_of(project) / "backups") / project.name


@dataclass(frozen=True)
class KeptBackup:
    """A backup that was written on schedule; `commits` says which state of the project it holds."""

    file: Path
    at: str
    n_bytes: int
    commits: int


@dataclass(frozen=True)
class Kept:
    """The backups of a project, oldest first, and why the last attempt at one failed, if it did."""

    backups: tuple[KeptBackup, ...]
    problem: str = ""


def kept_backups(project: Path, plan: BackupPlan) -> Kept:
    """Return the backups that were written of a project on schedule; one that cannot be read is left out."""
    place = plan.place_of(project)
    with clear_errors("look into", place):
        files = sorted((path for path in place.glob("*.zip") if _NAME.fullmatch(path.name)), key=_number)
        problem = (place / _PROBLEM).read_text("utf-8") if (place / _PROBLEM).exists() else ""
    found = []
    for file in files:
        try:
            about = read_about(file)
        except InputError:
            continue
        found.append(KeptBackup(file, about.created_at, file.stat().st_size, about.commits))
    return Kept(tuple(found), problem)


def is_due(project: Path, created_at: str, plan: BackupPlan, clock: Clock = utc_now) -> bool:
    """Tell whether a project has changed since its last backup, or since it was made, and that is long enough ago."""
    if plan.hours == 0:
        return False
    last = kept_backups(project, plan).backups[-1:]
    # The clock may have been set back since.
    if abs((clock() - _moment(last[0].at if last else created_at)).total_seconds()) < plan.hours * 3600:
        return False
    try:
        return not last or commits_of(project) != last[0].commits
    except StoreError:
        # The attempt says what is wrong.
        return True


def back_up_now(project: Project, plan: BackupPlan, clock: Clock = utc_now) -> Path | None:
    """Write a backup and let go of the oldest beyond those to keep; None if another process is at it.

    A project that is damaged is not backed up, and no older backup is let go then: they may be what repairs it.
    """
    place = plan.place_of(project.path)
    with clear_errors("write to", place):
        make_private(place)
        held = try_lock(place / "writing.lock")
    if held is None:
        return None
    with held:
        try:
            file = _write(project, place, clock)
        except StoreError as error:
            with clear_errors("write to", place):
                write_whole(place / _PROBLEM, str(error).encode(), only_mine=True)
            raise
        with clear_errors("write to", place):
            (place / _PROBLEM).unlink(missing_ok=True)
            for each in kept_backups(project.path, plan).backups[: -plan.keep]:
                each.file.unlink()
    return file


def _write(project: Project, place: Path, clock: Clock) -> Path:
    needed = sum(artifact.n_bytes for artifact in project.artifacts())
    free = shutil.disk_usage(place).free
    if needed > free * _SHARE_OF_DISK:
        raise StoreError(
            f"No backup was written: it may take {needed:,} bytes, and {free:,} are free in {place}. Free some space, "
            "or name a folder on another disk in TAXOCOM_BACKUP_FOLDER."
        )
    numbers = [_number(path) for path in place.glob("*.zip") if _NAME.fullmatch(path.name)]
    number = max(numbers, default=0) + 1
    return backup_project(project, place / f"{number:04d}-{clock().date().isoformat()}.zip", clock=clock)


def _number(path: Path) -> int:
    return int(path.name.partition("-")[0])


def _moment(text: str) -> datetime:
    try:
        return moment(text)
    except ValueError:
        return datetime.fromisoformat("1970-01-01T00:00:00+00:00")
