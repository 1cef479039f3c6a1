"""The jobs of a project: what runs, what ran, and how to stop it."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from taxocom.cli.console import counted, duration, json_option, print_json, print_table, quiet_option, say, watched
from taxocom.cli.reading_options import Reading, language_line, reading_options
from taxocom.cli.sql_options import SqlTexts, sql_options
from taxocom.cli.topic_lookup import author_option
from taxocom.errors import CancelledError, ConflictError, InputError, JobError
from taxocom.text.language.languages import LanguageReport

if TYPE_CHECKING:
    from taxocom.progress import Progress
    from taxocom.store import JobRecord, Project

WATCH_SECONDS = 0.2


@click.command("jobs")
@click.argument("name", metavar="PROJECT")
@click.option("--active", is_flag=True, help="Only those queued or running.")
@json_option
def jobs_(name: str, active: bool, as_json: bool) -> None:
    """List the jobs of a project, newest first."""
    from taxocom.jobs import list_jobs
    from taxocom.store import open_project

    with open_project(name) as project:
        found = list_jobs(project, active=active)
    if as_json:
        return print_json([asdict(job) for job in found])
    return print_table(
        ["job", "kind", "state", "done", "stage", "left", "message"],
        ([job.job_id, job.kind, job.state, f"{job.fraction:.0%}", job.stage, _left(job), job.message] for job in found),
    )


@click.command("index")
@click.argument("name", metavar="PROJECT")
@click.option(
    "--corpus",
    type=click.Path(path_type=Path),
    help="A file or folder of documents.",
    show_default="the texts that the project has",
)
@sql_options
@click.option("--replace", is_flag=True, help="Replace the texts, though batches or decisions belong to them.")
@reading_options
@author_option
@json_option
@quiet_option
def index_(
    name: str,
    corpus: Path | None,
    sql: SqlTexts,
    replace: bool,
    reading: Reading,
    author: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Read the texts of a project again, for instance after its seed was replaced, or read other texts.

    Without --corpus the same texts are read as they were read before, with the options given here changed. Other texts
    are read with the project's settings, but with columns, encoding and language of their own. Until the texts are read
    the project keeps the corpus that it has. Before other texts take their place a backup is made.
    """
    from taxocom.jobs import submit
    from taxocom.store import open_project
    from taxocom.store.projects.batches import list_batches

    with open_project(name) as project, watched(quiet=quiet) as progress, ExitStack() as stack:
        added, others = list_batches(project), corpus is not None or sql.wanted
        if others and project.has_corpus:
            _keep_backup(project, len(added), replace=replace, quiet=quiet or as_json)
        if added and not others:
            # The file that was read first lacks what was added since.
            kind, parameters = "read-again", {"settings": reading.settings_again(project)}
        else:
            texts = stack.enter_context(sql.or_file(corpus, "--corpus", progress)) if sql.wanted else corpus
            again = reading.again(project, texts)
            kind, parameters = "index", (again.kept_with(project) if sql.wanted else again).as_parameters()
        job = follow(project, submit(project, kind, parameters, author=author), progress)
    result = job.result or {}
    if as_json:
        print_json(result)
    else:
        made = result["index"]
        say("{n_documents:,} documents, {n_terms:,} terms ({n_phrases:,} phrases).".format(**made), quiet)
        say(language_line(LanguageReport.from_plain(made["language"])), quiet)


def _keep_backup(project: Project, n_batches: int, *, replace: bool, quiet: bool) -> None:
    """Back a project up before other texts take the place of its own; refuse where that would lose what people did."""
    from taxocom.store.homes.schedule import BackupPlan, back_up_now

    lost = ["the texts that were added later"] * bool(n_batches)
    lost += [f"what {counted(project.sequence, 'decision')} said of documents"] * bool(project.sequence)
    if lost and not replace:
        raise InputError(
            f"Other texts would take the place of the {counted(project.corpus().n_documents, 'document')} of "
            f"{project.name}. Lost would be {' and '.join(lost)}; a document whose id is in the new texts too keeps "
            "its topic. If that is meant, add --replace: a backup is made first. To add texts to those that are "
            "there: taxocom append PROJECT FILE"
        )
    file = back_up_now(project, BackupPlan.from_environment())
    if file is None:
        raise ConflictError("Another backup of this project is being written. Try again in a moment.")
    say(f"Backup of the texts before: {file}. Restore it: taxocom restore {file}", quiet)


@click.command()
@click.argument("name", metavar="PROJECT")
@click.argument("job_id", metavar="JOB", type=int)
@author_option
def cancel(name: str, job_id: int, author: str) -> None:
    """Stop a job. Unfinished work is not kept."""
    from taxocom.jobs import cancel as cancel_job
    from taxocom.store import open_project

    with open_project(name) as project:
        job = cancel_job(project, job_id, by=author)
    click.echo(f"Job {job.job_id} ({job.kind}) is {job.state}.")


@click.command()
@click.argument("name", metavar="PROJECT")
@click.argument("job_id", metavar="JOB", type=int)
@quiet_option
@author_option
def rerun(name: str, job_id: int, quiet: bool, author: str) -> None:
    """Run a job that failed or was cancelled once more, and wait for it."""
    from taxocom.jobs import rerun as rerun_job
    from taxocom.store import open_project

    with open_project(name) as project, watched(quiet=quiet) as progress:
        job = follow(project, rerun_job(project, job_id, by=author), progress)
    click.echo(f"Job {job.job_id} ({job.kind}) is {job.state}.")


def follow(project: Project, job: JobRecord, progress: Progress) -> JobRecord:
    """Wait for a job, showing how far it is; cancelling the wait cancels the job, and its failure is a JobError."""
    from taxocom.jobs import cancel as cancel_job
    from taxocom.jobs import get

    try:
        # Reported even when nothing changed: a report is where Ctrl-C is heard.
        while not (job := get(project, job.job_id)).is_over:
            progress.report(job.stage or f"Waiting for a worker ({job.state})", job.fraction)
            time.sleep(WATCH_SECONDS)
    except (CancelledError, KeyboardInterrupt):
        cancel_job(project, job.job_id)
        raise
    if job.state == "cancelled":
        raise CancelledError(f"Job {job.job_id} was cancelled.")
    if job.state == "failed":
        raise JobError(job.message)
    return job


def follow_map(project: Project, job: JobRecord, progress: Progress) -> None:
    """Wait for the map that is drawn after an expansion, so that an export which comes next has it.

    The proposal is kept whatever becomes of its map, so that is said and is no error.
    """
    from taxocom.jobs import following_job, get

    if (next_id := following_job(job)) is None:
        return
    try:
        follow(project, get(project, next_id), progress)
    except (CancelledError, JobError) as error:
        said = "was cancelled" if isinstance(error, CancelledError) else f"failed: {error}"
        click.echo(f"Drawing the map {said}. The proposal is kept without it; Expand in the app can draw it.", err=True)


def _left(job: JobRecord) -> str:
    return duration(job.seconds_left) if job.state == "running" and job.seconds_left is not None else ""
