"""A project: a seed, a corpus, a log of decisions and what was computed from them, in one directory."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select

from taxocom.errors import StoreError
from taxocom.store.db import schema
from taxocom.store.db.artifacts import Artifacts
from taxocom.store.db.database import upsert
from taxocom.store.db.job_table import JobTable
from taxocom.store.db.log import DecisionLog
from taxocom.store.db.migrate import bring_up_to_date
from taxocom.store.db.proposal_table import Proposals, Releases
from taxocom.store.db.records import Artifact, JobRecord, ProposalRecord, ProposalStatus, Release, StoredProposal
from taxocom.store.db.which_database import database_of, open_database, problems_of
from taxocom.store.disk.array_file import ArrayFile
from taxocom.store.disk.clock import Clock, utc_now
from taxocom.store.disk.locks import sweep
from taxocom.store.disk.whole_files import clear_errors, close_to_strangers
from taxocom.store.projects.decided_tree import DecidedTree
from taxocom.taxonomy.decisions import AcceptTopic, Decision, MoveDocuments
from taxocom.taxonomy.roles import JOBS
from taxocom.taxonomy.tree import Taxonomy

if TYPE_CHECKING:
    import numpy.typing as npt

    from taxocom.text.corpus import Corpus


class Project(DecidedTree):
    """One open project. Any number of threads and processes may have the same one open.

    Open it with `open_project` or `create_project`; close it, or use it in a `with` statement.
    """

    def __init__(self, path: Path, *, clock: Clock = utc_now) -> None:
        self.path = path.absolute()
        self._database = open_database(self.path)
        try:
            bring_up_to_date(self._database)
            about = self.about()
            if missing := {"name", "project_id", "created_at"} - set(about):
                raise StoreError(f"{database_of(self.path)} is damaged: {min(missing)} is missing. Restore a backup.")
        except BaseException:
            self._database.close()
            raise
        self.project_id = str(about["project_id"])
        self.created_at = str(about["created_at"])
        self._log = DecisionLog(self._database, clock, str(about["name"]))
        self._artifacts = Artifacts(self.path, self._database, clock)
        self._proposals = Proposals(self._database, self._artifacts, clock)
        self._releases = Releases(self._database, clock)
        self.job_table = JobTable(self._database, clock)
        self._corpus: tuple[str, Corpus] | None = None
        self._corpus_lock = threading.Lock()
        close_to_strangers(self.path)
        sweep(self.path / "work")

    def __repr__(self) -> str:
        return f"Project({str(self.path)!r})"

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; the project must not be used afterwards."""
        self._database.close()

    # What the project is called.

    @property
    def name(self) -> str:
        """The name people know the project by; another process may change it."""
        return str(self.about()["name"])

    def about(self) -> dict[str, Any]:
        """Return what is noted about the project as a whole: name, project_id, created_at and what else was set."""
        with self._database.read() as connection:
            return {row.key: row.value for row in connection.execute(select(schema.meta))}

    def set_about(self, **values: Any) -> None:
        """Note things about the project as a whole; None takes a note back."""
        with self._database.write() as connection:
            for key, value in values.items():
                if value is None:
                    connection.execute(delete(schema.meta).where(schema.meta.c.key == key))
                else:
                    upsert(connection, schema.meta, {"key": key}, {"value": value})

    def _with_documents(self, decision: Decision) -> Decision:
        if not isinstance(decision, (AcceptTopic, MoveDocuments)) or not decision.cluster_id or decision.documents:
            return decision
        from taxocom.store.projects.document_places import free_to_move

        documents = self.cluster_documents(decision.cluster_id)
        to = decision.parent_id if isinstance(decision, AcceptTopic) else decision.node_id
        return replace(decision, documents=free_to_move(self, documents, to)) if documents else decision

    def cluster_documents(self, cluster_id: str, before: int | None = None) -> tuple[str, ...]:
        """Return the ids of the documents of a proposed cluster, in the newest proposal of these texts that has it.

        `before` leaves out proposals that were made after a step.
        """
        if not cluster_id or not self.has_corpus:
            return ()
        corpus = self.corpus()
        rows = self._proposals.rows_of_cluster(cluster_id, corpus.fingerprint, before)
        return tuple(corpus.document_ids[int(row)] for row in rows)

    # What was computed: artifacts, and which of them serve.

    def working_place(self, purpose: str) -> AbstractContextManager[Path]:
        """Give a fresh path inside the project to build at; leavings are swept, even after a kill."""
        return self._artifacts.working_place(purpose)

    def publish_directory(
        self, path: Path, kind: str, *, made_from: str = "", details: Mapping[str, Any] | None = None
    ) -> Artifact:
        """Keep a finished directory, built at a `working_place`, as an artifact."""
        return self._artifacts.publish(path, kind, made_from=made_from, details=details or {})

    def publish_file(
        self,
        path: Path,
        kind: str,
        *,
        made_from: str = "",
        extension: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> Artifact:
        """Keep a finished file, built at a `working_place`, as an artifact."""
        return self._artifacts.publish(path, kind, made_from=made_from, extension=extension, details=details or {})

    def put_bytes(
        self,
        data: bytes,
        kind: str,
        *,
        made_from: str = "",
        extension: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> Artifact:
        """Keep bytes as an artifact."""
        return self._artifacts.put_bytes(data, kind, made_from=made_from, extension=extension, details=details or {})

    def artifact_path(self, name: str) -> Path:
        """Return where an artifact lies."""
        return self._artifacts.path_of(name)

    def artifacts(self) -> list[Artifact]:
        """Return every artifact, oldest first."""
        return self._artifacts.all()

    def use(self, purpose: str, artifact: Artifact) -> None:
        """Let an artifact serve a purpose ("corpus", "embedding/<node id>", …) in place of the one that did."""
        self._artifacts.use(purpose, artifact.name)

    def stop_using(self, purpose: str) -> None:
        """Let nothing serve a purpose any more."""
        self._artifacts.stop_using(purpose)

    def used_for(self, purpose: str) -> Artifact | None:
        """Return the artifact that serves a purpose, None if none does."""
        return self._artifacts.used_for(purpose)

    def purposes(self) -> dict[str, str]:
        """Return every purpose with the name of the artifact that serves it."""
        return self._artifacts.purposes()

    def drop_unused(self, *, older_than_seconds: float = 3600.0) -> int:
        """Delete artifacts that nothing refers to any more; return the bytes freed."""
        return self._artifacts.drop_unused(older_than_seconds=older_than_seconds)

    @property
    def has_corpus(self) -> bool:
        """Whether a corpus was indexed."""
        return self.used_for("corpus") is not None

    def corpus(self) -> Corpus:
        """Open the project's corpus; it is kept open, since every reader maps the same files."""
        from taxocom.text.corpus import open_corpus

        artifact = self.used_for("corpus")
        if artifact is None:
            raise StoreError(f"The project {self.name!r} has no corpus yet. Index one first (`taxocom init`).")
        with self._corpus_lock:
            if self._corpus is None or self._corpus[0] != artifact.name:
                self._corpus = (artifact.name, open_corpus(self.artifact_path(artifact.name)))
            return self._corpus[1]

    def save_arrays(
        self, purpose: str, metadata: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], *, made_from: str
    ) -> Artifact:
        """Keep arrays with their metadata and let them serve a purpose, such as "embedding/<node id>"."""
        return self._artifacts.save_arrays(purpose, metadata, arrays, made_from=made_from)

    def load_arrays(self, purpose: str) -> ArrayFile | None:
        """Open the arrays that serve a purpose, None if none do; `used_for` says what they were made from."""
        return self._artifacts.load_arrays(purpose)

    # What the engine suggested and what people froze.

    def save_proposal(
        self,
        node_id: str,
        metadata: Mapping[str, Any],
        arrays: Mapping[str, npt.NDArray[Any]],
        *,
        sequence: int,
        settings: Mapping[str, Any],
        random_state: int | None = None,
        summary: Mapping[str, Any] | None = None,
    ) -> ProposalRecord:
        """Keep a proposal for a node; the open one before it is superseded.

        `sequence` is the last step of the log that the computation took into account.
        """
        return self._proposals.save(
            node_id,
            metadata,
            arrays,
            sequence=sequence,
            settings=settings,
            random_state=random_state,
            summary=summary or {},
        )

    def proposals(self, node_id: str | None = None, status: ProposalStatus | None = None) -> list[ProposalRecord]:
        """Return the proposals, newest first, of one node or one status if asked."""
        return self._proposals.all(node_id, status)

    def load_proposal(self, proposal_id: int) -> StoredProposal:
        """Open a proposal whole; its arrays are mapped from the disk."""
        return self._proposals.load(proposal_id)

    def add_map(self, name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep the map that proposals wait for under this name (`NodeExpansion.map_to_come`)."""
        self._proposals.add_map(name, arrays)

    def has_map(self, name: str) -> bool:
        """Tell whether the map of this name is there by now."""
        return self._proposals.has_map(name)

    def mark_proposal(self, proposal_id: int, status: ProposalStatus) -> None:
        """Say that a proposal is done with, or open again."""
        self._proposals.mark(proposal_id, status)

    def freeze_release(self, name: str, *, author: str, note: str = "") -> Release:
        """Keep the tree as it is now under a name, for good, with all that an export of it says."""
        from taxocom.store.db.attachments import KIND
        from taxocom.store.projects.exporting import collect

        self.require("release", author)
        sequence = self.sequence
        tree = self.taxonomy_at(sequence)
        self._refuse_waiting(tree)
        artifact = self.put_bytes(collect(self, tree, sequence).to_bytes(), KIND, extension="json.gz")
        return self._releases.freeze(name, tree, sequence, author=author, note=note, artifact=artifact.name)

    def _refuse_waiting(self, tree: Taxonomy) -> None:
        """Raise a StoreError if topics of an earlier release are drafts: a release without them would lose them."""
        known = self._released()
        waiting = [repr(node.label) for node in tree.walk() if node.status == "draft" and node.node_id in known]
        if waiting:
            raise StoreError(
                f"{', '.join(waiting)}: released before and changed since, and nobody has approved the change yet. A "
                "release now would leave them out. Let somebody approve them (page Team), or undo the change."
            )

    def releases(self) -> list[Release]:
        """Return the releases, oldest first."""
        return self._releases.all()

    def release(self, name: str) -> Release:
        """Return a release by its name."""
        return self._releases.get(name)

    # People.

    def people(self) -> list[str]:
        """Return everybody who decided something, in order of appearance."""
        return list(dict.fromkeys(entry.author for entry in self.log() if entry.author))

    def preferences(self, person: str) -> dict[str, Any]:
        """Return what a person prefers in this project."""
        table = schema.preferences
        with self._database.read() as connection:
            return {row.key: row.value for row in connection.execute(select(table).where(table.c.person == person))}

    def set_preference(self, person: str, key: str, value: Any) -> None:
        """Note what a person prefers."""
        with self._database.write() as connection:
            upsert(connection, schema.preferences, {"person": person, "key": key}, {"value": value})

    # Care.

    def add_job(self, kind: str, params: Mapping[str, Any], author: str) -> JobRecord:
        """Put work in the queue, if its author may ask for it."""
        self.require(JOBS.get(kind, "texts"), author)
        return self.job_table.add(kind, params, author)

    def log_path(self, job: JobRecord) -> Path:
        """Return the file that the worker of a job writes to."""
        path = self.path / "logs" / f"job-{job.job_id}-{job.attempt}.log"
        with clear_errors("write", path):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            path.touch(mode=0o600)
        return path

    def copy_database_to(self, target: Path) -> None:
        """Write a consistent copy of the database, while others may be writing."""
        self._database.copy_to(target)

    def problems(self) -> list[str]:
        """Check the whole project against its checksums; return what is wrong in plain words."""
        return problems_of(self.path) + [
            f"The artifact {artifact.name} is missing or changed." for artifact in self.damaged()
        ]

    def damaged(self) -> list[Artifact]:
        """Return the artifacts that are missing or no longer hold what their name says; every byte is read."""
        return self._artifacts.damaged()

    def put_artifact_back(self, name: str, path: Path) -> None:
        """Put a good copy, built at a `working_place`, where a damaged or missing artifact was."""
        self._artifacts.put_back(name, path)

    def forget_artifact(self, name: str) -> None:
        """Let go of an artifact that is lost, and of what stands on it: its proposals and the purposes it serves."""
        self._artifacts.forget(name)
