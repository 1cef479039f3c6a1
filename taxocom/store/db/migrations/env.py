"""Run the migrations on the connection that `taxocom.store.db.migrate` hands over, inside its transaction."""

from alembic import context

from taxocom.store.db.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
context.run_migrations()
