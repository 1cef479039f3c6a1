"""Take a taxonomy anywhere and bring one in: export, import, convert, replay, releases, SKOS integrity."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from taxocom.cli.console import FAILED, json_option, print_json, print_table, printable, say
from taxocom.cli.topic_lookup import author_option
from taxocom.errors import ExportError

if TYPE_CHECKING:
    from taxocom.store import Project
    from taxocom.taxonomy.tree import Status, Taxonomy

BUNDLE, TAGGER = "bundle", "tagger"
BUNDLE_SUFFIXES = (".zip",)
TAGGER_NAME = "tagger.zip"
SEED, NOW = "seed", "now"

format_option = click.option("--format", "format_name", help="The format, if the file's name does not tell.")
base_option = click.option("--base-uri", help="What the URIs of topics start with, in SKOS.")


@click.command()
@click.argument("name", metavar="PROJECT")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@format_option
@click.option("--release", help="The taxonomy of this release.")
@click.option(
    "--include",
    multiple=True,
    type=click.Choice(["proposed", "rejected", "draft", "suggested"]),
    help="Topics that are not approved, marked as such; may be given twice.",
)
@click.option("--no-lexicon", is_flag=True, help="Fit the tagger without the lexicon, for machines that have none.")
@base_option
@author_option
def export(
    name: str,
    file: Path,
    format_name: str | None,
    release: str | None,
    include: tuple[str, ...],
    no_lexicon: bool,
    base_uri: str | None,
    author: str,
) -> None:
    """Write the taxonomy of a project to a file, or to standard output for -.

    The name tells the format: .json .csv .xlsx .ttl .jsonld .rdf .graphml .tsv .md .html .parquet, or .zip for a
    bundle of all of them that `replay` can rebuild the taxonomy from. `taxocom formats` lists them. A name that ends in
    tagger.zip stands for a tagger, which gives new texts their topics without the project.
    """
    from taxocom.interchange.base.context import DEFAULT_BASE
    from taxocom.interchange.bundle import write_bundle
    from taxocom.interchange.formats import export as write
    from taxocom.store import open_project
    from taxocom.store.projects.exporting import export_of

    chosen = format_name or format_of(file)
    statuses = cast("frozenset[Status]", frozenset({"approved", *include}))
    if chosen == TAGGER:
        return _write(file, _tagger(name, release, use_lexicon=not no_lexicon))
    with open_project(name) as project:
        out = export_of(project, release=release, statuses=statuses, base_uri=base_uri or DEFAULT_BASE, author=author)
        _refuse_without_documents(chosen, bool(out.context.documents), name)
        data = write_bundle(out.taxonomy, out.context) if chosen == BUNDLE else write(out.taxonomy, chosen, out.context)
    return _write(file, data)


def _tagger(name: str, release: str | None, *, use_lexicon: bool) -> bytes:
    from taxocom.cli.console import watched
    from taxocom.store import open_project
    from taxocom.store.projects.project_tagger import project_tagger

    with open_project(name) as project, watched() as progress:
        return project_tagger(project, release=release, use_lexicon=use_lexicon, progress=progress).to_bytes()


@click.command()
@json_option
def formats(as_json: bool) -> None:
    """List the formats that a taxonomy can be exported to and imported from."""
    from taxocom.interchange.formats import FORMATS

    rows = [(f.name, f.extension, "in and out" if f.readable else "out", f.description) for f in FORMATS.values()]
    rows.append((BUNDLE, ".zip", "out", "All of these with a manifest, for `taxocom replay`."))
    rows.append((TAGGER, ".zip", "out", "Gives new texts their topics without the project: `taxocom tag tagger.zip`."))
    if as_json:
        print_json([dict(zip(("name", "extension", "direction", "description"), row, strict=True)) for row in rows])
    else:
        print_table(["format", "file", "direction", "what it is"], rows)


@click.command("import")
@click.argument("name", metavar="PROJECT")
@click.argument("file", type=click.Path(path_type=Path))
@format_option
@click.option("--why", default="", help="The reason, kept with the seed.")
@author_option
@json_option
def import_(name: str, file: Path, format_name: str | None, why: str, author: str, as_json: bool) -> None:
    """Replace the seed of a project with a taxonomy from a file.

    Refused once something was decided: copy the project first (`taxocom copy PROJECT NEW --without-decisions`). Names
    that are new to the corpus become terms when it is indexed again (`taxocom index`).
    """
    from taxocom.reading.files import read_seed
    from taxocom.store import open_project
    from taxocom.workflow.seed_changes import replace_seed
    from taxocom.workflow.seed_check import project_check

    with open_project(name) as project:
        document = read_seed(file, format_name)
        replace_seed(project, document.taxonomy, author=author, why=why or f"imported from {file.name}")
        found = project_check(project) if project.has_corpus else None
    if as_json:
        return print_json({**document.to_dict(), "preflight": found.to_dict() if found else None})
    click.echo(printable_lines(document.report()))
    if found is not None:
        click.echo(printable_lines(found.report()))
    return None


@click.command()
@click.argument("source", metavar="FROM", type=click.Path(path_type=Path))
@click.argument("target", metavar="TO", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--from", "source_format", help="The format of FROM, if its name and content do not tell.")
@click.option("--to", "target_format", help="The format of TO, if its name does not tell.")
@base_option
def convert(
    source: Path, target: Path, source_format: str | None, target_format: str | None, base_uri: str | None
) -> None:
    """Turn a taxonomy from one format into another, without a project."""
    from taxocom.interchange.base.context import DEFAULT_BASE, ExportContext
    from taxocom.interchange.formats import export as write
    from taxocom.reading.files import read_seed

    chosen = target_format or format_of(target)
    document = read_seed(source, source_format)
    _refuse_without_documents(chosen, False, str(source))
    context = ExportContext(statuses=frozenset({"approved", "proposed", "rejected"}), base_uri=base_uri or DEFAULT_BASE)
    data = write(document.taxonomy, chosen, context)
    click.echo(printable_lines(document.report()), err=True)
    _write(target, data)


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--out", type=click.Path(path_type=Path), help="Write the rebuilt taxonomy here.")
@json_option
def replay(bundle: Path, out: Path | None, as_json: bool) -> None:
    """Rebuild a taxonomy from the seed and the decisions in a bundle, without the corpus.

    Exit code 1 if it is not the taxonomy that was recorded, or if a file of the bundle is damaged.
    """
    from taxocom.interchange.formats import export as write
    from taxocom.reading.files import replay_bundle

    result = replay_bundle(bundle)
    if as_json:
        facts = {"matches": result.matches, "decisions": result.n_decisions, "topics": len(result.taxonomy)}
        print_json({**facts, "damaged": list(result.damaged), "change": result.change.to_dict()})
    else:
        click.echo(printable_lines(result.report()))
    if out is not None:
        _write(out, write(result.taxonomy, format_of(out)))
    if not result.matches:
        raise click.exceptions.Exit(FAILED)


@click.command()
@click.argument("name", metavar="PROJECT")
@click.argument("version", metavar="NAME")
@click.option("--note", default="", help="A note about it.")
@author_option
def release(name: str, version: str, note: str, author: str) -> None:
    """Freeze the taxonomy as it is now under a name, such as 2026-11."""
    from taxocom.store import open_project

    with open_project(name) as project:
        frozen = project.freeze_release(version, author=author, note=note)
    click.echo(f"Release {frozen.name!r}: {len(frozen.taxonomy)} topics after {frozen.sequence} decisions.")


@click.command()
@click.argument("name", metavar="PROJECT")
@json_option
def releases(name: str, as_json: bool) -> None:
    """List the releases of a project, oldest first."""
    from taxocom.store import open_project

    with open_project(name) as project:
        found = project.releases()
    rows = [(r.name, r.at, r.author, len(r.taxonomy), r.sequence, r.note) for r in found]
    if as_json:
        keys = ("name", "at", "author", "topics", "decisions", "note")
        return print_json([dict(zip(keys, row, strict=True)) for row in rows])
    return print_table(
        ["release", "frozen", "by", "topics", "decisions", "note"],
        [(row[0], row[1][:16].replace("T", " "), *row[2:]) for row in rows],
    )


@click.command()
@click.argument("name", metavar="PROJECT")
@click.argument("old", metavar="OLD", default=SEED)
@click.argument("new", metavar="NEW", default=NOW)
@click.option("--since", metavar="DATE", help="What changed since a day (2026-11-18), instead of OLD.")
@json_option
def changes(name: str, old: str, new: str, since: str | None, as_json: bool) -> None:
    """Show what changed between two releases, or since a day, as a change log.

    OLD and NEW are names of releases, `seed`, or `now`.
    """
    from taxocom.interchange.report.tree_comparison import compare
    from taxocom.store import open_project
    from taxocom.workflow.changes_since import changes_since, moment_of

    if since is not None and (old, new) != (SEED, NOW):
        raise click.UsageError("--since stands for OLD and NEW. Leave those out.")
    with open_project(name) as project:
        if since is not None:
            change, old = changes_since(project, moment_of(since)).difference, since
        else:
            change = compare(_version(project, old), _version(project, new))
    if as_json:
        print_json(change.to_dict())
    else:
        click.echo(printable_lines(change.to_markdown(old, new)))


@click.command()
@click.argument("name", metavar="PROJECT")
@click.option("--fix", is_flag=True, help="Carry out the fixes on offer for what breaks SKOS itself, as decisions.")
@author_option
@json_option
def integrity(name: str, fix: bool, author: str, as_json: bool) -> None:
    """Check the taxonomy against the rules of SKOS; exit code 1 if one is broken."""
    from taxocom.interchange.skos.integrity import check_integrity
    from taxocom.store import open_project

    with open_project(name) as project:
        n_fixed = _fix(project, author) if fix else 0
        report = check_integrity(project.taxonomy())
    if as_json:
        print_json({**report.to_dict(), "fixed": n_fixed})
    else:
        click.echo(printable_lines(report.to_markdown()))
        say(f"{n_fixed} decisions recorded to fix it.", quiet=not n_fixed)
    if not report.ok:
        raise click.exceptions.Exit(FAILED)


def _fix(project: Project, author: str) -> int:
    """Record the fixes for broken conditions; one topic once a pass, since a fix may change what others are about."""
    from taxocom.interchange.skos.integrity import check_integrity

    n_fixed = 0
    for _ in range(100):
        changed: set[str] = set()
        for finding in check_integrity(project.taxonomy()).findings:
            if finding.severity == "error" and finding.fix and not changed & finding.fix.touched:
                project.record_all(finding.fix.decisions, author=author, why=f"SKOS integrity, {finding.rule}")
                changed |= finding.fix.touched
                n_fixed += len(finding.fix.decisions)
        if not changed:
            break
    return n_fixed


def format_of(file: Path) -> str:
    """Return the format that a file's name stands for."""
    from taxocom.interchange.formats import FORMATS

    if file.name.lower().endswith(TAGGER_NAME):
        return TAGGER
    suffix = file.suffix.lower()
    if suffix in BUNDLE_SUFFIXES:
        return BUNDLE
    for found in FORMATS.values():
        # The first is meant: topics.csv, not documents.csv.
        if found.extension == suffix:
            return found.name
    known = ", ".join(dict.fromkeys([*(found.extension for found in FORMATS.values()), *BUNDLE_SUFFIXES]))
    raise ExportError(
        f"The name {str(file)!r} does not tell the format. End it with one of {known}, or say --format NAME "
        "(`taxocom formats` lists them)."
    )


def printable_lines(text: str) -> str:
    """Return text of several lines without the characters that would steer a terminal."""
    return "\n".join(printable(line) for line in text.splitlines())


def _refuse_without_documents(format_name: str, has_documents: bool, name: str) -> None:
    from taxocom.interchange.formats import FORMATS

    if format_name in FORMATS and FORMATS[format_name].needs_documents and not has_documents:
        raise ExportError(
            f"{name} has no documents, so there is no table of them. Export a project that has texts; "
            "to give it some: taxocom index PROJECT --corpus FILE"
        )


def _version(project: Project, named: str) -> Taxonomy:
    releases = {release.name: release.taxonomy for release in project.releases()}
    if named in releases:
        return releases[named]
    if named == SEED:
        return project.seed()
    return project.taxonomy() if named == NOW else project.release(named).taxonomy


def _write(file: Path, data: bytes) -> None:
    from taxocom.store.disk.whole_files import clear_errors, write_whole

    if str(file) == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with clear_errors("write", file):
        write_whole(file, data)
    click.echo(f"Wrote {file} ({len(data):,} bytes).", err=True)
