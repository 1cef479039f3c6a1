"""Every decision carries the hash of the one before; seals of all tables; what releases are exported with."""

import sqlalchemy as sa
from alembic import op

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
        sa.PrimaryKeyConstraint("sequence", name="pk_decisions"),
    )
    op.execute(
        "ALTER TABLE releases ADD COLUMN artifact TEXT CONSTRAINT fk_releases_artifact REFERENCES artifacts (name)"
    )
    _fill()
    op.drop_table("decisions")
    op.rename_table("hashed_decisions", "decisions")
    for action in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER decisions_no_{action.lower()} BEFORE {action} ON decisions "
            "BEGIN SELECT RAISE(ABORT, 'decisions are appended, never changed'); END"
        )


def _fill() -> None:
    connection = op.get_bind()
    rows = connection.exec_driver_sql(
        "SELECT sequence, kind, body, author, at, why FROM decisions ORDER BY sequence"
    ).fetchall()
    previous = FIRST_HASH
    for row in rows:
        previous = chained(previous, *row)
        connection.exec_driver_sql("INSERT INTO hashed_decisions VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, previous))
