"""Texts from a database in the place of a file: `--sql URL --query "SELECT …"`."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from taxocom.progress import Progress

Command = TypeVar("Command", bound=Callable[..., Any])

_URL = "TAXOCOM_SQL"


@dataclass(frozen=True)
class SqlTexts:
    """Which rows of which database are the texts; both empty where they come from files."""

    url: str | None = None
    query: str | None = None

    @property
    def wanted(self) -> bool:
        """Whether the texts come from a database."""
        return self.query is not None

    @contextmanager
    def or_file(self, file: Path | None, called: str, progress: Progress) -> Iterator[Path]:
        """Give the file, or one with the rows that goes afterwards; `called` is how people say the file."""
        if (file is None) == (not self.wanted):
            raise click.UsageError(f"Give either {called}, or --sql and --query.")
        if file is not None:
            yield file
            return
        if self.url is None:
            raise click.UsageError(f"--query needs the database: --sql URL, or {_URL} in the environment.")
        from taxocom.reading.files import fetch_rows

        with tempfile.TemporaryDirectory(prefix="taxocom-rows-") as folder:
            out = Path(folder) / "rows.jsonl"
            fetch_rows(self.url, self.query or "", out, progress)
            yield out


def sql_options(command: Command) -> Command:
    """Give a command the options of `SqlTexts`; it gets them together as the argument `sql`."""

    @functools.wraps(command)
    def with_sql(*args: Any, **kwargs: Any) -> Any:
        asked = SqlTexts(kwargs.pop("sql_url"), kwargs.pop("sql_query"))
        return command(*args, sql=asked, **kwargs)

    wrapped: Any = with_sql
    for option in (
        click.option("--query", "sql_query", metavar="SELECT", help="The query that selects the texts."),
        click.option(
            "--sql",
            "sql_url",
            envvar=_URL,
            metavar="URL",
            help=f"The database, as SQLAlchemy writes it; ${_URL} keeps its password out of the list of processes.",
        ),
    ):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]  # click's decorators keep the function
