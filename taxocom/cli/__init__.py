"""The command line: `taxocom --help`.

Exit codes: 0 done; 1 an error, told in one line on standard error; 2 wrong usage; 3 the pre-flight found problems;
130 cancelled. Modules here import the layers below inside their commands: help and completion answer at once.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

import click

from taxocom import __version__
from taxocom.cli import (
    batch_commands,
    cluster_command,
    curation_commands,
    document_commands,
    engine_commands,
    evaluate_command,
    exchange_commands,
    guiding_commands,
    job_commands,
    leading_commands,
    project_commands,
    proposal_commands,
    serve_command,
    start_commands,
    tag_texts,
    team_commands,
    vocabulary_commands,
    webhook_commands,
)
from taxocom.cli.console import CANCELLED, FAILED, PREFLIGHT_FAILED
from taxocom.errors import CancelledError, PreflightError, TaxocomError

log = logging.getLogger("taxocom.cli")


class _Commands(click.Group):
    """A group whose commands end with a line a person can act on, and an exit code a script can."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sections: dict[str, list[click.Command]] = {}

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; our errors, a cancel and what the operating system refuses become a message and a code."""
        try:
            return super().invoke(ctx)
        except (CancelledError, KeyboardInterrupt) as error:
            _end(ctx, error, "cancelled. Nothing was kept.", CANCELLED)
        except PreflightError as error:
            _end(ctx, error, str(error), PREFLIGHT_FAILED)
        except TaxocomError as error:
            _end(ctx, error, str(error), FAILED)
        except BrokenPipeError:
            # `taxocom show | head` is no error; click knows what to do.
            raise
        except OSError as error:
            _end(ctx, error, f"{error.filename or 'the system'}: {error.strerror or error}", FAILED)

    def add_section(self, title: str, module: ModuleType) -> None:
        """Take in every command that a module defines, in the order of their definition."""
        commands = [value for value in vars(module).values() if isinstance(value, click.Command)]
        for command in commands:
            command.callback = _logged(command)
            self.add_command(command)
        self.sections[title] = commands

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # click's
        """List the commands by what one would want to do."""
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(command.name or "", command.get_short_help_str(90)) for command in commands])


def _end(ctx: click.Context, error: BaseException, said: str, code: int) -> NoReturn:
    log.info("%s ended with %d: %s", ctx.invoked_subcommand, code, type(error).__name__)
    click.echo(f"taxocom: {said}", err=True)
    ctx.exit(code)


def _logged(command: click.Command) -> Callable[..., Any]:
    """Return what a command does, with the log started before: help and completion come without."""
    does = command.callback or (lambda: None)

    @functools.wraps(does)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        from taxocom.store.homes.logs import start_logging

        start_logging()
        # The name and no argument: those may hold names and texts.
        log.info("%s begins", command.name)
        return does(*args, **kwargs)

    return wrapped


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


for _title, _module in {
    "Start": start_commands,
    "Projects": project_commands,
    "Engine": engine_commands,
    "Proposals": proposal_commands,
    "Curation": curation_commands,
    "Vocabulary": vocabulary_commands,
    "Team": team_commands,
    "Webhooks": webhook_commands,
    "Leading": leading_commands,
    "Guiding": guiding_commands,
    "Documents": document_commands,
    "Batches": batch_commands,
    "New texts": tag_texts,
    "Serving": serve_command,
    "Interchange": exchange_commands,
    "Quality": evaluate_command,
    "Jobs": job_commands,
    "Cluster": cluster_command,
}.items():
    main.add_section(_title, _module)
