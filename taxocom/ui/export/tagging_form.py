"""*Tag texts*: give the texts of a file their topics, look at twenty, take all of them home."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from taxocom.errors import InputError, TaxocomError
from taxocom.jobs.text_jobs import TAGGED
from taxocom.reading.files import look_at_corpus
from taxocom.store import Project
from taxocom.store.projects.batches import columns_of
from taxocom.store.projects.project_tagger import project_tagger
from taxocom.store.projects.tagged_files import TaggedText, TaggingWishes, tag_documents
from taxocom.store.projects.text_tagger import LEAST, Tagger
from taxocom.text.input.columns import Columns
from taxocom.text.input.documents import Document
from taxocom.ui.corpus import corpus_picker
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.runtime.telling import told
from taxocom.ui.shared import jobs_view
from taxocom.ui.shared.offering import offered
from taxocom.ui.shared.thinking import show_when_known

_PREVIEWED = 20
_READ_CHARACTERS = 50_000
_TERMS = 5
_SHOWN_CHARACTERS = 160
_TYPES = {"CSV": ".csv", "JSON lines": ".jsonl", "Parquet": ".parquet"}
_MEDIA = {".csv": "text/csv", ".jsonl": "application/jsonl", ".parquet": "application/vnd.apache.parquet"}


def show(project: Project, release: str | None, command: Callable[[str], str]) -> None:
    """Offer the tagger as a file, and to tag a file here."""
    st.subheader("Tag texts", anchor=False)
    st.caption(
        "Give texts the topics of this taxonomy without adding them to the project. To do this elsewhere, take the "
        "tagger."
    )
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="format-tagger"):
        with st.container(gap=None):
            st.markdown("**Tagger**")
            st.caption("One file that tags texts without the project and its texts: `taxocom tag`, or `Tagger.load`.")
        st.download_button(
            "Download the tagger",
            lambda: project_tagger(project, release=release).to_bytes(),
            "tagger.zip",
            "application/zip",
            on_click="ignore",
            key="get-tagger",
        )
        with st.popover("Command", type="tertiary"):
            st.code(command("tagger.zip"), language="bash")
    jobs_view.show_jobs(project, ("tag",))
    picked = corpus_picker.pick("tag", to_index=False, remembered=columns_of(project))
    wishes = _wishes()
    if picked is not None:
        name = f"tagger of {release}"
        show_when_known(
            project,
            name,
            lambda: project_tagger(project, release=release),
            lambda tagger: _preview(tagger, picked.path, picked.columns, wishes),
            "Fitting the tagger…",
        )
        start = acting(lambda: _start(project, release))
        busy = jobs_view.is_running(project, "tag")
        st.button(
            "Tag all the texts", type="primary", key="tag-all", on_click=start, **offered(project, "tag", disabled=busy)
        )
    _result(project, release)


def _wishes() -> TaggingWishes:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(
            "Least probability",
            0.05,
            0.95,
            LEAST,
            0.05,
            key="tag-least",
            width=240,
            help="Topics less probable than this are left out.",
        )
        st.toggle("The likeliest topic alone", key="tag-primary")
        st.toggle("Terms that led to each topic", key="tag-terms")
        st.selectbox("File", list(_TYPES), key="tag-type", width=140)
    return _wished()


def _wished() -> TaggingWishes:
    """Return what the fields ask for; also for handlers."""
    given = session.fields()
    least = float(given.get("tag-least") or LEAST)
    return TaggingWishes(least, bool(given.get("tag-primary")), _TERMS if given.get("tag-terms") else 0)


def _start(project: Project, release: str | None) -> None:
    picked = corpus_picker.picked("tag", remembered=columns_of(project))
    if picked is None:
        raise InputError("There are no texts to tag. Choose a file first.")
    wishes = _wished()
    suffix = _TYPES[str(session.fields().get("tag-type") or "CSV")]
    params: dict[str, Any] = {
        **picked.reading(project).as_parameters(),
        "name": f"tagged{suffix}",
        "release": release,
        "least": wishes.least,
        "primary": wishes.primary,
        "n_terms": wishes.n_terms,
    }
    jobs_view.submit(project, "tag", params)


def _preview(tagger: Tagger, path: Path, columns: Columns | None, wishes: TaggingWishes) -> None:
    try:
        documents = look_at_corpus(path, columns=columns, n_shown=_PREVIEWED, n_characters=_READ_CHARACTERS).documents
    except TaxocomError as error:
        st.error(told(error))
        return
    tagged = list(tag_documents(tagger, documents, wishes))
    rows = [_row(document, text, wishes) for document, text in zip(documents, tagged, strict=True)]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="tagged-preview", alt="The first texts with their topics")
    nowhere = sum(text.fits_nowhere for text in tagged)
    st.caption(f"The first {count(len(rows), 'text')}. {nowhere} of them fit no topic well.")


def _row(document: Document, text: TaggedText, wishes: TaggingWishes) -> dict[str, str]:
    body = " ".join((document.title or document.text).split())
    shown = {
        "id": document.document_id,
        "text": body[:_SHOWN_CHARACTERS] + ("…" if len(body) > _SHOWN_CHARACTERS else ""),
        "topics": "; ".join(f"{' / '.join(topic.path)} ({topic.probability:.0%})" for topic in text.topics),
        "fits": "nowhere" if text.fits_nowhere else "",
    }
    if wishes.n_terms:
        shown["terms"] = "; ".join(", ".join(topic.terms) for topic in text.topics)
    return shown


def _result(project: Project, release: str | None) -> None:
    """Offer the file that was made last."""
    artifact = project.used_for(TAGGED)
    if artifact is None or jobs_view.is_running(project, "tag"):
        return
    facts, path = artifact.details, project.artifact_path(artifact.name)
    name = str(facts.get("name", "tagged.csv"))
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="tagged"):
        with st.container(gap=None):
            st.markdown(f"**{md(name)}**: {count(int(facts.get('n_texts', 0)), 'text')}")
            st.caption(
                f"{int(facts.get('n_without_topic', 0)):,} without a topic that is probable enough, "
                f"{int(facts.get('n_nowhere', 0)):,} fit nowhere. Made {artifact.created_at[:16].replace('T', ' ')}."
            )
        st.download_button(
            "Download",
            path.read_bytes,
            name,
            _MEDIA.get(path.suffix, "application/octet-stream"),
            type="primary",
            on_click="ignore",
            key="get-tagged",
        )
        words = ["taxocom", "tag", shlex.quote(project.name), "FILE", "--out", name]
        with st.popover("Command", type="tertiary"):
            st.code(" ".join([*words, *([f"--release {shlex.quote(release)}"] if release else [])]), language="bash")
