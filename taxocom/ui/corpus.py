"""The Corpus & seed page: a new project, or the texts and the tree of one that is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from taxocom import jobs
from taxocom.errors import InputError
from taxocom.store import Project, create_project
from taxocom.store.batches import list_batches
from taxocom.text.corpus import Corpus
from taxocom.text.languages import language_name
from taxocom.text.vocabulary import PHRASE_JOINER, display
from taxocom.ui import access, batches_view, corpus_picker, curator, jobs_view, session
from taxocom.ui.acting import acting
from taxocom.ui.forms import Button, Field, Part, form
from taxocom.ui.overview import Overview
from taxocom.ui.plain import count, md
from taxocom.ui.seed_editor import ask_for_seed, editor, given_seed, preflight, show_problems
from taxocom.ui.telling import told

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
        st.caption("It may be partial, and you can change it later. What is missing is what the expansion looks for.")
        document = ask_for_seed("new-seed")
        if document:
            show_problems(document)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Make the project", type="primary", key="make", on_click=acting(_make))
        if missing := _missing(name, picked is not None, document is not None):
            st.caption(f"Still missing: {', '.join(missing)}.")


def _missing(name: str | None, has_texts: bool, has_topics: bool) -> list[str]:
    wanted = (("a name", bool(name and name.strip())), ("texts", has_texts), ("at least one topic", has_topics))
    return [word for word, is_there in wanted if not is_there]


def _make() -> None:
    """Make the project from what the fields hold now: the page that the button was drawn on may be older."""
    name, picked, document = session.fields().get("new-name"), corpus_picker.picked("new"), given_seed("new-seed")
    if picked is None or document is None or not (name and name.strip()):
        missing = _missing(name, picked is not None, document is not None)
        raise InputError(f"Still missing: {', '.join(missing)}.")
    project = create_project(name, seed=document.taxonomy, author=curator.name())
    jobs_view.submit(project, "index", picked.index_params(project))
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
        _language(project, corpus)
        _phrases(project, corpus)
        _to_be_read_anew(project)
        batches_view.show(project)
    is_first = not project.has_corpus
    with st.expander("Choose the texts" if is_first else "Replace all texts", expanded=is_first):
        if not corpus_picker.pick("replace"):
            return
        if is_first:
            st.button("Read them", type="primary", key="read", on_click=acting(partial(_read, project)))
        else:
            batches_view.ask_to_replace(project, partial(_read, project))


def _read(project: Project) -> None:
    picked = corpus_picker.picked("replace")
    if picked is None:
        raise InputError("There are no texts to read. Choose a file first.")
    replace(reading_wishes(project), language=picked.language).keep(project)
    jobs_view.submit(project, "index", picked.index_params(project))


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
    with st.expander("Phrases that were found"):
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
        st.caption(f"{count(len(found), 'phrase')}, most frequent first. Select those that are none.")
        _own_wishes(project, wishes)
        drop = acting(lambda: reading_wishes(project).without(chosen).keep(project))
        st.button(f"Drop {count(len(chosen), 'phrase')}", key="drop-phrases", disabled=not chosen, on_click=drop)
        missing = Field("phrase", "Keep a phrase that is missing", required=True)
        form(
            f"keep-phrase-{project.path.name}",
            Part("keep", [missing], [Button("keep", "Keep it")], layout="line"),
            on_submit=lambda sent: reading_wishes(project).with_phrase(sent.text("phrase")).keep(project),
        )


def _language(project: Project, corpus: Corpus) -> None:
    """Show the language that the texts were read in, and let another be chosen."""
    wishes, report = reading_wishes(project), corpus.language_report
    told = "As detected" if report.chosen else report.said()
    key = f"language-{corpus.fingerprint}"
    # What is chosen here can be taken back below, and a field that has a key looks at its own state alone.
    st.session_state[key] = wishes.language or ""
    corpus_picker.choose_language(told, wishes.language, key, acting(partial(_keep_language, project, key)))
    if report.chosen and report.is_doubtful:
        st.caption(f"{md(report.said())}. Is that right?")
    elif report.is_doubtful:
        st.caption("Not nearly all documents look like one language. If it is another, choose it.")
    if not report.has_stop_words:
        st.caption(f"We know no stop words of {md(report.name)}: words that say nothing may become terms.")


def _keep_language(project: Project, key: str) -> None:
    replace(reading_wishes(project), language=corpus_picker.chosen_language(key)).keep(project)


def _to_be_read_anew(project: Project) -> None:
    """Where a person wishes the texts read otherwise than they were, offer to read them again."""
    wishes, in_use = reading_wishes(project), _in_use(project)
    if wishes == in_use or batches_view.is_busy(project):
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="wishes"):
        st.markdown(f"**To be read anew.** {wishes.difference(in_use)}. Topics are expanded again after that.")
        again = acting(partial(_read_again, project))
        st.button("Read the texts again", key="read-again", type="primary", on_click=again)
        leave = acting(lambda: in_use.keep(project))
        st.button("Leave them as they are", key="forget-wishes", on_click=leave)


def _read_again(project: Project) -> None:
    last = _last_reading(project)
    settings = {**(last.get("settings") or {}), **reading_wishes(project).as_settings()}
    if list_batches(project):
        # The file that was read first lacks what was added since.
        jobs_view.submit(project, "read-again", {"settings": settings})
        return
    access.refuse_foreign_path(project, last["source"])
    jobs_view.submit(project, "index", {**last, "settings": settings})


def _own_wishes(project: Project, wishes: ReadingWishes) -> None:
    """Show what was kept and dropped by hand, each with the way back."""
    for word, phrases in (("Kept", wishes.kept), ("Dropped", wishes.dropped)):
        if not phrases:
            continue
        with st.container(key=f"wishes-{word.lower()}", horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(f"{word} by hand; a click takes it back:", width="content")
            for phrase in phrases:
                back = acting(partial(_take_back, project, phrase))
                st.button(md(phrase), key=f"take-back-{word}-{phrase}", help="Take it back", on_click=back)


def _take_back(project: Project, phrase: str) -> None:
    reading_wishes(project).leaving_alone(phrase).keep(project)


@dataclass(frozen=True)
class ReadingWishes:
    """What a person wants when the texts are read next: phrases kept and dropped, and the language if not as told."""

    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    language: str | None = None

    def without(self, phrases: Sequence[str]) -> ReadingWishes:
        """Drop phrases; one that was to be kept no longer is."""
        kept = tuple(phrase for phrase in self.kept if phrase not in phrases)
        return replace(self, kept=kept, dropped=tuple(dict.fromkeys([*self.dropped, *phrases])))

    def with_phrase(self, phrase: str) -> ReadingWishes:
        """Keep a phrase; if it was to be dropped it no longer is."""
        phrase = " ".join(phrase.split())
        dropped = tuple(other for other in self.dropped if other != phrase)
        return replace(self, kept=tuple(dict.fromkeys([*self.kept, phrase])), dropped=dropped)

    def leaving_alone(self, phrase: str) -> ReadingWishes:
        """Neither keep nor drop a phrase: what the texts say of it counts again."""
        kept, dropped = (tuple(other for other in each if other != phrase) for each in (self.kept, self.dropped))
        return replace(self, kept=kept, dropped=dropped)

    def difference(self, in_use: ReadingWishes) -> str:
        """Say, as Markdown, what reading the texts by these wishes and not by those in use would change."""
        gone = [phrase for phrase in (*in_use.kept, *in_use.dropped) if phrase not in (*self.kept, *self.dropped)]
        language = language_name(self.language) if self.language else "as detected"
        said = (
            ("Language", [language] if self.language != in_use.language else []),
            ("Keep", [phrase for phrase in self.kept if phrase not in in_use.kept]),
            ("Drop", [phrase for phrase in self.dropped if phrase not in in_use.dropped]),
            ("As the texts have it", gone),
        )
        return ". ".join(f"{word}: {', '.join(map(md, phrases))}" for word, phrases in said if phrases)

    def as_settings(self) -> dict[str, Any]:
        """Return the settings of a job that reads the texts."""
        phrases = {"kept_phrases": list(self.kept), "dropped_phrases": list(self.dropped)}
        return {**phrases, "language": self.language}

    def keep(self, project: Project) -> None:
        """Note the wishes in the project."""
        project.set_about(phrase_wishes=self.as_settings())


def reading_wishes(project: Project) -> ReadingWishes:
    """Return the wishes noted in a project; where none is, those that its texts were read by."""
    in_use = _in_use(project)
    noted = project.about().get("phrase_wishes")
    return in_use if noted is None else _wishes({"language": in_use.language, **noted})


def _wishes(plain: Any) -> ReadingWishes:
    noted = plain or {}
    kept, dropped = (tuple(noted.get(name) or ()) for name in ("kept_phrases", "dropped_phrases"))
    return ReadingWishes(kept, dropped, noted.get("language"))


def _last_reading(project: Project) -> dict[str, Any]:
    """Return how the texts were read last: the job's parameters, or what was noted with them if no job did it."""
    # A corpus that has grown says itself how it was read; the job that read its first texts may be older.
    for job in () if list_batches(project) else jobs.list_jobs(project):
        if job.kind == "index" and job.state == "done":
            return dict(job.params)
    details: Any = getattr(project.used_for("corpus"), "details", None) or {}
    reading = {"columns": None, "encoding": None, **(details.get("reading") or {})}
    return {"source": details.get("source", ""), **reading}


def _in_use(project: Project) -> ReadingWishes:
    return _wishes(_last_reading(project).get("settings"))
