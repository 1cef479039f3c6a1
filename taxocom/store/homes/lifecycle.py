"""What can be done to a project as a whole: create, open, rename, copy, delete."""

from __future__ import annotations

import json
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import delete, insert, select

from taxocom.errors import StoreError
from taxocom.store.db import schema
from taxocom.store.db.database import Database
from taxocom.store.db.log import DecisionLog
from taxocom.store.db.migrate import create_tables
from taxocom.store.db.proof import refuse_damaged
from taxocom.store.db.which_database import DATABASE, database_of
from taxocom.store.disk.clock import Clock, stamp, utc_now
from taxocom.store.disk.locks import busy_with, lock, sweep, working_place
from taxocom.store.disk.whole_files import clear_errors, link_or_copy, remove, sync_directory, sync_tree, write_whole
from taxocom.store.homes.listing import home, list_deleted, list_projects, make_home
from taxocom.store.homes.moving import drop_tables, put_on_server
from taxocom.store.projects.project import Project
from taxocom.taxonomy.team_kinds import GiveRole
from taxocom.taxonomy.tree import Taxonomy

_MAX_NAME = 100


def create_project(
    name: str,
    *,
    seed: Taxonomy | None = None,
    author: str = "",
    description: str = "",
    owner: str = "",
    fill: Callable[[Project], None] | None = None,
    clock: Clock = utc_now,
) -> Project:
    """Make a project and open it. It appears whole or not at all.

    `owner` is made its first admin; without one it is open to everybody. `fill` may do long work on it first, such as
    indexing a corpus: nobody sees the project before that is done.
    """
    with new_project(name) as place:
        _new_database(place, name, stamp(clock()), description).close()
        with Project(place, clock=clock) as project:
            if seed is not None:
                project.set_seed(seed, author=author)
            if fill is not None:
                fill(project)
            if owner:
                project.record(GiveRole(owner, "admin"), author=owner)
        final = settle(place, name)
    return Project(final, clock=clock)


def make_unlisted(place: Path, *, seed: Taxonomy, fill: Callable[[Project], None], clock: Clock = utc_now) -> Project:
    """Make a project in an empty folder of the caller's and open it; no home lists it, and it goes with its folder."""
    with clear_errors("create a project in", place):
        for folder in ("artifacts", "work", "logs"):
            (place / folder).mkdir(mode=0o700)
    _new_database(place, place.name, stamp(clock()), "").close()
    project = Project(place, clock=clock)
    try:
        project.set_seed(seed)
        fill(project)
    except BaseException:
        project.close()
        raise
    return project


def open_project(name_or_path: str | Path, *, by_path: bool = True, clock: Clock = utc_now) -> Project:
    """Open a project by its name, by its directory's name, or by a path to its directory.

    Without `by_path` only a project of the home is opened: for names that come from strangers, such as an address.
    """
    return Project(find_project(name_or_path, by_path=by_path), clock=clock)


def rename_project(project: Project, name: str, *, by: str | None = None) -> None:
    """Give a project another name; its directory keeps its own, so that other processes are not disturbed."""
    _require(project, "rename", by)
    with _whole_home():
        _refuse_taken(_checked_name(name), other_than=project.path)
        project.set_about(name=_checked_name(name))


def copy_project(
    project: Project, name: str, *, by: str | None = None, with_decisions: bool = True, clock: Clock = utc_now
) -> Project:
    """Make a copy under another name; large files are shared, not copied, since they never change.

    Without its decisions the copy has the seed, the corpus and whatever else belongs to no topic, and the seed can be
    replaced: the way to start over on the same corpus.
    """
    _require(project, "copy", by)
    with new_project(name) as place:
        if with_decisions:
            project.copy_database_to(place / DATABASE)
            database = Database(place / DATABASE)
            _write_about(database, name, stamp(clock()), str(project.about().get("description", "")))
            with database.write() as connection:
                connection.execute(delete(schema.jobs))
        else:
            description = str(project.about().get("description", ""))
            database = _new_database(place, name, stamp(clock()), description)
            _copy_start(project, database, clock)
        with database.read() as connection:
            names = list(connection.scalars(select(schema.artifacts.c.name)))
        database.close()
        refuse_damaged(place / DATABASE)
        with clear_errors("copy to", place):
            for artifact in names:
                link_or_copy(project.artifact_path(artifact), place / "artifacts" / artifact)
        final = settle(place, name)
    return Project(final, clock=clock)


