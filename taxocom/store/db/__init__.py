"""The database: tables, migrations, the log of decisions and the proof of it."""
