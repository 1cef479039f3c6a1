"""Projects as wholes: list, look, copy, rename, delete, back up, restore."""

from __future__ import annotations

import shlex
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from taxocom.cli.console import (
    counted,
    json_option,
    print_json,
    print_table,
    printable,
    quiet_option,
    say,
    tree_lines,
    watched,
)
from taxocom.cli.topic_lookup import author_option

if TYPE_CHECKING:
    from taxocom.store import Project
    from taxocom.store.homes.moving import Side


@click.command("projects")
@click.option("--deleted", is_flag=True, help="Those in the trash instead.")
@json_option
def projects_(deleted: bool, as_json: bool) -> None:
    """List the projects."""
    from taxocom.store import home, list_deleted, list_projects

    found = list_deleted() if deleted else list_projects()
    if as_json:
        return print_json([{**asdict(summary), "path": str(summary.path)} for summary in found])
    if not found:
        return click.echo(f"No projects in {home()}. Start with: taxocom sample")
    return print_table(
        ["project", "changed", "decisions", "corpus", ""],
        (
            [s.name, s.changed_at[:16].replace("T", " "), s.n_decisions, "yes" if s.has_corpus else "no", s.problem]
            for s in found
        ),
    )


@click.command()
@click.argument("name", metavar="PROJECT")
@click.option("--at", "sequence", type=int, help="The tree as it was after this decision; 0 is the seed.")
@json_option
def show(name: str, sequence: int | None, as_json: bool) -> None:
    """Show a project: its corpus, its tree, what was decided and what runs."""
    from taxocom.store import open_project

    with open_project(name) as project:
        show_project(project, as_json=as_json, sequence=sequence)


@click.command()
@click.argument("name", metavar="PROJECT")
@click.argument("new_name", metavar="NEW_NAME")
@click.option("--without-decisions", is_flag=True, help="Copy only the seed and the corpus, to start over.")
@author_option
def copy(name: str, new_name: str, without_decisions: bool, author: str) -> None:
    """Copy a project; large files are shared, not copied."""
    from taxocom.store import copy_project, open_project

    with (
        open_project(name) as project,
        copy_project(project, new_name, by=author, with_decisions=not without_decisions) as copied,
    ):
        click.echo(f"Created {copied.name!r}.")


@click.command("rename-project")
@click.argument("name", metavar="PROJECT")
@click.argument("new_name", metavar="NEW_NAME")
@author_option
def rename_project_(name: str, new_name: str, author: str) -> None:
    """Give a project another name."""
    from taxocom.store import open_project, rename_project

    with open_project(name) as project:
        old = project.name
        rename_project(project, new_name, by=author)
        click.echo(f"The project {old!r} is now {project.name!r}.")


@click.command()
@click.argument("name", metavar="PROJECT")
@author_option
def delete(name: str, author: str) -> None:
    """Move a project to the trash; `undelete` takes it out again."""
    from taxocom.errors import StoreError
    from taxocom.store import delete_project, open_project, trash_project

    try:
        project = open_project(name)
    except StoreError:
        called, trash = name, trash_project(name, by=author)
    else:
        with closing(project):
            called = project.name
            trash = delete_project(project, by=author)
    click.echo(f"The project {called!r} is in the trash. Take it out again: taxocom undelete {shlex.quote(trash.name)}")


@click.command()
@click.argument("name", metavar="PROJECT")
@author_option
def undelete(name: str, author: str) -> None:
    """Take a project out of the trash."""
    from taxocom.store import undelete_project

    with undelete_project(name, by=author) as project:
        click.echo(f"The project {project.name!r} is back.")


@click.command("empty-trash")
@click.confirmation_option(prompt="Delete everything in the trash for good?")
def empty_trash_() -> None:
    """Delete everything in the trash for good."""
    from taxocom.store import empty_trash

    n_gone = empty_trash()
    click.echo(f"Deleted {counted(n_gone, 'project')} for good.")


@click.command()
@click.argument("name", metavar="PROJECT")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--overwrite", is_flag=True, help="Replace the file if it exists.")
@quiet_option
@author_option
def backup(name: str, file: Path, overwrite: bool, quiet: bool, author: str) -> None:
    """Write a whole project to one file, even while others work on it."""
    from taxocom.store import backup_project, open_project

    with open_project(name) as project, watched(quiet=quiet) as progress:
        backup_project(project, file, overwrite=overwrite, progress=progress, by=author)
    say(f"Wrote {file} ({file.stat().st_size / 1e6:,.1f} MB).", quiet)


@click.command()
@click.argument("name", metavar="PROJECT")
@click.option("--now", is_flag=True, help="Write one now, whether or not it is due.")
@json_option
def backups(name: str, now: bool, as_json: bool) -> None:
    """List the scheduled backups of a project.

    The app and its workers write one a day of a project that has changed, and keep five. TAXOCOM_BACKUP_HOURS says how
    often (0: never), TAXOCOM_BACKUP_KEEP how many, and TAXOCOM_BACKUP_FOLDER where, best on another disk.
    """
    from taxocom.store import find_project, open_project
    from taxocom.store.homes.schedule import BackupPlan, back_up_now, kept_backups

    plan, path = BackupPlan.from_environment(), find_project(name)
    if now:
        with open_project(path) as project:
            back_up_now(project, plan)
    kept = kept_backups(path, plan)
    if as_json:
        listed = [{**asdict(each), "file": str(each.file)} for each in kept.backups]
        return print_json({"hours": plan.hours, "keep": plan.keep, "problem": kept.problem, "backups": listed})
    often = f"every {plan.hours:g} hours, {plan.keep} are kept" if plan.hours else "never: TAXOCOM_BACKUP_HOURS is 0"
    click.echo(f"Written {often}, in {plan.place_of(path)}")
    if kept.problem:
        click.echo(f"The last attempt failed: {printable(kept.problem)}")
    return print_table(
        ["written", "MB", "file"],
        [(each.at[:16].replace("T", " "), f"{each.n_bytes / 1e6:,.1f}", each.file) for each in kept.backups],
    )


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--name", help="What to call the project, instead of its own name.")
@quiet_option
def restore(file: Path, name: str | None, quiet: bool) -> None:
    """Make a project from a backup; existing projects are not touched."""
    from taxocom.reading.files import restore_project

    with watched(quiet=quiet) as progress:
        project = restore_project(file, name=name, progress=progress)
    with closing(project):
        say(f"Restored the project {project.name!r}.", quiet)


