"""The first tables: seeds, decisions, artifacts, proposals, releases, jobs, preferences."""

import sqlalchemy as sa
from alembic import op

from taxocom.store.db.migrations.dialects import number_rows_as_they_come, refuse_changes

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_APPEND_ONLY = ("decisions", "seeds", "releases")
_BYTES = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "meta",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
    )
    _tables_of_curation()
    _tables_of_artifacts()
    _table_of_jobs()
    op.create_table(
        "preferences",
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("person", "key", name="pk_preferences"),
    )
    if op.get_bind().dialect.name == "postgresql":
        number_rows_as_they_come("artifacts", "releases")
    for table in _APPEND_ONLY:
        refuse_changes(table)


def _tables_of_curation() -> None:
    op.create_table(
        "seeds",
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("tree", sa.JSON(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("version", name="pk_seeds"),
    )
    op.create_table(
        "decisions",
        sa.Column("sequence", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("sequence", name="pk_decisions"),
    )
    op.create_table(
        "releases",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tree", sa.JSON(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_releases"),
    )


def _tables_of_artifacts() -> None:
    op.create_table(
        "artifacts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("bytes", _BYTES, nullable=False),
        sa.Column("made_from", sa.Text(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_artifacts"),
    )
    op.create_table(
        "uses",
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("artifact", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["artifact"], ["artifacts.name"], name="fk_uses_artifact"),
        sa.PrimaryKeyConstraint("purpose", name="pk_uses"),
    )
    op.create_table(
        "proposals",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("random_state", sa.Integer(), nullable=True),
        sa.Column("artifact", sa.Text(), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.CheckConstraint("status IN ('open', 'superseded', 'done')", name="ck_proposals_status"),
        sa.ForeignKeyConstraint(["artifact"], ["artifacts.name"], name="fk_proposals_artifact"),
        sa.PrimaryKeyConstraint("id", name="pk_proposals"),
    )
    op.create_index("ix_proposals_node_id", "proposals", ["node_id"])


def _table_of_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("fraction", sa.Float(), nullable=False),
        sa.Column("seconds_left", sa.Float(), nullable=True),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("cancel_requested_at", sa.Text(), nullable=True),
        sa.Column("pid", sa.Integer(), nullable=True),
        sa.Column("process", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("memory", _BYTES, nullable=False),
        sa.Column("heartbeat", sa.Text(), nullable=True),
        sa.Column("submitted_at", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Text(), nullable=True),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="ck_jobs_state"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_state", "jobs", ["state"])