def delete_project(project: Project, *, by: str | None = None) -> Path:
    """Close a project and move it to the trash; return where it lies. Refused while somebody works on it."""
    _require(project, "delete", by)
    with _whole_home():
        busy = busy_with(project.path / "work")
        if busy:
            raise StoreError(
                f"{project.name!r} is being worked on ({', '.join(busy)}). Cancel that or wait for it, then delete."
            )
        project.close()
        return _move(project.path, home() / "trash" / project.path.name)


def trash_project(name: str, *, by: str | None = None) -> Path:
    """Move a project to the trash; return where it lies. A damaged one has no list of people that could be asked."""
    with _whole_home():
        path = find_project(name, by_path=False)
        _refuse_unless(path, "delete", by)
        if busy := busy_with(path / "work"):
            raise StoreError(f"{name!r} is being worked on ({', '.join(busy)}). Cancel that or wait for it.")
        return _move(path, home() / "trash" / path.name)


def _require(project: Project, action: str, by: str | None) -> None:
    """Raise a RoleError if the person may not do it; None is the program itself."""
    if by is not None:
        project.require(action, by)


def _refuse_unless(path: Path, action: str, by: str | None) -> None:
    if by is not None:
        with suppress(StoreError), Project(path) as project:
            project.require(action, by)


def undelete_project(name: str, *, by: str | None = None) -> Project:
    """Take a project out of the trash again; its name must be free."""
    with _whole_home():
        found = [summary for summary in list_deleted() if name in (summary.name, summary.path.name)]
        if len(found) != 1:
            listed = ", ".join(summary.path.name for summary in list_deleted()) or "nothing"
            raise StoreError(
                f"{'No' if not found else 'More than one'} project {name!r} is in the trash. There: {listed}."
            )
        _refuse_taken(found[0].name)
        _refuse_unless(found[0].path, "delete", by)
        return Project(_move(found[0].path, home() / "projects" / found[0].path.name))


def empty_trash() -> int:
    """Delete all projects in the trash for good, with their backups on schedule; return how many that were."""
    from taxocom.store.homes.schedule import BackupPlan

    plan = BackupPlan.from_environment()
    with _whole_home():
        gone = [summary.path for summary in list_deleted()]
        for path in gone:
            drop_tables(path)
            remove(path)
            remove(plan.place_of(path))
        return len(gone)


def preference(key: str) -> Any:
    """Return what the user of this machine prefers for `key`, None if nothing was said."""
    return _preferences().get(key)


def set_preference(key: str, value: Any) -> None:
    """Note what the user of this machine prefers; None takes it back."""
    with _whole_home():
        kept = {name: old for name, old in _preferences().items() if name != key}
        if value is not None:
            kept[key] = value
        plain = json.dumps(kept, indent=1, sort_keys=True).encode()
        write_whole(home() / "preferences.json", plain, only_mine=True)


def _preferences() -> dict[str, Any]:
    path = home() / "preferences.json"
    try:
        kept = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise StoreError(f"{path} is not readable ({error}). Delete it: it holds preferences only.") from error
    return dict(kept)


@contextmanager
def _whole_home() -> Iterator[None]:
    """Hold the lock under which projects appear, disappear and change names."""
    where = make_home()
    with clear_errors("use", where):
        held = lock(where / "home.lock")
    with held:
        yield


@contextmanager
def new_project(name: str) -> Iterator[Path]:
    """Give a hidden directory to build a project in; what was not settled is removed."""
    with _whole_home():
        sweep(home() / "work")
        _refuse_taken(_checked_name(name))
    with working_place(home() / "work", "create") as place:
        with clear_errors("create a project in", home()):
            for folder in (place, place / "artifacts", place / "work", place / "logs"):
                folder.mkdir(mode=0o700)
        yield place