@click.command()
@click.argument("name", metavar="PROJECT")
@json_option
def verify(name: str, as_json: bool) -> None:
    """Check a whole project against its checksums; exit code 1 if something is wrong."""
    from taxocom.store import DamagedError, find_project, open_project

    path = find_project(name)
    try:
        with open_project(path) as project:
            problems = project.problems()
    except DamagedError as error:
        problems = [*(f"project.db: {said}" for said in error.problems), f"Repair it with: taxocom repair {path.name}"]
    if as_json:
        print_json(problems)
    else:
        click.echo("\n".join(problems) or "No problems found.")
    if problems:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("name", metavar="PROJECT")
@click.option("--to", type=click.Choice(["server", "file"]), required=True, help="Where to move its tables.")
@author_option
def migrate(name: str, to: Side, author: str) -> None:
    """Move a project between a file and the PostgreSQL server of $TAXOCOM_DATABASE_URL.

    Close the app first. Both sides are compared, row by row, before the project changes over; its texts and vectors
    stay where they are.
    """
    from taxocom.store import find_project
    from taxocom.store.homes.moving import move_tables

    click.echo(f"{printable(name)} is now in {printable(move_tables(find_project(name), to, by=author))}.")


@click.command()
@click.argument("name", metavar="PROJECT")
@click.option("--from", "backup_file", type=click.Path(path_type=Path, dir_okay=False), help="The backup to use.")
@click.option("--accept-loss", is_flag=True, help="Go on without decisions that are lost and that no backup holds.")
@json_option
@quiet_option
def repair(name: str, backup_file: Path | None, accept_loss: bool, as_json: bool, quiet: bool) -> None:
    """Mend damaged files of a project, from a backup or by making them again; exit code 1 if something is lost.

    Close the app first. Decisions are kept as far as they can be proven; a damaged database is kept beside the new one.
    """
    from taxocom.jobs.repair import repair as put_right
    from taxocom.jobs.repair import repair_database
    from taxocom.store import find_project, open_project

    path = find_project(name)
    done = repair_database(path, backup_file, accept_loss=accept_loss)
    with open_project(path) as project, watched(quiet=quiet) as progress:
        done += put_right(project, backup_file, progress)
    if as_json:
        print_json([asdict(each) for each in done])
    else:
        lines = [f"{each.kind} {each.artifact:.12}: {printable(each.said)}" for each in done]
        click.echo("\n".join(lines) or "Nothing is damaged.")
    if not all(each.is_whole for each in done):
        raise click.exceptions.Exit(1)


def show_project(project: Project, *, as_json: bool, sequence: int | None = None) -> None:
    """Print a project for people or for programs, with its tree as it is now or was after a decision."""
    facts = described(project)
    taxonomy = project.taxonomy() if sequence is None else project.taxonomy_at(sequence)
    if project.has_corpus:
        from taxocom.store.projects.document_places import counted_tree, document_places

        taxonomy = counted_tree(taxonomy, document_places(project, at=sequence))
    if as_json:
        from taxocom.interchange.plain.json_format import to_nested

        return print_json({**facts, "taxonomy": to_nested(taxonomy)})
    click.echo(printable(": ".join(filter(None, [facts["name"], facts["description"]]))))
    if corpus := facts["corpus"]:
        click.echo("{n_documents:,} documents, {n_terms:,} terms, {n_tokens:,} in running text".format(**corpus))
        click.echo(f"Language. {project.corpus().language_report.said()}")
    else:
        click.echo("No corpus yet.")
    n_topics, n_novel = len(taxonomy), sum(node.origin != "seed" for node in taxonomy.walk())
    click.echo(
        f"{counted(n_topics, 'topic')} ({n_novel} not from the seed), {counted(facts['n_decisions'], 'decision')}"
    )
    for job in facts["jobs"]:
        click.echo(f"Job {job['job_id']} ({job['kind']}) is {job['state']}: {job['stage']} {job['fraction']:.0%}")
    click.echo("\n" + "\n".join(tree_lines(taxonomy)))
    return None


def described(project: Project) -> dict[str, Any]:
    """Return what a script may want to know of a project, without its tree."""
    from taxocom.jobs import list_jobs

    about = project.about()
    corpus = project.corpus() if project.has_corpus else None
    return {
        "name": about["name"],
        "description": about.get("description", ""),
        "path": str(project.path),
        "project_id": project.project_id,
        "created_at": project.created_at,
        "n_decisions": project.sequence,
        "corpus": None
        if corpus is None
        else {
            "n_documents": corpus.n_documents,
            "n_terms": len(corpus.vocabulary),
            "n_tokens": corpus.n_tokens,
            "fingerprint": corpus.fingerprint,
            "language": corpus.language,
        },
        "releases": [release.name for release in project.releases()],
        "jobs": [asdict(job) for job in list_jobs(project, active=True)],
    }
