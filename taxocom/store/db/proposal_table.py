"""Proposals and releases: what the engine suggested and what people froze."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from taxocom.errors import StoreError
from taxocom.store.db import schema
from taxocom.store.db.artifacts import Artifacts
from taxocom.store.db.project_database import ProjectDatabase
from taxocom.store.db.records import (
    ProposalRecord,
    ProposalStatus,
    Release,
    StoredProposal,
    tree_from_plain,
    tree_to_plain,
)
from taxocom.store.disk.array_file import read_arrays, write_arrays
from taxocom.store.disk.clock import Clock, stamp
from taxocom.store.disk.whole_files import clear_errors
from taxocom.taxonomy.tree import Taxonomy

if TYPE_CHECKING:
    import numpy.typing as npt

MAP, MAP_TO_COME = "map", "map_to_come"
"""The purpose of a map that is drawn after its proposal was kept, and what says in the proposal which one that is."""

# Not by the time of day, since clocks are set back; rows are numbered as they come.
_AS_FROZEN = (schema.releases.c.sequence, text("rowid"))


class Proposals:
    """The proposals of one project; a new one for a node takes the place of the open one before it."""

    def __init__(self, database: ProjectDatabase, artifacts: Artifacts, clock: Clock) -> None:
        self._database = database
        self._artifacts = artifacts
        self._clock = clock

    def save(
        self,
        node_id: str,
        metadata: Mapping[str, Any],
        arrays: Mapping[str, npt.NDArray[Any]],
        *,
        sequence: int,
        settings: Mapping[str, Any],
        random_state: int | None,
        summary: Mapping[str, Any],
    ) -> ProposalRecord:
        """Keep a proposal whole: the arrays on the disk first, then the row that makes it visible."""
        with self._artifacts.working_place("proposal") as place:
            with clear_errors("write", place):
                write_arrays(place, metadata, arrays)
            artifact = self._artifacts.publish(place, "proposal", extension="npz", details={})
            values = {
                "node_id": node_id,
                "created_at": stamp(self._clock()),
                "sequence": sequence,
                "settings": dict(settings),
                "random_state": random_state,
                "artifact": artifact.name,
                "summary": dict(summary),
                "status": "open",
            }
            table = schema.proposals
            with self._database.write(turn="proposals") as connection:
                connection.execute(
                    update(table)
                    .where(table.c.node_id == node_id, table.c.status == "open")
                    .values(status="superseded")
                )
                row = connection.execute(insert(table).values(**values).returning(table)).one()
        return _proposal(row)

    def all(self, node_id: str | None = None, status: ProposalStatus | None = None) -> list[ProposalRecord]:
        """Return proposals, newest first, of one node or one status if asked."""
        query = select(schema.proposals).order_by(schema.proposals.c.id.desc())
        if node_id is not None:
            query = query.where(schema.proposals.c.node_id == node_id)
        if status is not None:
            query = query.where(schema.proposals.c.status == status)
        with self._database.read() as connection:
            return [_proposal(row) for row in connection.execute(query)]

    def load(self, proposal_id: int) -> StoredProposal:
        """Open a proposal with its arrays."""
        with self._database.read() as connection:
            row = connection.execute(select(schema.proposals).where(schema.proposals.c.id == proposal_id)).first()
        if row is None:
            raise StoreError(f"There is no proposal {proposal_id} in this project.")
        record = _proposal(row)
        content = read_arrays(self._artifacts.path_of(record.artifact))
        metadata, arrays = content.metadata, content.arrays
        drawn = self._artifacts.load_arrays(f"{MAP}/{metadata[MAP_TO_COME]}") if metadata.get(MAP_TO_COME) else None
        if drawn is not None:
            metadata, arrays = {**metadata, MAP_TO_COME: ""}, {**arrays, **drawn.arrays}
        return StoredProposal(record, metadata, arrays)

    def add_map(self, name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep the arrays of a map; every proposal that was kept with this name for it has them from now on."""
        self._artifacts.save_arrays(f"{MAP}/{name}", {}, arrays, made_from=name)

    def has_map(self, name: str) -> bool:
        """Tell whether the map of this name is there by now."""
        return self._artifacts.used_for(f"{MAP}/{name}") is not None

    def rows_of_cluster(self, cluster_id: str, corpus_fingerprint: str, before: int | None = None) -> Sequence[int]:
        """Return the documents of a cluster, as rows of these texts, by the newest proposal (before a step) with it."""
        for record in self.all():
            if before is not None and record.sequence >= before:
                continue
            stored = self.load(record.proposal_id)
            ids = [cluster["cluster_id"] for cluster in stored.metadata["clusters"]]
            if cluster_id in ids and stored.metadata["corpus_fingerprint"] == corpus_fingerprint:
                clusters = stored.arrays["documents.cluster"]
                found: list[int] = stored.arrays["documents.documents"][clusters == ids.index(cluster_id)].tolist()
                return found
        return ()

    def mark(self, proposal_id: int, status: ProposalStatus) -> None:
        """Say that a proposal is done with, or open again."""
        with self._database.write() as connection:
            found = connection.execute(
                update(schema.proposals).where(schema.proposals.c.id == proposal_id).values(status=status)
            )
            if found.rowcount == 0:
                raise StoreError(f"There is no proposal {proposal_id} in this project.")


class Releases:
    """The frozen trees of one project."""

    def __init__(self, database: ProjectDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._read: dict[str, Release] = {}

    def freeze(self, name: str, tree: Taxonomy, sequence: int, *, author: str, note: str, artifact: str) -> Release:
        """Keep a tree under a name for good; a name is used once."""
        name = " ".join(name.split())
        if not name:
            raise StoreError("A release needs a name, such as 2026-11.")
        release = Release(name, tree, sequence, stamp(self._clock()), author, note, artifact)
        with self._database.write() as connection:
            try:
                connection.execute(
                    insert(schema.releases).values(
                        name=name,
                        tree=tree_to_plain(tree),
                        sequence=sequence,
                        at=release.at,
                        author=author,
                        note=note,
                        artifact=artifact,
                    )
                )
            except IntegrityError as error:
                raise StoreError(
                    f"There is already a release {name!r}; releases do not change. Choose a name."
                ) from error
        return release

    def all(self) -> list[Release]:
        """Return the releases, oldest first; each is read from the disk once, since none ever changes."""
        with self._database.read() as connection:
            names = list(connection.scalars(select(schema.releases.c.name).order_by(*_AS_FROZEN)))
            unread = [name for name in names if name not in self._read]
            if unread:
                rows = connection.execute(select(schema.releases).where(schema.releases.c.name.in_(unread)))
                self._read |= {row.name: self._release(row) for row in rows}
        return [self._read[name] for name in names]

    def get(self, name: str) -> Release:
        """Return a release by name."""
        found = {release.name: release for release in self.all()}
        if name not in found:
            raise StoreError(f"There is no release {name!r}. Releases: {', '.join(found) or 'none'}.")
        return found[name]

    def _release(self, row: Row[*tuple[Any, ...]]) -> Release:
        tree = tree_from_plain(row.tree, f"{self._database.path}, release {row.name!r}")
        return Release(row.name, tree, row.sequence, row.at, row.author, row.note, row.artifact)


def _proposal(row: Row[*tuple[Any, ...]]) -> ProposalRecord:
    return ProposalRecord(
        row.id,
        row.node_id,
        row.created_at,
        row.sequence,
        row.settings,
        row.random_state,
        row.artifact,
        row.summary,
        row.status,
    )
