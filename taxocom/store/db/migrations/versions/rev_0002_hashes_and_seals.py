"""Every decision carries the hash of the one before; seals of all tables; what releases are exported with."""

import sqlalchemy as sa
from alembic import op

from taxocom.store.db.migrations.dialects import refuse_changes
from taxocom.store.db.seals import FIRST_HASH, chained

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "seals",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_seals"),
    )
    op.create_table(
        "hashed_decisions",
        sa.Column("sequence", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        # Names of keys are of a table in SQLite and of the schema in PostgreSQL.
        sa.PrimaryKeyConstraint("sequence", name="pk_hashed_decisions" if _on_server() else "pk_decisions"),
    )
    op.execute(
        "ALTER TABLE releases ADD COLUMN artifact TEXT CONSTRAINT fk_releases_artifact REFERENCES artifacts (name)"
    )
    _fill()
    op.drop_table("decisions")
    op.rename_table("hashed_decisions", "decisions")
    refuse_changes("decisions")
    if _on_server():
        op.execute("ALTER TABLE decisions RENAME CONSTRAINT pk_hashed_decisions TO pk_decisions")
        # Counts changes without letting their writers wait for each other, as the row of a table would.
        op.execute("CREATE SEQUENCE commits")


def _on_server() -> bool:
    return op.get_bind().dialect.name == "postgresql"


def _fill() -> None:
    connection = op.get_bind()
    rows = connection.exec_driver_sql(
        "SELECT sequence, kind, CAST(body AS TEXT) AS body, author, at, why FROM decisions ORDER BY sequence"
    ).fetchall()
    insert = sa.text("INSERT INTO hashed_decisions VALUES (:sequence, :kind, :body, :author, :at, :why, :hash)")
    previous = FIRST_HASH
    for row in rows:
        previous = chained(previous, *row)
        connection.execute(insert, {**row._mapping, "hash": previous})
