"""Texts that come later: add them as a batch, list the batches, take one back."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from taxocom.cli.console import counted, json_option, print_json, print_table, printable, quiet_option, watched
from taxocom.cli.job_commands import follow
from taxocom.cli.sql_options import SqlTexts, sql_options
from taxocom.cli.topic_lookup import author_option

if TYPE_CHECKING:
    from taxocom.interchange.base.timeline_data import By

_PERIODS_SHOWN = 6


@click.command()
@click.argument("name", metavar="PROJECT")
@click.argument("files", metavar="[FILE…]", nargs=-1, type=click.Path(path_type=Path))
@sql_options
@click.option("--name", "called", default="", help="The name of the batch; its date if not given.")
@click.option("--date", default="", metavar="YYYY-MM-DD", help="The date of these texts; today if not given.")
@click.option("--text-column", multiple=True, metavar="NAME", help="Column(s) of text; several are joined.")
@click.option("--id-column", metavar="NAME", help="Column of ids.")
@click.option("--title-column", metavar="NAME", help="Column of titles.")
@click.option("--date-column", metavar="NAME", help="Column of dates.")
@click.option("--encoding", help="Encoding of the text, instead of the one detected.")
@click.option("--skip-unreadable", is_flag=True, help="Leave out and count files that cannot be read.")
@author_option
@json_option
@quiet_option
def append(
    name: str,
    files: tuple[Path, ...],
    sql: SqlTexts,
    called: str,
    date: str,
    text_column: tuple[str, ...],
    id_column: str | None,
    title_column: str | None,
    date_column: str | None,
    encoding: str | None,
    skip_unreadable: bool,
    author: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Add texts to those of a project, as one batch.

    They are read as the project's texts were, by the same columns where the files have them. Documents whose id or text
    is there already are left out and counted. New documents get their topics from the tree as it is now. The others
    keep theirs once anything was decided; before that, all are tagged again.
    `taxocom batches PROJECT --take-back NAME` takes a batch out again.
    """
    from taxocom.cli.reading_options import Reading
    from taxocom.jobs import submit
    from taxocom.store import open_project
    from taxocom.store.projects.batches import new_reading, refuse_taken_name, valid_date
    from taxocom.taxonomy.codec import to_plain

    asked = Reading(text_column, id_column, title_column, None, date_column, encoding, skip_unreadable=skip_unreadable)
    as_guessed = not (text_column or id_column or title_column or date_column)
    with open_project(name) as project, watched(quiet=quiet) as progress, ExitStack() as stack:
        refuse_taken_name(project, called)
        first = stack.enter_context(sql.or_file(files[0] if files else None, "files", progress))
        found = new_reading(project, asked.source(first), encoding=encoding, remembered=as_guessed)
        params = {
            "sources": [str(file.absolute()) for file in files or (first,)],
            "called": "a database" if sql.wanted else "",
            "columns": to_plain(found.columns) if found.columns is not None else None,
            "encoding": found.encoding,
            "skip_unreadable": skip_unreadable,
            "name": called,
            "date": valid_date(date),
            "author": author,
        }
        job = follow(project, submit(project, "append", params, author=author), progress)
    _tell_added(dict(job.result or {}), as_json)


def _tell_added(batch: dict[str, Any], as_json: bool) -> None:
    from taxocom.store.projects.batches import Batch

    made = Batch(**batch)
    if as_json:
        return print_json({**batch, "n_skipped": made.n_skipped})
    return click.echo(printable(f"Batch {made.name!r}: {made.said()}."))


@click.command()
@click.argument("name", metavar="PROJECT")
@click.option("--take-back", metavar="NAME", help="Take the batch of this name out of the project again.")
@author_option
@json_option
@quiet_option
def batches(name: str, take_back: str | None, author: str, as_json: bool, quiet: bool) -> None:
    """List the batches of texts that were added to a project, oldest first."""
    from taxocom.jobs import submit
    from taxocom.store import open_project
    from taxocom.store.projects.batches import find_batch, list_batches

    with open_project(name) as project:
        if take_back is not None:
            project.require("texts", author)
            find_batch(project, take_back)
            with watched(quiet=quiet) as progress:
                job = submit(project, "take-back", {"name": take_back}, author=author)
                batch = dict(follow(project, job, progress).result or {})
            if not as_json:
                out = counted(int(batch["n_documents"]), "document")
                return click.echo(printable(f"Took batch {take_back!r} back: {out} less."))
        found = list_batches(project)
    if as_json:
        return print_json([{**asdict(batch), "n_skipped": batch.n_skipped} for batch in found])
    if not found:
        return click.echo("No batch was added yet. Add one: taxocom append PROJECT FILE")
    return print_table(
        ["batch", "date", "documents", "left out", "added", "by", "from"],
        [(b.name, b.date, b.n_documents, b.n_skipped, b.at[:16].replace("T", " "), b.author, b.source) for b in found],
    )


@click.command()
@click.argument("name", metavar="PROJECT")
@click.option(
    "--by", type=click.Choice(["batch", "year", "month", "day"]), help="The periods; batches if there are any."
)
@json_option
def timeline(name: str, by: By | None, as_json: bool) -> None:
    """Show how much of the texts each topic has, period by period, and what is new, rising, falling or gone.

    The last period is compared with all before it. Where nothing has changed, at most one table in twenty flags
    anything. Later texts are added by `taxocom append`; dates are read by `taxocom index --date-column NAME`.
    """
    from taxocom.store import open_project
    from taxocom.store.projects.topic_timeline import timeline as follow_topics

    with open_project(name) as project:
        found = follow_topics(project, by=by)
    if as_json:
        return print_json(asdict(found))
    shown = slice(-_PERIODS_SHOWN, None)
    print_table(
        ["topic", *map(str, found.periods[shown]), "before", "now", ""],
        [
            ("/".join(line.path), *line.counts[shown], f"{line.share_before:.1%}", f"{line.share_now:.1%}", line.flag)
            for line in found.lines
        ],
    )
    if found.n_undated:
        click.echo(f"{counted(found.n_undated, 'document')} without a date in this form (2026-11-18) left out.")
    return None
