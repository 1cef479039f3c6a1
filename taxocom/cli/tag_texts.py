"""Give texts that do not join a project the topics of its tree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from taxocom.cli.console import counted, json_option, print_json, printable, quiet_option, say, watched
from taxocom.cli.sql_options import SqlTexts, sql_options

if TYPE_CHECKING:
    from taxocom.progress import Progress
    from taxocom.store.projects.text_tagger import Tagger

_TERMS = 5


@click.command()
@click.argument("name", metavar="PROJECT|TAGGER.ZIP")
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@sql_options
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The output file: .csv, .jsonl or .parquet."
)
@click.option("--least", type=float, default=0.3, show_default=True, help="How probable a topic must be to be named.")
@click.option("--primary", is_flag=True, help="Give only the likeliest topic, however probable it is.")
@click.option("--terms", is_flag=True, help="Add the terms that led to each topic.")
@click.option("--release", help="Use the taxonomy of this release.")
@click.option("--text-column", multiple=True, metavar="NAME", help="Column(s) of text; several are joined.")
@click.option("--id-column", metavar="NAME", help="Column of ids.")
@click.option("--title-column", metavar="NAME", help="Column of titles.")
@click.option("--encoding", help="Encoding of the text, instead of the one detected.")
@click.option("--skip-unreadable", is_flag=True, help="Leave out and count files that cannot be read.")
@json_option
@quiet_option
def tag(
    name: str,
    file: Path | None,
    sql: SqlTexts,
    out: Path,
    least: float,
    primary: bool,
    terms: bool,
    release: str | None,
    text_column: tuple[str, ...],
    id_column: str | None,
    title_column: str | None,
    encoding: str | None,
    skip_unreadable: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Tag a file of texts: each row gets its topics. The texts do not join the project.

    The first argument is a project, or a tagger that `taxocom export PROJECT tagger.zip` wrote. FILE can be CSV, TSV,
    JSONL, Parquet or text with one document per line, optionally packed with gz or xz; PDF, Word, HTML or mail; or a
    folder of such files. Each row of FILE gives one row of the output, in the same order. The columns are those of the
    project's texts where FILE has them too.
    """
    from taxocom.cli.reading_options import Reading
    from taxocom.store.projects.batches import remembered_columns
    from taxocom.store.projects.tagged_files import TaggingWishes, file_kind, tag_file

    # A wrong name is told before the tagger is fitted.
    file_kind(out)
    reading = Reading(text_column, id_column, title_column, encoding=encoding, skip_unreadable=skip_unreadable)
    as_guessed = not (text_column or id_column or title_column)
    wishes = TaggingWishes(least, primary, _TERMS if terms else 0)
    with watched(quiet=quiet) as progress, sql.or_file(file, "FILE", progress) as texts:
        source = reading.source(texts)
        tagger, remembered = _tagger(name, release, progress)
        if as_guessed:
            source = remembered_columns(source, remembered)
        count = tag_file(tagger, source, out, wishes, progress)
    facts = {"texts": count.n_texts, "without a topic": count.n_without_topic, "fit nowhere": count.n_nowhere}
    facts |= {"unreadable files left out": count.n_unreadable} if skip_unreadable else {}
    if as_json:
        return print_json({**facts, "out": str(out), "tagger": tagger.origin.said()})
    if source.columns is not None:
        say(printable(f"Text from {' and '.join(source.columns.text)}, id from {source.columns.id or 'row numbers'}."))
    lacking = f"; {count.n_without_topic:,} have no topic with a probability of {least:g}" if not primary else ""
    lacking += f"; {counted(count.n_unreadable, 'unreadable file')} left out" if count.n_unreadable else ""
    click.echo(f"Tagged {counted(count.n_texts, 'text')}{lacking}; {count.n_nowhere:,} fit nowhere. Wrote {out}.")
    return None


def _tagger(name: str, release: str | None, progress: Progress) -> tuple[Tagger, Mapping[str, Any] | None]:
    """Return the tagger of a project or a file, and the columns that the project's texts were read by."""
    from taxocom.store import open_project
    from taxocom.store.projects.batches import columns_of
    from taxocom.store.projects.project_tagger import project_tagger
    from taxocom.store.projects.text_tagger import Tagger

    if name.lower().endswith(".zip"):
        if release:
            raise click.UsageError("A tagger in a file is of one state of the tree. Leave out --release.")
        return Tagger.load(name), None
    with open_project(name) as project:
        return project_tagger(project, release=release, progress=progress), columns_of(project)
