"""The command line: `taxocom --help`.

Exit codes: 0 done; 1 an error, told in one line on standard error; 2 wrong usage; 3 the pre-flight found problems;
130 cancelled. Modules here import the layers below inside their commands: help and completion answer at once.
"""

from __future__ import annotations

import os
from typing import Any

import click

from taxocom import __version__
from taxocom.errors import CancelledError, TaxocomError

FAILED = 1
PREFLIGHT_FAILED = 3
CANCELLED = 130


class _Commands(click.Group):
    """A group whose commands end with a line a person can act on, and an exit code a script can."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (CancelledError, KeyboardInterrupt):
            click.echo("taxocom: cancelled; nothing half done was kept.", err=True)
            ctx.exit(CANCELLED)
        except TaxocomError as error:
            click.echo(f"taxocom: {error}", err=True)
            ctx.exit(FAILED)
        except BrokenPipeError:
            raise
        except OSError as error:
            click.echo(f"taxocom: {error.strerror or error}: {error.filename or 'no file named'}", err=True)
            ctx.exit(FAILED)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="taxocom")
@click.option(
    "--home",
    type=click.Path(file_okay=False),
    help="Where projects live, instead of $TAXOCOM_HOME.",
)
def main(home: str | None) -> None:
    """Complete a partial topic taxonomy from a corpus, one curated decision at a time.

    Start with `taxocom sample`, or with your own texts and topics: `taxocom init`.

    Exit codes: 0 done, 1 an error (one line on standard error), 2 wrong usage, 3 the pre-flight found problems, 130
    cancelled.
    """
    if home is not None:
        # Worker processes must find the same projects, and they inherit the environment.
        os.environ["TAXOCOM_HOME"] = home
