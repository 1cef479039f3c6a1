"""The tables of a project's database. The migrations make them; a test holds the two equal."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, CheckConstraint, Column, Float, ForeignKey, Integer, MetaData, Table, Text

HEAD = "0002"
"""The revision this code reads and writes; kept beside the tables so that opening a project need not load Alembic."""

# SQLite's integers have eight bytes, PostgreSQL's four.
_BYTES = Integer().with_variant(BigInteger(), "postgresql")

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

meta = Table(
    "meta",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", JSON, nullable=False),
)

# A seed may be replaced until the first decision; the earlier ones stay for the record.
seeds = Table(
    "seeds",
    metadata,
    Column("version", Integer, primary_key=True),
    Column("tree", JSON, nullable=False),
    Column("author", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("why", Text, nullable=False),
)

# Triggers refuse to change or delete a row: curation appends.
decisions = Table(
    "decisions",
    metadata,
    Column("sequence", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("body", JSON, nullable=False),
    Column("author", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("why", Text, nullable=False),
    # Of this row and of the one before it, so that no decision can change, vanish or trade places unnoticed.
    Column("hash", Text, nullable=False),
)

artifacts = Table(
    "artifacts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("bytes", _BYTES, nullable=False),
    Column("made_from", Text, nullable=False),
    Column("details", JSON, nullable=False),
    Column("created_at", Text, nullable=False),
)

# Which artifact serves a purpose now ("corpus", "embedding/<node id>").
uses = Table(
    "uses",
    metadata,
    Column("purpose", Text, primary_key=True),
    Column("artifact", Text, ForeignKey("artifacts.name"), nullable=False),
    Column("at", Text, nullable=False),
)

proposals = Table(
    "proposals",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("node_id", Text, nullable=False, index=True),
    Column("created_at", Text, nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("random_state", Integer),
    Column("artifact", Text, ForeignKey("artifacts.name"), nullable=False),
    Column("summary", JSON, nullable=False),
    Column("status", Text, nullable=False),
    CheckConstraint("status IN ('open', 'superseded', 'done')", name="status"),
)

releases = Table(
    "releases",
    metadata,
    Column("name", Text, primary_key=True),
    Column("tree", JSON, nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("at", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("artifact", Text, ForeignKey("artifacts.name")),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("params", JSON, nullable=False),
    Column("author", Text, nullable=False),
    Column("state", Text, nullable=False, index=True),
    Column("attempt", Integer, nullable=False),
    Column("stage", Text, nullable=False),
    Column("fraction", Float, nullable=False),
    Column("seconds_left", Float),
    Column("message", Text, nullable=False),
    Column("result", JSON),
    Column("cancel_requested_at", Text),
    Column("pid", Integer),
    Column("process", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("memory", _BYTES, nullable=False),
    Column("heartbeat", Text),
    Column("submitted_at", Text, nullable=False),
    Column("started_at", Text),
    Column("ended_at", Text),
    CheckConstraint("state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="state"),
)

preferences = Table(
    "preferences",
    metadata,
    Column("person", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("value", JSON, nullable=False),
)

# What every other table holds, as a number of rows and the sum of their digests; "commits" counts the changes.
seals = Table(
    "seals",
    metadata,
    Column("name", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("digest", Text, nullable=False),
)
