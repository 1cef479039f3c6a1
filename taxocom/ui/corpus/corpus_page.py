"""The Corpus & seed page: a new project, or the texts and the tree of one that is there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from taxocom.errors import InputError
from taxocom.store import Project
from taxocom.store.projects.batches import list_batches
from taxocom.text.corpus import Corpus
from taxocom.text.terms.vocabulary import PHRASE_JOINER, display
from taxocom.ui.corpus import batches_view, corpus_picker
from taxocom.ui.corpus.seed_editor import ask_for_seed, editor, given_seed, preflight, show_problems
from taxocom.ui.runtime import access, session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md
from taxocom.ui.runtime.telling import told
from taxocom.ui.shared import curator, jobs_view
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.offering import offered, refusal
from taxocom.ui.shared.overview import Overview
from taxocom.workflow.new_project import begin_reading
from taxocom.workflow.reading_texts import ReadingWishes, other_texts, reading_wishes, same_texts, wishes_in_use

_PHRASES_SHOWN = 2000
_ROWS_AT_ONCE = 7


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
        st.caption("List the ones you know; you can change them later. The expansion looks for the missing ones.")
        document = ask_for_seed("new-seed")
        if document:
            show_problems(document)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Create the project", type="primary", key="make", on_click=acting(_make))
        if missing := _missing(name, picked is not None, document is not None):
            st.caption(f"Still missing: {', '.join(missing)}.")


def _missing(name: str | None, has_texts: bool, has_topics: bool) -> list[str]:
    wanted = (("a name", bool(name and name.strip())), ("texts", has_texts), ("at least one topic", has_topics))
    return [word for word, is_there in wanted if not is_there]


def _make() -> None:
    """Create the project from what the fields hold now: the page that the button was drawn on may be older."""
    name, picked, document = session.fields().get("new-name"), corpus_picker.picked("new"), given_seed("new-seed")
    if picked is None or document is None or not (name and name.strip()):
        missing = _missing(name, picked is not None, document is not None)
        raise InputError(f"Still missing: {', '.join(missing)}.")
    project = begin_reading(name, document.taxonomy, picked.reading, author=curator.name(), owner=curator.owner())
    session.go_to("pages/corpus.py", **session.params(project))


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
            st.caption("The names are checked once the texts have been read.")
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
        _language(project, corpus)
        _phrases(project, corpus)
        _to_be_read_again(project)
        batches_view.show(project)
    is_first = not project.has_corpus
    with st.expander("Choose the texts" if is_first else "Replace all texts", expanded=is_first):
        if not corpus_picker.pick("replace"):
            return
        if is_first:
            st.button(
                "Read them",
                type="primary",
                key="read",
                on_click=acting(partial(_read, project)),
                **offered(project, "texts"),
            )
        else:
            batches_view.ask_to_replace(project, partial(_read, project))


def _read(project: Project) -> None:
    picked = corpus_picker.picked("replace")
    if picked is None:
        raise InputError("There are no texts to read. Choose a file first.")
    replace(reading_wishes(project), language=picked.language).keep(project, by=curator.name())
    jobs_view.submit(project, "index", other_texts(project, picked.reading(project)).as_parameters())


def _loading_report(project: Project) -> None:
    artifact = project.used_for("corpus")
    details: Any = getattr(artifact, "details", None) or {}
    loading = details.get("loading") or {}
    said = [
        f"{count(loading[key], one)} {verb}"
        for key, one, verb in (
            ("n_empty", "empty document", "left out"),
            ("n_duplicate", "duplicate", "left out"),
            ("n_unreadable", "file that cannot be read", "left out"),
            ("n_other_files", "file of another kind", "not looked at"),
            ("n_replaced_characters", "character", "could not be decoded"),
            ("n_renamed_ids", "id", "made unique"),
        )
        if loading.get(key)
    ]
    if details.get("source"):
        st.caption(f"From {told(details['source'])}. {'; '.join(said)}")


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
    """Show the phrases; let some be dropped and others be kept."""
    wishes = reading_wishes(project)
    with st.expander("Phrases that were found", key="found-phrases", on_change="rerun") as box:
        # A table of thousands of phrases takes the browser a while, and most people never open it.
        if not box.open:
            return
        table = _phrase_table(corpus.fingerprint, corpus)
        wanted = st.text_input("Find a phrase", key="find-phrase", placeholder="machine learning")
        found = table[table["phrase"].str.contains(wanted.strip(), regex=False)] if wanted else table
        shown = found.head(_PHRASES_SHOWN)
        selection: Any = st.dataframe(
            shown,
            hide_index=True,
            height=300 if len(shown) > _ROWS_AT_ONCE else "content",
            # What was dropped must not stay selected.
            key=f"phrases-{len(wishes.dropped)}",
            on_select="rerun",
            selection_mode="multi-row",
        )
        chosen = shown["phrase"].iloc[selection["selection"]["rows"]].tolist()
        st.caption(f"{count(len(found), 'phrase')}, most frequent first. Select the ones that are not phrases.")
        _own_wishes(project, wishes)
        drop = acting(lambda: reading_wishes(project).without(chosen).keep(project, by=curator.name()))
        may = offered(project, "texts", disabled=not chosen)
        st.button(f"Drop {count(len(chosen), 'phrase')}", key="drop-phrases", on_click=drop, **may)
        missing = Field("phrase", "Keep a phrase that is missing", required=True)
        form(
            f"keep-phrase-{project.path.name}",
            Part("keep", [missing], [Button("keep", "Keep it")], layout="line", refused=refusal(project, "texts")),
            on_submit=partial(_keep_phrase, project),
        )


def _keep_phrase(project: Project, sent: Submitted) -> None:
    reading_wishes(project).with_phrase(sent.text("phrase")).keep(project, by=curator.name())


def _language(project: Project, corpus: Corpus) -> None:
    """Show the language that the texts were read in, and let another be chosen."""
    wishes, report = reading_wishes(project), corpus.language_report
    told = "As detected" if report.chosen else report.said()
    key = f"language-{corpus.fingerprint}"
    # What is chosen here can be taken back below, and a field that has a key looks at its own state alone.
    st.session_state[key] = wishes.language or ""
    keep = acting(partial(_keep_language, project, key))
    corpus_picker.choose_language(told, wishes.language, key, keep, refusal(project, "texts"))
    if report.chosen and report.is_doubtful:
        st.caption(f"{md(report.said())}. Is that right?")
    elif report.is_doubtful:
        st.caption("The documents seem to be in several languages. If this is not the main one, choose another.")
    if not report.has_stop_words:
        st.caption(f"There is no stop word list for {md(report.name)}, so very common words may become terms.")


def _keep_language(project: Project, key: str) -> None:
    replace(reading_wishes(project), language=corpus_picker.chosen_language(key)).keep(project, by=curator.name())


def _to_be_read_again(project: Project) -> None:
    """If a person wants the texts read in another way than they were, offer to read them again."""
    wishes, in_use = reading_wishes(project), wishes_in_use(project)
    if wishes == in_use or batches_view.is_busy(project):
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="wishes"):
        changes = wishes.difference(in_use).items()
        said = ". ".join(f"{heading}: {', '.join(map(md, phrases))}" for heading, phrases in changes)
        st.markdown(f"**The texts have to be read again.** {said}. After that, expand the topics again.")
        again = acting(partial(_read_again, project))
        st.button("Read the texts again", key="read-again", type="primary", on_click=again, **offered(project, "texts"))
        leave = acting(lambda: in_use.keep(project, by=curator.name()))
        st.button("Discard these changes", key="forget-wishes", on_click=leave, **offered(project, "texts"))


def _read_again(project: Project) -> None:
    reading = same_texts(project)
    if list_batches(project):
        # The file that was read first lacks what was added since.
        jobs_view.submit(project, "read-again", {"settings": reading.settings})
        return
    access.refuse_foreign_path(project, reading.source)
    jobs_view.submit(project, "index", reading.as_parameters())


def _own_wishes(project: Project, wishes: ReadingWishes) -> None:
    """Show what was kept and dropped by hand, each with the way back."""
    for word, phrases in (("Kept", wishes.kept), ("Dropped", wishes.dropped)):
        if not phrases:
            continue
        with st.container(key=f"wishes-{word.lower()}", horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(f"{word} by hand. Click one to take it back:", width="content")
            for phrase in phrases:
                back = acting(partial(_take_back, project, phrase))
                may = offered(project, "texts", told="Take it back")
                st.button(md(phrase), key=f"take-back-{word}-{phrase}", on_click=back, **may)


def _take_back(project: Project, phrase: str) -> None:
    reading_wishes(project).leaving_alone(phrase).keep(project, by=curator.name())
