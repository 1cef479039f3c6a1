"""The rows of jobs.

Every change names the attempt and the states it may follow, so that a late worker or watcher overrides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sqlalchemy import ColumnElement, Row, and_, insert, select, update

from taxocom.errors import JobError
from taxocom.store.db import schema
from taxocom.store.db.project_database import ProjectDatabase
from taxocom.store.db.records import JobRecord, JobState
from taxocom.store.disk.clock import Clock, stamp

_ACTIVE: tuple[JobState, ...] = ("queued", "running")
_FRESH: dict[str, Any] = {
    "state": "queued",
    "stage": "",
    "fraction": 0.0,
    "seconds_left": None,
    "message": "",
    "result": None,
    "cancel_requested_at": None,
    "pid": None,
    "process": "",
    "host": "",
    "memory": 0,
    "heartbeat": None,
    "started_at": None,
    "ended_at": None,
}


class JobTable:
    """The jobs of one project."""

    def __init__(self, database: ProjectDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def add(self, kind: str, params: Mapping[str, Any], author: str) -> JobRecord:
        """Put a job in the queue."""
        values = {**_FRESH, "kind": kind, "params": dict(params), "author": author, "attempt": 1}
        with self._database.write() as connection:
            row = connection.execute(
                insert(schema.jobs).values(**values, submitted_at=self._now()).returning(schema.jobs)
            ).one()
        return _job(row)

    def add_attempt(self, job: JobRecord) -> JobRecord:
        """Put a job that is over in the queue again; refused if somebody else just did."""
        with self._database.write() as connection:
            row = connection.execute(
                update(schema.jobs)
                .where(
                    schema.jobs.c.id == job.job_id,
                    schema.jobs.c.attempt == job.attempt,
                    schema.jobs.c.state.not_in(_ACTIVE),
                )
                .values(**_FRESH, attempt=job.attempt + 1, submitted_at=self._now())
                .returning(schema.jobs)
            ).first()
        if row is None:
            raise JobError(f"Job {job.job_id} is at work already. Cancel it first, or wait for it.")
        return _job(row)

    def get(self, job_id: int) -> JobRecord:
        """Return one job."""
        with self._database.read() as connection:
            row = connection.execute(select(schema.jobs).where(schema.jobs.c.id == job_id)).first()
        if row is None:
            raise JobError(f"There is no job {job_id} in this project.")
        return _job(row)

    def all(self, *, active: bool = False) -> list[JobRecord]:
        """Return every job, newest first; `active` leaves out those that are over."""
        query = select(schema.jobs).order_by(schema.jobs.c.id.desc())
        if active:
            query = query.where(schema.jobs.c.state.in_(_ACTIVE))
        with self._database.read() as connection:
            return [_job(row) for row in connection.execute(query)]

    def claim(self, job_id: int, attempt: int, *, pid: int, process: str, host: str) -> bool:
        """Say which process works on a queued job; False if it is no longer wanted."""
        return self._change(job_id, attempt, ("queued",), pid=pid, process=process, host=host, heartbeat=self._now())

    def start(self, job_id: int, attempt: int) -> bool:
        """Let a queued job run; False if it is no longer wanted."""
        return self._change(job_id, attempt, ("queued",), state="running", started_at=self._now())

    def report(
        self, job: JobRecord, *, stage: str, fraction: float, seconds_left: float | None, memory: int
    ) -> JobRecord | None:
        """Say that the worker lives and how far it is; return the job, None if it is no longer the worker's."""
        with self._database.write(durable=False) as connection:
            row = connection.execute(
                update(schema.jobs)
                .where(_is_active(job.job_id, job.attempt, _ACTIVE))
                .values(heartbeat=self._now(), stage=stage, fraction=fraction, seconds_left=seconds_left, memory=memory)
                .returning(schema.jobs)
            ).first()
        return _job(row) if row else None

    def ask_to_stop(self, job_id: int, attempt: int) -> bool:
        """Leave word for the worker that it should stop; False if the job is over."""
        return self._change(job_id, attempt, _ACTIVE, cancel_requested_at=self._now())

    def end(
        self,
        job_id: int,
        attempt: int,
        state: Literal["done", "failed", "cancelled"],
        *,
        message: str = "",
        result: Mapping[str, Any] | None = None,
    ) -> bool:
        """Say how a job ended; False if that was said already."""
        values: dict[str, Any] = {"state": state, "message": message, "seconds_left": None, "ended_at": self._now()}
        if state == "done":
            values |= {"result": dict(result or {}), "fraction": 1.0}
        return self._change(job_id, attempt, _ACTIVE, **values)

    def _change(self, job_id: int, attempt: int, states: tuple[JobState, ...], **values: Any) -> bool:
        with self._database.write() as connection:
            changed = connection.execute(
                update(schema.jobs).where(_is_active(job_id, attempt, states)).values(**values)
            )
            return changed.rowcount == 1

    def _now(self) -> str:
        return stamp(self._clock())


def _is_active(job_id: int, attempt: int, states: tuple[JobState, ...]) -> ColumnElement[bool]:
    table = schema.jobs
    return and_(table.c.id == job_id, table.c.attempt == attempt, table.c.state.in_(states))


def _job(row: Row[*tuple[Any, ...]]) -> JobRecord:
    values = dict(row._mapping)
    return JobRecord(job_id=values.pop("id"), **values)
