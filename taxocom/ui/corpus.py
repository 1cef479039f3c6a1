"""The Corpus & seed page: a new project, or the texts and the tree of one that is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from taxocom.store import Project, create_project
from taxocom.text.corpus import Corpus
from taxocom.text.vocabulary import PHRASE_JOINER, display
from taxocom.ui import corpus_picker, curator, jobs_view, session
from taxocom.ui.overview import Overview
from taxocom.ui.plain import count, md
from taxocom.ui.seed_editor import ask_for_seed, editor, preflight, show_problems

_PHRASES_SHOWN = 2000


def new_project() -> None:
    """Ask for a name, texts and a tree; the project is made when there is a name and texts."""
    st.title("New project", anchor=False)
    left, right = st.columns([1.25, 1], gap="large")
    with left:
        name = st.text_input("Name", key="new-name", placeholder="for example Newspaper archive")
        st.subheader("Texts", anchor=False)
        picked = corpus_picker.pick("new")
    with right:
        st.subheader("The topics you know", anchor=False)
        st.caption("It may be partial, and you can change it later. What is missing is what the expansion looks for.")
        document = ask_for_seed("new-seed")
        if document:
            show_problems(document)
    missing = [
        word
        for word, there in (("a name", name and name.strip()), ("texts", picked), ("at least one topic", document))
        if not there
    ]
    with st.container(horizontal=True, vertical_alignment="center"):
        made = st.button("Make the project", type="primary", key="make", disabled=bool(missing))
        if missing:
            st.caption(f"Still missing: {', '.join(missing)}.")
    if made and picked and document:
        project = create_project(name, seed=document.taxonomy, author=curator.name())
        jobs_view.submit(project, "index", picked.index_params(project))
        st.switch_page("pages/corpus.py", query_params=session.params(project))


def show(project: Project, overview: Overview) -> None:
    """Show the corpus and the tree of a project, with the pre-flight beside."""
    with st.container(key="corpus-head", horizontal=True, vertical_alignment="center"):
        st.title("Corpus & seed", anchor=False)
        if project.has_corpus and len(overview.tree):
            st.page_link(
                "pages/expand.py", label="Go on to Expand", query_params=session.params(project), icon=":material/map:"
            )
    jobs_view.show_jobs(project, ("index",))
    left, right = st.columns([1.5, 1], gap="large")
    with left:
        st.subheader("The tree you start from", anchor=False)
        editor(project, overview)
    with right:
        st.subheader("Does it fit the texts?", anchor=False)
        if project.has_corpus:
            preflight(project)
        else:
            st.caption("The names are matched as soon as the texts have been read.")
    st.divider()
    _corpus(project)


def _corpus(project: Project) -> None:
    st.subheader("Texts", anchor=False)
    if project.has_corpus:
        corpus = project.corpus()
        vocabulary = corpus.vocabulary
        n_phrases = sum(PHRASE_JOINER in term for term in vocabulary.terms)
        facts = [
            ("Documents", corpus.n_documents),
            ("Words read", corpus.n_tokens),
            ("Terms", len(vocabulary)),
            ("Phrases among them", n_phrases),
        ]
        for column, (label, number) in zip(st.columns(4), facts, strict=True):
            column.metric(label, f"{number:,}")
        _loading_report(project)
        _phrases(project, corpus)
    with st.expander("Read other texts" if project.has_corpus else "Choose the texts", expanded=not project.has_corpus):
        picked = corpus_picker.pick("replace")
        if picked and st.button("Read them", type="primary", key="read"):
            jobs_view.submit(project, "index", picked.index_params(project))
            st.rerun()


def _loading_report(project: Project) -> None:
    artifact = project.used_for("corpus")
    details: Any = getattr(artifact, "details", None) or {}
    loading = details.get("loading") or {}
    said = [
        f"{count(loading[key], one)} {verb}"
        for key, one, verb in (
            ("n_empty", "empty document", "left out"),
            ("n_duplicate", "duplicate", "left out"),
            ("n_replaced_characters", "character", "could not be decoded"),
            ("n_renamed_ids", "id", "made unique"),
        )
        if loading.get(key)
    ]
    if details.get("source"):
        st.caption(f"From {md(details['source'])}. {'; '.join(said)}")


@st.cache_data(max_entries=4, show_spinner=False)
def _phrase_table(fingerprint: str, _corpus: Corpus) -> pd.DataFrame:  # noqa: ARG001
    vocabulary = _corpus.vocabulary
    rows = np.array([i for i, term in enumerate(vocabulary.terms) if PHRASE_JOINER in term], dtype=np.int64)
    return pd.DataFrame(
        {
            "phrase": [display(vocabulary.terms[i]) for i in rows],
            "times": vocabulary.counts[rows],
            "documents": vocabulary.document_frequencies[rows],
            "integrity": vocabulary.integrity[rows].round(2),
        }
    )


def _phrases(project: Project, corpus: Corpus) -> None:
    with st.expander("Phrases that were found"):
        table = _phrase_table(corpus.fingerprint, corpus)
        wanted = st.text_input("Find a phrase", key="find-phrase", placeholder="machine learning")
        shown = table[table["phrase"].str.contains(wanted.strip(), regex=False)] if wanted else table
        st.dataframe(shown.head(_PHRASES_SHOWN), hide_index=True, height=320, key=f"phrases-{project.path.name}")
        st.caption(f"{count(len(shown), 'phrase')}, most frequent first.")
