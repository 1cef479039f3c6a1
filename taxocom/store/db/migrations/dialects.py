"""What the migrations say to each database in its own words."""

from alembic import op


def refuse_changes(table: str) -> None:
    """Let rows of a table be appended and never changed."""
    said = f"{table} are appended, never changed"
    if op.get_bind().dialect.name != "postgresql":
        for action in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{said}'); END"
            )
        return
    op.execute(
        f"CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{said}'; END $$"
    )
    for action, each in (("UPDATE OR DELETE", "ROW"), ("TRUNCATE", "STATEMENT")):
        op.execute(
            f"CREATE TRIGGER {table}_no_{action[:2].lower()} BEFORE {action} ON {table} "
            f"FOR EACH {each} EXECUTE FUNCTION {table}_refuse()"
        )


def number_rows_as_they_come(*tables: str) -> None:
    """Give tables of PostgreSQL the number of a row that SQLite has of itself, under the same name."""
    for table in tables:
        op.execute(f"ALTER TABLE {table} ADD COLUMN rowid BIGINT GENERATED ALWAYS AS IDENTITY")