def settle(place: Path, name: str) -> Path:
    """Put a finished project among the others: the rename is what makes it exist.

    It was made in a file of its own. Where projects are kept on a server its tables go there now, so that what was
    never finished leaves nothing behind.
    """
    put_on_server(place)
    try:
        with clear_errors("write", place):
            sync_tree(place)
        with _whole_home():
            _refuse_taken(_checked_name(name))
            return _move(place, home() / "projects" / f"{_slug(name)}-{secrets.token_hex(3)}")
    except BaseException:
        drop_tables(place)
        raise


def _move(source: Path, target: Path) -> Path:
    if target.exists():
        target = target.with_name(f"{target.name}-{secrets.token_hex(3)}")
    with clear_errors("move a project to", target):
        source.rename(target)
        sync_directory(target.parent)
        sync_directory(source.parent)
    return target


def _new_database(place: Path, name: str, created_at: str, description: str) -> Database:
    database = Database(place / DATABASE, access="create")
    create_tables(database)
    _write_about(database, name, created_at, description)
    return database


def _write_about(database: Database, name: str, created_at: str, description: str) -> None:
    about = {
        "name": _checked_name(name),
        "project_id": secrets.token_hex(8),
        "created_at": created_at,
        "description": description,
    }
    with database.write() as connection:
        connection.execute(delete(schema.meta))
        connection.execute(insert(schema.meta), [{"key": key, "value": value} for key, value in about.items()])


def _copy_start(project: Project, database: Database, clock: Clock) -> None:
    kept = {
        purpose: artifact
        for purpose, artifact in project.purposes().items()
        # What belongs to one topic of the tree is named after it, behind a slash.
        if "/" not in purpose
    }
    now = stamp(clock())
    rows = [artifact for artifact in project.artifacts() if artifact.name in kept.values()]
    with database.write() as connection:
        for row in rows:
            connection.execute(
                insert(schema.artifacts).values(
                    name=row.name,
                    kind=row.kind,
                    bytes=row.n_bytes,
                    made_from=row.made_from,
                    created_at=row.created_at,
                    details=row.details,
                )
            )
        for purpose, artifact in kept.items():
            connection.execute(insert(schema.uses).values(purpose=purpose, artifact=artifact, at=now))
    if project.has_seed:
        DecisionLog(database, clock, "").set_seed(project.seed(), author="", why="copied")


def find_project(name_or_path: str | Path, *, by_path: bool = True) -> Path:
    """Return the directory of a project, which may be damaged; `open_project` says what it may be called."""
    wanted = str(name_or_path)
    known = list_projects()
    for summary in known:
        if wanted in (summary.name, summary.path.name):
            return summary.path
    path = Path(name_or_path)
    if by_path and database_of(path).is_file():
        return path
    if by_path and path.is_file() and path == database_of(path.parent):
        return path.parent
    listed = ", ".join(repr(summary.name) for summary in known) or "none yet"
    raise StoreError(f"There is no project {wanted!r} in {home()}. Projects: {listed}.")


def free_name(name: str) -> str:
    """Return a name that no project has: this one, or this one with a number."""
    taken = {summary.name.casefold() for summary in list_projects()}
    name = _checked_name(name)
    number = 2
    free = name
    while free.casefold() in taken:
        free = f"{name[: _MAX_NAME - 8]} ({number})"
        number += 1
    return free


def _refuse_taken(name: str, other_than: Path | None = None) -> None:
    for summary in list_projects():
        if summary.name.casefold() == name.casefold() and summary.path != other_than:
            raise StoreError(f"There is already a project {summary.name!r}. Choose another name, or open that one.")


def _checked_name(name: str) -> str:
    checked = " ".join(name.split())
    if not checked or len(checked) > _MAX_NAME:
        raise StoreError(f"A project's name has 1 to {_MAX_NAME} characters; {name[:40]!r} has {len(checked)}.")
    for character in checked:
        if character in "/\\" or unicodedata.category(character) in ("Cc", "Cs"):
            raise StoreError(f"A project's name cannot hold the character {character!r}: {checked!r}.")
    return checked


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40] or "project"
