"""The Projects page: what there is, how far each is, and the ways to begin."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import streamlit as st

from taxocom import jobs
from taxocom.errors import InputError, StoreError
from taxocom.jobs.initialise import initialise
from taxocom.reading.files import restore_project
from taxocom.store import (
    Project,
    ProjectSummary,
    backup_project,
    copy_project,
    list_deleted,
    list_projects,
    rename_project,
    trash_project,
    undelete_project,
)
from taxocom.store.disk.whole_files import clear_errors
from taxocom.store.homes.sample import SAMPLE_DESCRIPTION, SAMPLE_PROJECT
from taxocom.taxonomy.team import Team
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.runtime.telling import told
from taxocom.ui.shared import curator
from taxocom.ui.shared.bootstrap import boundary
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.overview import look_at, progress_line

_COLUMNS = 3
_BACKUP = "backup-file"


def show() -> None:
    """Show the projects, or how to get the first one."""
    found = [summary for summary in list_projects() if _may_see(summary)]
    if not found:
        _welcome()
    else:
        with st.container(key="home-head", horizontal=True, vertical_alignment="center"):
            st.title("Projects", anchor=False)
            _begin(has_sample=any(summary.name == SAMPLE_PROJECT for summary in found))
        for row in range(0, len(found), _COLUMNS):
            for column, summary in zip(st.columns(_COLUMNS), found[row : row + _COLUMNS], strict=False):
                with column:
                    _card(summary)
    _trash()


def _may_see(summary: ProjectSummary) -> bool:
    """Tell whether a project is open to the person who looks; one that cannot be opened is shown with its problem."""
    if summary.problem:
        return True
    try:
        return session.opened(summary.path.name).team().may(curator.name(), "read")
    except StoreError:
        return True


def _welcome() -> None:
    with st.container(key="welcome", gap="small"):
        st.title("Complete your taxonomy", anchor=False)
        st.write(
            "Start with texts and a partial tree of topics. TaxoCom Studio finds the missing topics and shows the "
            "evidence on a map. Nothing enters the tree until you accept it."
        )
        _begin(has_sample=False)
        st.caption(f"The sample: {SAMPLE_DESCRIPTION}. What is missing?")


def _begin(*, has_sample: bool) -> None:
    with st.container(key="begin", horizontal=True, gap="small", width="content"):
        if not has_sample:
            fetch = acting(_make_sample, "Fetching the news articles…")
            st.button("Try the sample", type="primary", key="sample", on_click=fetch)
        new = acting(partial(session.go_to, "pages/corpus.py"))
        st.button("New project", key="new", type="secondary" if not has_sample else "primary", on_click=new)
        with st.popover("Restore a backup"):
            if st.file_uploader("A backup file", type=["zip", "taxocom"], key=_BACKUP):
                st.button("Restore", key="restore", type="primary", on_click=acting(_restore, "Checking every byte…"))


def _make_sample() -> None:
    """Make the sample project and go to it; its corpus is indexed as a job while the page already shows the tree."""
    from taxocom.interchange import read_seed
    from taxocom.store.homes.sample import sample_corpus, sample_seed

    corpus = sample_corpus()
    seed = read_seed(sample_seed()).taxonomy
    author, owner = curator.name(), curator.owner()
    made = initialise(SAMPLE_PROJECT, corpus, seed=seed, author=author, owner=owner, description=SAMPLE_DESCRIPTION)
    session.go_to("pages/expand.py", **session.params(made.project))


def _restore() -> None:
    uploaded = session.fields().get(_BACKUP)
    if uploaded is None:
        raise InputError("There is no backup file yet. Choose one first.")
    with tempfile.TemporaryDirectory(prefix="taxocom-restore-") as folder:
        file = Path(folder) / "backup.zip"
        with clear_errors("keep the upload in", file):
            file.write_bytes(uploaded.getbuffer())
        restored = restore_project(file)
    session.flash(f"Restored {restored.name}")
    session.go_to("pages/expand.py", **session.params(restored))


def _card(summary: ProjectSummary) -> None:
    with st.container(border=True, key=f"project-{summary.path.name}", gap="small", height="stretch"):
        st.subheader(md(summary.name), anchor=False)
        if summary.problem:
            st.warning(told(summary.problem))
            throw = acting(partial(_throw_away, summary.path.name))
            st.button("Move to the trash", key=f"trash-{summary.path.name}", on_click=throw)
            return
        # A project that only shows its damage when it is looked at must not take the others along.
        with boundary():
            _facts(summary)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            target = "pages/expand.py" if summary.has_corpus else "pages/corpus.py"
            go = acting(partial(session.go_to, target, **{session.PROJECT: summary.path.name}))
            st.button("Open", key=f"open-{summary.path.name}", type="primary", on_click=go)
            with st.popover("More", type="tertiary"):
                _more(summary)


def _facts(summary: ProjectSummary) -> None:
    project = session.opened(summary.path.name)
    running = jobs.list_jobs(project, active=True)
    overview = look_at(project, session.expansion)
    if running:
        st.progress(running[0].fraction, text=md(running[0].stage or "starting"))
    else:
        total = overview.n_judged + overview.n_waiting
        st.progress(overview.n_judged / total if total else 0.0, text=progress_line(overview))
    about = str(project.about().get("description") or "")
    size = f"{count(project.corpus().n_documents, 'document')}" if summary.has_corpus else "No corpus yet"
    st.caption(f"{size} · {count(len(overview.tree), 'topic')} · changed {_ago(summary.changed_at)}")
    if about:
        st.caption(md(about))


def _more(summary: ProjectSummary) -> None:
    key = summary.path.name
    fields = [
        Field("name", "Name", summary.name, required=True),
        Field("bare", "Copy only the texts and the seed, without the decisions", value=False, kind="tick"),
    ]
    no = partial(_team_of(lambda: session.opened(key)).refusal, curator.name())
    buttons = [
        Button("rename", "Rename", refused=no("rename")),
        Button("copy", "Copy", help="Under the name above, or as a copy", refused=no("copy")),
        Button("delete", "Delete", help="Moves it to the trash", refused=no("delete")),
        Button("backup", "Prepare a backup", refused=no("backup")),
    ]
    form(f"more-{key}", Part("more", fields, buttons), on_submit=lambda sent: _change(summary, sent))
    packed: Path | None = session.state().get(f"packed-{key}")
    if packed:
        name = f"{summary.name}.zip"
        st.download_button("Download the backup", packed.read_bytes, name, "application/zip", key=f"get-{key}")


def _change(summary: ProjectSummary, sent: Submitted) -> None:
    key, name = summary.path.name, sent.text("name")
    match sent.button:
        case "rename":
            rename_project(session.opened(key), name, by=curator.name())
        case "copy":
            copied = name if name != summary.name else f"{summary.name} copy"
            bare = bool(sent.values["bare"])
            copy_project(session.opened(key), copied, by=curator.name(), with_decisions=not bare).close()
            session.flash(f"Copied as {copied}")
        case "delete":
            _throw_away(key)
        case "backup":
            with tempfile.TemporaryDirectory(prefix="taxocom-backup-") as folder:
                file = backup_project(session.opened(key), Path(folder) / "backup.zip", by=curator.name())
                kept = session.uploads().keep(secrets.token_hex(8), "backup.zip", file.read_bytes())
                session.state()[f"packed-{key}"] = kept


def _throw_away(key: str) -> None:
    trash_project(key, by=curator.name())
    session.forget(key)


def _trash() -> None:
    deleted = [
        (summary, team) for summary in list_deleted() if (team := _team_in_trash(summary)).may(curator.name(), "read")
    ]
    if not deleted:
        return
    with st.expander(f"Trash ({len(deleted)})"):
        for summary, team in deleted:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.text(summary.name)
                back = acting(partial(_put_back, summary.path.name))
                why = team.refusal(curator.name(), "delete")
                st.button(
                    "Put back",
                    key=f"undelete-{summary.path.name}",
                    on_click=back,
                    disabled=bool(why),
                    help=why or None,
                )


def _team_of(opened: Callable[[], Project]) -> Team:
    """Return who may do what with a project; one too damaged to be asked is open to all."""
    try:
        return opened().team()
    except StoreError:
        return Team()


def _team_in_trash(summary: ProjectSummary) -> Team:
    with ExitStack() as stack:
        return _team_of(lambda: stack.enter_context(Project(summary.path)))


def _put_back(key: str) -> None:
    undelete_project(key, by=curator.name()).close()


def _ago(stamp: str) -> str:
    seconds = (datetime.now(UTC) - datetime.fromisoformat(stamp)).total_seconds()
    for size, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{count(int(seconds // size), word)} ago"
    return "just now"
