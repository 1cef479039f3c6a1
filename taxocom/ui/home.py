"""The Projects page: what there is, how far each is, and the ways to begin."""

from __future__ import annotations

import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from taxocom import jobs
from taxocom.jobs.initialise import initialise
from taxocom.reading.files import restore_project
from taxocom.store import (
    ProjectSummary,
    backup_project,
    copy_project,
    delete_project,
    list_deleted,
    list_projects,
    open_project,
    rename_project,
    trash_project,
    undelete_project,
)
from taxocom.store.sample import SAMPLE_DESCRIPTION, SAMPLE_PROJECT
from taxocom.ui import curator, session
from taxocom.ui.bootstrap import boundary
from taxocom.ui.overview import look_at, progress_line
from taxocom.ui.plain import count, md
from taxocom.ui.telling import told

_COLUMNS = 3


def show() -> None:
    """Show the projects, or how to get the first one."""
    found = list_projects()
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


def _welcome() -> None:
    with st.container(key="welcome", gap="small"):
        st.title("Complete your taxonomy", anchor=False)
        st.write(
            "Bring texts and a partial tree of topics. TaxoCom Studio finds the topics that are missing, shows the "
            "evidence on a map, and puts nothing into the tree without your word."
        )
        _begin(has_sample=False)
        st.caption(f"The sample: {SAMPLE_DESCRIPTION}. What is missing?")


def _begin(*, has_sample: bool) -> None:
    with st.container(key="begin", horizontal=True, gap="small", width="content"):
        if not has_sample and st.button("Try the sample", type="primary", key="sample"):
            _open_sample()
        if st.button("New project", key="new", type="secondary" if not has_sample else "primary"):
            st.switch_page("pages/corpus.py")
        with st.popover("Restore a backup"):
            _restore()


def _open_sample() -> None:
    """Make the sample project and go to it; its corpus is indexed as a job while the page already shows the tree."""
    from taxocom.interchange import read_seed
    from taxocom.store.sample import sample_corpus, sample_seed

    with st.spinner("Fetching the news articles…"):
        corpus = sample_corpus()
        seed = read_seed(sample_seed()).taxonomy
        made = initialise(SAMPLE_PROJECT, corpus, seed=seed, author=curator.name(), description=SAMPLE_DESCRIPTION)
    st.switch_page("pages/expand.py", query_params=session.params(made.project))


def _restore() -> None:
    uploaded = st.file_uploader("A backup file", type=["zip", "taxocom"], key="backup-file")
    if uploaded and st.button("Restore", key="restore", type="primary"):
        with tempfile.TemporaryDirectory(prefix="taxocom-restore-") as folder, st.spinner("Checking every byte…"):
            file = Path(folder) / "backup.zip"
            file.write_bytes(uploaded.getbuffer())
            restored = restore_project(file)
        session.flash(f"Restored {restored.name}")
        st.switch_page("pages/expand.py", query_params=session.params(restored))


def _card(summary: ProjectSummary) -> None:
    with st.container(border=True, key=f"project-{summary.path.name}", gap="small", height="stretch"):
        st.subheader(md(summary.name), anchor=False)
        if summary.problem:
            st.warning(told(summary.problem))
            if st.button("Move to the trash", key=f"trash-{summary.path.name}"):
                trash_project(summary.path.name)
                st.rerun()
            return
        # A project that only shows its damage when it is looked at must not take the others along.
        with boundary():
            _facts(summary)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if st.button("Open", key=f"open-{summary.path.name}", type="primary"):
                target = "pages/expand.py" if summary.has_corpus else "pages/corpus.py"
                st.switch_page(target, query_params={session.PROJECT: summary.path.name})
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
    name = st.text_input("Name", summary.name, key=f"name-{key}")
    with st.container(horizontal=True, gap="small"):
        if st.button("Rename", key=f"rename-{key}", disabled=name.strip() == summary.name):
            rename_project(session.opened(key), name)
            st.rerun()
        if st.button("Delete", key=f"delete-{key}", help="Moves it to the trash"):
            project = open_project(key)
            with closing(project):
                delete_project(project)
            session.forget(key)
            st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if st.button("Copy", key=f"copy-{key}", help="Under the name above, or as a copy"):
            copied = name if name.strip() != summary.name else f"{summary.name} copy"
            bare = bool(st.session_state.get(f"bare-{key}"))
            copy_project(session.opened(key), copied, with_decisions=not bare).close()
            session.flash(f"Copied as {copied}")
            st.rerun()
        st.checkbox("without its decisions", key=f"bare-{key}", help="The texts and the seed alone, to start over")
    if st.button("Prepare a backup", key=f"backup-{key}"):
        with tempfile.TemporaryDirectory(prefix="taxocom-backup-") as folder, st.spinner("Packing…"):
            file = backup_project(session.opened(key), Path(folder) / "backup.zip")
            st.session_state[f"packed-{key}"] = file.read_bytes()
    packed = st.session_state.get(f"packed-{key}")
    if packed:
        st.download_button("Download the backup", packed, f"{summary.name}.zip", "application/zip", key=f"get-{key}")


def _trash() -> None:
    deleted = list_deleted()
    if not deleted:
        return
    with st.expander(f"Trash ({len(deleted)})"):
        for summary in deleted:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.text(summary.name)
                if st.button("Put back", key=f"undelete-{summary.path.name}"):
                    undelete_project(summary.path.name).close()
                    st.rerun()


def _ago(stamp: str) -> str:
    seconds = (datetime.now(UTC) - datetime.fromisoformat(stamp)).total_seconds()
    for size, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{count(int(seconds // size), word)} ago"
    return "just now"
