"""Work in progress: what runs, how far it is, and the button that stops it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import streamlit as st

from taxocom import jobs
from taxocom.jobs import JobRecord
from taxocom.store import Project
from taxocom.taxonomy.roles import JOBS
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import md
from taxocom.ui.runtime.telling import told
from taxocom.ui.shared import curator
from taxocom.ui.shared.bootstrap import guarded
from taxocom.ui.shared.offering import offered

_NAMES = {
    "index": "Reading the corpus",
    "expand": "Expanding",
    "map": "The map",
    "evaluate": "Measuring quality",
    "stability": "Measuring stability",
    "sample": "Fetching",
    "tag": "Tagging texts",
    "append": "Adding texts",
    "take-back": "Taking a batch back",
    "read-again": "Reading the texts again",
}


def expanding(project: Project) -> frozenset[str]:
    """Return the topics that are being expanded now."""
    running = jobs.list_jobs(project, active=True)
    return frozenset(str(job.params.get("node_id")) for job in running if job.kind == "expand")


def is_running(project: Project, kind: str) -> bool:
    """Tell whether a job of this kind is under way."""
    return any(job.kind == kind for job in jobs.list_jobs(project, active=True))


def submit(project: Project, kind: str, params: dict[str, Any]) -> None:
    """Start a job unless the very same one is already under way."""
    if not any(job.kind == kind and dict(job.params) == params for job in jobs.list_jobs(project, active=True)):
        jobs.submit(project, kind, params, author=curator.name())


def show_jobs(project: Project, kinds: Collection[str]) -> None:
    """Show the jobs of these kinds while any runs; the page starts again when the last of them ends."""
    relevant = [job for job in jobs.list_jobs(project) if job.kind in kinds]
    running = [job for job in relevant if not job.is_over]
    seen = session.state().setdefault("jobs-seen", {})
    for job in running:
        seen[project.path.name, job.job_id] = job.attempt
    if running:
        _watch(project, tuple(job.job_id for job in running))
    elif relevant:
        _ended(project, relevant[0], (project.path.name, relevant[0].job_id) in seen)


@st.fragment(run_every=0.4)
@guarded
def _watch(project: Project, job_ids: tuple[int, ...]) -> None:
    current = [jobs.get(project, job_id) for job_id in job_ids]
    if all(job.is_over for job in current):
        st.rerun()
    for job in current:
        if not job.is_over:
            _bar(project, job)


def _bar(project: Project, job: JobRecord) -> None:
    with st.container(key=f"job-{job.job_id}", border=True, horizontal=True, vertical_alignment="center"):
        stage = job.stage or ("waiting for its turn" if job.state == "queued" else "starting")
        left = "" if job.seconds_left is None else f" · about {duration(job.seconds_left)} left"
        st.progress(min(max(job.fraction, 0.0), 1.0), text=f"**{_NAMES.get(job.kind, job.kind)}**: {md(stage)}{left}")
        stopping = job.cancel_requested_at is not None
        cancel = acting(lambda: jobs.cancel(project, job.job_id, wait=False, by=curator.name()))
        word = "Stopping…" if stopping else "Cancel"
        may = offered(project, "stop", disabled=stopping)
        st.button(word, key=f"cancel-{job.job_id}", on_click=cancel, **may)


def _ended(project: Project, job: JobRecord, was_watched: bool) -> None:
    """Say how the newest job ended, if that was not well."""
    dismissed: set[tuple[int, int]] = session.state().setdefault("jobs-dismissed", set())
    if job.state == "done" or (job.job_id, job.attempt) in dismissed or not (was_watched or job.state == "failed"):
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        if job.state == "failed":
            st.error(f"{_NAMES.get(job.kind, job.kind)} failed. {told(job.message)}")
        else:
            st.info(f"{_NAMES.get(job.kind, job.kind)} was cancelled. Nothing was changed.")
        again = acting(lambda: jobs.rerun(project, job.job_id, by=curator.name()))
        st.button(
            "Run again", key=f"again-{job.job_id}", on_click=again, **offered(project, JOBS.get(job.kind, "texts"))
        )
        dismiss = acting(lambda: dismissed.add((job.job_id, job.attempt)))
        st.button("Dismiss", key=f"dismiss-{job.job_id}", on_click=dismiss)


def duration(seconds: float) -> str:
    """Say how long something takes, as roughly as it is known."""
    if seconds < 5:
        return "a moment"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
