"""The seed and the log of decisions: appended by one writer at a time, replayed into the current tree."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, text

from taxocom.errors import DecisionError, StoreError
from taxocom.store.db import schema
from taxocom.store.db.database import DamagedError, to_json
from taxocom.store.db.following import Following
from taxocom.store.db.project_database import ProjectDatabase
from taxocom.store.db.records import StaleWriterError, tree_from_plain, tree_to_plain
from taxocom.store.db.seals import FIRST_HASH, chained
from taxocom.store.disk.clock import Clock, stamp
from taxocom.store.disk.memory import Memory
from taxocom.taxonomy.approval import as_draft, refuse_own_approval
from taxocom.taxonomy.clashes import Touched
from taxocom.taxonomy.curation import Curation, CurationCollector
from taxocom.taxonomy.decision_base import lasting_kinds
from taxocom.taxonomy.decisions import Decision, HistoryEntry, LoggedDecision, Redo, Timeline, Undo
from taxocom.taxonomy.team import SIGN_IN, Team
from taxocom.taxonomy.tree import Taxonomy

_SHOWN_CHANGES = 3


@dataclass
class _Replayed:
    """The tree as far as this process has carried the log out, ready for the next decision."""

    seed_version: int
    seed: Taxonomy
    timeline: Timeline
    sequence: int = 0
    tree: Taxonomy | None = None
    curation: Following[CurationCollector] = field(default_factory=Following)


@dataclass(frozen=True)
class Standing:
    """The decisions that an undo would take back and a redo put back, the next one last."""

    in_force: Sequence[LoggedDecision]
    undone: Sequence[LoggedDecision]


class _ClashError(Exception):
    """A decision gets in the way of what others decided since; told in full once the database is free again."""


class DecisionLog:
    """The curation of one project. Each process keeps the log and the replayed tree, and reads only what is new."""

    def __init__(self, database: ProjectDatabase, clock: Clock, title: str) -> None:
        self._database = database
        self._clock = clock
        self._title = title
        self._replayed: _Replayed | None = None
        self._entries: list[LoggedDecision] = []
        self._last_hash = FIRST_HASH
        self._past: Memory[Taxonomy] = Memory(4)
        self._lock = threading.RLock()

    def seed(self) -> Taxonomy:
        """Return the seed tree, an empty tree if none was set."""
        with self._lock, self._database.read() as connection:
            return self._with_seed(connection).seed

    def has_seed(self) -> bool:
        """Tell whether a seed was set."""
        with self._database.read() as connection:
            return self._seed_version(connection) > 0

    def set_seed(self, seed: Taxonomy, *, author: str, why: str) -> None:
        """Set or replace the seed; refused once something was decided, since the log stands on it."""
        with self._database.write(turn="log") as connection:
            if (n_decisions := _about_the_tree(connection)) > 0:
                raise StoreError(
                    f"The seed cannot be replaced: {n_decisions} decisions stand on it. Change the tree by deciding, "
                    "or copy the project without its decisions and set the seed there."
                )
            connection.execute(
                insert(schema.seeds).values(
                    version=self._seed_version(connection) + 1,
                    tree=tree_to_plain(seed),
                    author=author,
                    at=stamp(self._clock()),
                    why=why,
                )
            )

    def sequence(self) -> int:
        """Return the number of the last decision, 0 before the first."""
        with self._database.read() as connection:
            return _last(connection)

    def entries(self, after: int = 0, up_to: int | None = None) -> list[LoggedDecision]:
        """Return the decisions after one number and up to another, oldest first; each is read from the disk once."""
        with self._lock, self._database.read() as connection:
            self._read(connection)
            return self._entries[after:up_to]

    def _read(self, connection: Connection) -> None:
        """Read what was decided since the last look; each decision must carry the hash of the one before."""
        for row in logged_rows(connection, len(self._entries)):
            *values, found = row
            if found != chained(self._last_hash, *values) or row[0] != len(self._entries) + 1:
                raise DamagedError(self._database.path, [f"decision {row[0]} is not what was recorded"])
            self._entries.append(_entry(*values))
            self._last_hash = found

    def taxonomy(self) -> Taxonomy:
        """Return the tree as it is now."""
        with self._lock, self._database.read() as connection:
            return self._tree(self._caught_up(connection))

    def taxonomy_at(self, sequence: int) -> Taxonomy:
        """Return the tree as it was after a decision; 0 is the seed."""
        with self._lock, self._database.read() as connection:
            replayed = self._caught_up(connection)
            if not 0 <= sequence <= replayed.sequence:
                raise StoreError(f"There is no decision {sequence}; the last one is {replayed.sequence}.")
            if sequence == replayed.sequence:
                return self._tree(replayed)
            entries = self._entries[:sequence]
        return self._past.get((replayed.seed_version, sequence), lambda: Timeline(replayed.seed, entries).tree)

    def history(self, after: int = 0) -> list[HistoryEntry]:
        """Return every decision after a number in plain words, oldest first."""
        with self._lock, self._database.read() as connection:
            return self._caught_up(connection).timeline.told(self._entries[after:])

    def standing(self) -> Standing:
        """Return which decisions are in force and which could be put back."""
        with self._lock, self._database.read() as connection:
            timeline = self._caught_up(connection).timeline
            return Standing(timeline.in_force, timeline.undone)

    def team(self) -> Team:
        """Return who may do what, as of now: another process may have changed it a moment ago."""
        with self._lock, self._database.read() as connection:
            return self._caught_up(connection).timeline.team

    def curation(self) -> Curation:
        """Return what the decisions in force say about the next run."""
        with self._lock, self._database.read() as connection:
            replayed = self._caught_up(connection)
            return replayed.curation.ask(
                replayed.timeline.in_force,
                make=lambda: CurationCollector(replayed.seed),
                follow=lambda collector, entry: collector.follow(entry.decision),
                answer=CurationCollector.result,
            )

    def record(
        self,
        decisions: Sequence[Decision],
        *,
        author: str,
        why: str,
        expected: int | None,
        judged: Collection[str] = (),
    ) -> list[LoggedDecision]:
        """Append decisions, all of them or none; when this returns they are on the disk.

        One who decided on an older tree is refused only if what was decided since gets in the way (`clashes`).
        """
        with self._lock:
            # A long log is read before the writer lock is taken: others should wait for our write alone.
            with self._database.read() as connection:
                self._caught_up(connection)
            try:
                with self._database.write(turn="log") as connection, self._trying(connection, decisions) as replayed:
                    allowed = [_allowed(replayed.timeline, decision, author) for decision in decisions]
                    theirs = self._decided_since(replayed, allowed, expected)
                    logged = self._carry_out_all(replayed, allowed, author, why, theirs, judged)
                    rows = _chained_rows(self._last_hash, logged)
                    if rows:
                        connection.execute(_APPEND, rows)
            except _ClashError as clash:
                raise self._stale(expected or 0, str(clash)) from clash
            except BaseException:
                # The commit itself may have failed, with the timeline ahead of what was kept.
                self._replayed = self._replayed if self._replayed and self._is_behind(self._replayed) else None
                raise
            self._entries += logged
            self._last_hash = rows[-1]["hash"] if rows else self._last_hash
            return logged

    @staticmethod
    def _decided_since(replayed: _Replayed, decisions: Sequence[Decision], expected: int | None) -> Touched | None:
        """Return what was touched since a writer looked, None if nothing was decided."""
        if expected is None or expected == replayed.sequence:
            return None
        if expected > replayed.sequence:
            said = f"You decided on step {expected}, but the log has only {replayed.sequence} steps."
            raise StaleWriterError(said, ())
        if any(isinstance(each, (Undo, Redo)) for each in decisions):
            raise _ClashError("an undo takes back what was decided last")
        return replayed.timeline.touched_since(expected)

    def _carry_out_all(
        self,
        replayed: _Replayed,
        decisions: Sequence[Decision],
        author: str,
        why: str,
        theirs: Touched | None,
        judged: Collection[str],
    ) -> list[LoggedDecision]:
        start = replayed.sequence
        try:
            logged = [self._carry_out(replayed, decision, author, why) for decision in decisions]
        except DecisionError as error:
            # On the tree that its writer saw it may well have been possible.
            raise _ClashError(str(error)) if theirs is not None else error from error
        if theirs is not None:
            mine = replayed.timeline.touched_since(start)
            mine.judge(judged)
            if mine.clashes_with(theirs):
                raise _ClashError
        return logged

    def _carry_out(self, replayed: _Replayed, decision: Decision, author: str, why: str) -> LoggedDecision:
        logged = LoggedDecision(replayed.sequence + 1, decision, author, stamp(self._clock()), why)
        try:
            replayed.timeline.tell(logged)
        except DecisionError as error:
            # The timeline names the place in the log, which a decision that was refused never got.
            raise DecisionError(str(error.__cause__ or error)) from error
        replayed.sequence += 1
        replayed.tree = None
        return logged

    @contextmanager
    def _trying(self, connection: Connection, decisions: Sequence[Decision]) -> Iterator[_Replayed]:
        """Give the replayed log to carry decisions out on; if they are refused it is as it was before."""
        replayed = self._caught_up(connection)
        before, sequence = replayed.timeline.moment(), replayed.sequence
        try:
            yield replayed
        except BaseException:
            if any(isinstance(each, (Undo, Redo)) for each in decisions):
                self._replayed = None
            else:
                replayed.timeline.back_to(before)
                replayed.sequence, replayed.tree = sequence, None
            raise

    def _is_behind(self, replayed: _Replayed) -> bool:
        return replayed.sequence <= len(self._entries)

    def _with_seed(self, connection: Connection) -> _Replayed:
        version = self._seed_version(connection)
        if self._replayed is None or self._replayed.seed_version != version:
            seed = self._seed(connection, version)
            self._replayed = _Replayed(version, seed, Timeline(seed))
        return self._replayed

    def _caught_up(self, connection: Connection) -> _Replayed:
        replayed = self._with_seed(connection)
        self._read(connection)
        for logged in self._entries[replayed.sequence :]:
            replayed.timeline.tell(logged)
            replayed.sequence = logged.sequence
            replayed.tree = None
        return replayed

    @staticmethod
    def _tree(replayed: _Replayed) -> Taxonomy:
        if replayed.tree is None:
            replayed.tree = replayed.timeline.tree
        return replayed.tree

    def _stale(self, expected: int, reason: str) -> StaleWriterError:
        changes = tuple(self.history(expected))
        said = [f"{entry.logged.author or 'somebody'}: {entry.summary}" for entry in changes[-_SHOWN_CHANGES:]]
        earlier = f" (and {len(changes) - len(said)} before)" if len(changes) > len(said) else ""
        because = f" ({reason.rstrip('.')})" if reason else ""
        return StaleWriterError(
            f"Others decided since you looked (step {expected}, now {self.sequence()}), and your decision conflicts "
            f"with it{because}. Nothing was saved. {'; '.join(said)}{earlier}. Look at the tree again, then decide.",
            changes,
        )

    @staticmethod
    def _seed_version(connection: Connection) -> int:
        return connection.execute(select(func.max(schema.seeds.c.version))).scalar() or 0

    def _seed(self, connection: Connection, version: int) -> Taxonomy:
        if version == 0:
            return Taxonomy.empty(self._title)
        tree = connection.execute(select(schema.seeds.c.tree).where(schema.seeds.c.version == version)).scalar_one()
        return tree_from_plain(tree, f"{self._database.path}, seed {version}")


def _allowed(timeline: Timeline, decision: Decision, author: str) -> Decision:
    """Return a decision as the roles and rules of the project let its author make it, or raise a RoleError."""
    if author == SIGN_IN:
        return decision
    timeline.team.require(author, decision.kind)
    if not timeline.team.second_person:
        return decision
    refuse_own_approval(decision, author, ((entry.decision, entry.author) for entry in timeline.in_force))
    return as_draft(decision)


def _last(connection: Connection) -> int:
    return connection.execute(select(func.max(schema.decisions.c.sequence))).scalar() or 0


def _about_the_tree(connection: Connection) -> int:
    kind = schema.decisions.c.kind
    counted = select(func.count()).select_from(schema.decisions).where(kind.not_in(lasting_kinds()))
    return int(connection.execute(counted).scalar_one())


# The body as the text that it was written as: the hash is of that, and a server may read JSON on its own.
_NEW = text(
    "SELECT sequence, kind, CAST(body AS TEXT) AS body, author, at, why, hash FROM decisions "
    "WHERE sequence > :after ORDER BY sequence"
)
_APPEND = text(
    "INSERT INTO decisions (sequence, kind, body, author, at, why, hash) "
    "VALUES (:sequence, :kind, :body, :author, :at, :why, :hash)"
)


def logged_rows(connection: Connection, after: int) -> Iterator[Row[*tuple[Any, ...]]]:
    """Yield the decisions after a number as they are stored, each with its hash."""
    yield from connection.execute(_NEW, {"after": after})


def _entry(sequence: int, kind: str, body: str, author: str, at: str, why: str) -> LoggedDecision:
    where = f"decision {sequence} ({kind})"
    try:
        return LoggedDecision(sequence, Decision.from_dict(json.loads(body), where), author, at, why)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"The project's database is damaged: {where} is no JSON ({error!s:.100}).") from error


def _chained_rows(previous: str, entries: Sequence[LoggedDecision]) -> list[dict[str, Any]]:
    rows = []
    for entry in entries:
        kind, body = entry.decision.kind, to_json(entry.decision.to_dict())
        previous = chained(previous, entry.sequence, kind, body, entry.author, entry.at, entry.why)
        row = {"sequence": entry.sequence, "kind": kind, "body": body, "hash": previous}
        rows.append({**row, "author": entry.author, "at": entry.at, "why": entry.why})
    return rows
