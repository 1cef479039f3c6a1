"""Texts that come later, on the Corpus page: *Add texts*, the batches and the way back, *Replace all texts*."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from taxocom.errors import ConflictError, InputError
from taxocom.store import Project
from taxocom.store.homes.schedule import BackupPlan, back_up_now
from taxocom.store.projects.batches import Batch, batch_rows, columns_of, list_batches, refuse_taken_name, valid_date
from taxocom.ui.corpus import corpus_picker
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.shared import curator, jobs_view
from taxocom.ui.shared.offering import offered

KINDS = ("append", "take-back", "read-again")
"""The jobs that change a project's texts besides reading others in their place."""


def is_busy(project: Project) -> bool:
    """Tell whether the texts of a project are being changed."""
    return any(jobs_view.is_running(project, kind) for kind in ("index", *KINDS))


def show(project: Project) -> None:
    """Show the batches, and offer to add one."""
    jobs_view.show_jobs(project, KINDS)
    _table(project, list_batches(project))
    with st.expander("Add texts", key="add-texts"):
        st.caption(
            f"Add texts that came later. {_what_happens(project)} A text whose id or wording is already there is left "
            "out and counted."
        )
        if corpus_picker.pick("add", to_index=False, remembered=columns_of(project)) is None:
            return
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Name of the batch", key="add-name", placeholder="its date", width=240)
            st.text_input("Date", key="add-date", placeholder="today; or 2026-11-18", width=180)
            add = acting(partial(_add, project))
            may = offered(project, "texts", disabled=is_busy(project))
            st.button("Add them", type="primary", key="add", on_click=add, **may)


def _what_happens(project: Project) -> str:
    if project.sequence or project.releases():
        return "They get their topics from the current tree. Documents that are already here keep theirs."
    return "As nothing is decided yet, documents that are already here may change topic too."


def _table(project: Project, batches: list[Batch]) -> None:
    if not batches:
        return
    (first, _, n_first), *_ = batch_rows(project)
    st.markdown("**Batches**")
    for number, batch in enumerate(batches):
        with st.container(key=f"batch-{number}", horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"{md(batch.name)}", width=200)
            st.caption(f"{md(batch.date)} · {md(batch.said())}", width="stretch")
            with st.popover("Take it back", type="tertiary", disabled=is_busy(project)):
                st.markdown(
                    f"{count(batch.n_documents, 'document')} will be removed. What people decided about them stays "
                    "in the log but has no effect; all other documents stay where they are."
                )
                back = acting(partial(_take_back, project, batch.name))
                st.button("Take the batch back", key=f"take-back-{number}", on_click=back, **offered(project, "texts"))
    st.caption(f"{count(n_first, 'document')} of the {first} before them.")


def _add(project: Project) -> None:
    picked = corpus_picker.picked("add", remembered=columns_of(project))
    if picked is None:
        raise InputError("There are no texts to add. Choose a file first.")
    given = session.fields()
    name = str(given.get("add-name") or "").strip()
    refuse_taken_name(project, name)
    dated = valid_date(str(given.get("add-date") or ""))
    reading = picked.reading(project)
    batch = {
        "sources": [reading.source],
        # An upload is kept under a name of its own.
        "called": picked.path.name,
        "columns": reading.columns,
        "encoding": None,
        "skip_unreadable": picked.skip_unreadable,
        "name": name,
        "date": dated,
        "author": curator.name(),
    }
    jobs_view.submit(project, "append", batch)


def _take_back(project: Project, name: str) -> None:
    jobs_view.submit(project, "take-back", {"name": name})


def ask_to_replace(project: Project, read: Callable[[], None]) -> None:
    """Ask before all texts are replaced (`read`), and say what would be lost."""
    batches, n_documents = list_batches(project), project.corpus().n_documents
    with st.popover("Replace all texts", type="primary", disabled=is_busy(project)):
        added = f", also those of {count(len(batches), 'batch', 'batches')}" if batches else ""
        st.markdown(
            f"The {count(n_documents, 'document')} of the project will be removed{added}. Documents with the same id "
            "in the new texts keep their topics; decisions about others no longer have any effect. Expand the topics "
            "again after that.\n\n"
            "A backup is made first: restore it on the page *Projects*."
        )
        replace = acting(partial(_replace, project, read), "Making a backup…")
        st.button(
            "Make a backup and replace them", key="read", type="primary", on_click=replace, **offered(project, "texts")
        )


def _replace(project: Project, read: Callable[[], None]) -> None:
    if back_up_now(project, BackupPlan.from_environment()) is None:
        raise ConflictError("Another backup of this project is being written. Try again in a moment.")
    read()
