"""Choosing a corpus: a file uploaded or on this machine, which column is what, and how its first documents read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from taxocom.errors import TaxocomError
from taxocom.reading.files import look_at_corpus
from taxocom.reading.readers import CorpusLook
from taxocom.store import Project
from taxocom.store.projects.corpus_reading import CorpusReading
from taxocom.text.input.columns import Columns
from taxocom.text.input.opening import is_pattern
from taxocom.text.language.languages import LANGUAGES, language_name
from taxocom.ui.runtime import access, session
from taxocom.ui.runtime.safe_text import md
from taxocom.ui.runtime.telling import told

_NONE, _DETECTED = "(none)", ""
_ONE_COLUMN = {"id": "Id", "title": "Title", "label": "Topic label", "date": "Date"}
_SHOWN_CHARACTERS = 280


@dataclass(frozen=True)
class PickedCorpus:
    """A corpus that can be read, the columns to read it by (None where it has none), and its language if chosen."""

    path: Path
    columns: Columns | None
    uploaded: bool
    language: str | None = None
    skip_unreadable: bool = False

    def reading(self, project: Project) -> CorpusReading:
        """Return how to read it; an upload is kept with the project first."""
        path = self.path
        if self.uploaded:
            kept = project.put_bytes(path.read_bytes(), "upload", extension=_extension(path))
            path = project.artifact_path(kept.name)
        columns = asdict(self.columns) if self.columns else None
        settings = {"language": self.language} if self.language else None
        return CorpusReading(str(path), columns, settings=settings, skip_unreadable=self.skip_unreadable)


def pick(key: str, *, to_index: bool = True, remembered: Mapping[str, Any] | None = None) -> PickedCorpus | None:
    """Ask for a corpus; return it once its documents can be read.

    Where it is not `to_index` its language is known. `remembered` are the columns to begin with, where it has them.
    """
    file, typed = _asked(key)
    if file is None and not (typed and typed.strip()):
        return None
    try:
        path = _kept(file) if file is not None else access.typed_path(typed or "")
        skip = _skip_unreadable(path, key)
        look = _with_columns(_looked_at(path, skip=skip), remembered)
        columns = _columns(look, key)
        if columns != look.columns:
            look = _looked_at(path, columns)
        language = None
        if to_index:
            language = _language(look, key)
            _preview(look)
    except TaxocomError as error:
        st.error(told(error))
        return None
    return PickedCorpus(path, columns, file is not None, language, skip)


def _with_columns(look: CorpusLook, remembered: Mapping[str, Any] | None) -> CorpusLook:
    """Begin with the columns that other texts were read by, if all of them are there."""
    if not remembered or not look.available:
        return look
    columns = Columns(**{**remembered, "text": tuple(remembered["text"])})
    return _looked_at(look.path, columns) if set(columns.names) <= set(look.available) else look


def picked(key: str, *, remembered: Mapping[str, Any] | None = None) -> PickedCorpus | None:
    """Return the corpus that the fields of `pick` name, None if they name none; for handlers."""
    given = session.fields()
    file, typed = given.get(f"{key}-file"), given.get(f"{key}-path")
    if file is None and not (typed and typed.strip()):
        return None
    path = _kept(file) if file is not None else access.typed_path(str(typed))
    skip = bool(given.get(_skip_key(key, path)))
    look = _with_columns(_looked_at(path, skip=skip), remembered)
    columns = look.columns if look.available else None
    if columns is not None:
        chosen = {name: given.get(_field(key, name, look), getattr(columns, name)) for name in ("text", *_ONE_COLUMN)}
        one = {name: None if chosen[name] == _NONE else chosen[name] for name in _ONE_COLUMN}
        columns = Columns(tuple(chosen["text"]), **one)
    return PickedCorpus(path, columns, file is not None, chosen_language(_field(key, "language", look)), skip)


def _field(key: str, name: str, look: CorpusLook) -> str:
    return f"{key}-{name}-{look.path}"


def choose_language(
    detected: str, chosen: str | None, key: str, on_change: Callable[[], None] | None = None, refused: str = ""
) -> str | None:
    """Ask for the language of texts; None is the one that is detected, `detected` in words.

    `refused` says why this person may not choose it.
    """
    options = list(dict.fromkeys([_DETECTED, chosen or _DETECTED, *LANGUAGES]))
    given = st.selectbox(
        "Language of the texts",
        options,
        format_func=lambda code: language_name(code) if code else detected,
        key=key,
        on_change=on_change,
        width=380,
        help=refused or "The language decides which common words are left out, and how plurals are formed.",
        disabled=bool(refused),
    )
    return given or None


def chosen_language(key: str) -> str | None:
    """Return the language that was chosen under a key, None if it is as detected; for handlers."""
    return session.fields().get(key) or None


def _language(look: CorpusLook, key: str) -> str | None:
    """Ask for the language. It is told from the first documents here; all are asked when the texts are read."""
    detected = look.language.said() if look.language else ""
    return choose_language(detected, None, _field(key, "language", look))


def _skip_key(key: str, path: Path) -> str:
    return f"{key}-skip-{path}"


def _skip_unreadable(path: Path, key: str) -> bool:
    """Ask, of several files, whether those that cannot be read are left out."""
    several = path.is_dir() or path.suffix.lower() in (".zip", ".mbox") or is_pattern(path)
    return several and st.toggle(
        "Leave out files that cannot be read",
        key=_skip_key(key, path),
        help="They are counted. Otherwise reading stops at the first one, with a message that names it.",
    )


def _looked_at(path: Path, columns: Columns | None = None, *, skip: bool = False) -> CorpusLook:
    changed = 0.0
    with suppress(OSError, ValueError):
        changed = path.stat().st_mtime
    return _kept_look(str(path), changed, columns, skip)


# A change inside a folder does not show in the folder's time, so what is kept is not kept for long.
@st.cache_data(max_entries=16, ttl=30.0, show_spinner="Looking at the file…")
def _kept_look(
    path: str,
    changed: float,  # noqa: ARG001  # part of the key
    columns: Columns | None,
    skip: bool,
) -> CorpusLook:
    return look_at_corpus(Path(path), columns=columns, with_language=True, skip_unreadable=skip)


def _asked(key: str) -> tuple[UploadedFile | None, str | None]:
    """Ask for a file to upload, or for a path where those can be read."""

    def upload() -> UploadedFile | None:
        return st.file_uploader(
            "CSV, TSV, JSONL, Parquet, plain text with one document per line, PDF, Word, HTML, mail, or a zip of such "
            "documents; gz and xz too",
            key=f"{key}-file",
        )

    if not access.offers_paths():
        return upload(), None
    uploading, on_disk = st.tabs(["Upload a file", "A path on this machine"], key=f"{key}-way")
    with uploading:
        file = upload()
    with on_disk:
        typed = st.text_input(
            "File, folder or pattern",
            key=f"{key}-path",
            placeholder="/data/articles.csv or /data/reports/**/*.pdf",
            help="The file is read where it is, not copied.",
        )
    return file, typed


def _kept(file: UploadedFile) -> Path:
    """Write an upload where the readers can see it; it goes with the session."""
    return session.uploads().keep(file.file_id, file.name, file.getbuffer())


def _extension(path: Path) -> str:
    """Return what the name ends in, as far as an artifact may be called so: what a file is is read from its bytes."""
    return ".".join(part for part in path.name.lower().split(".")[1:][-2:] if re.fullmatch("[a-z0-9]{1,16}", part))


def _columns(look: CorpusLook, key: str) -> Columns | None:
    if not look.available or look.columns is None:
        return None
    guess, available = look.columns, list(look.available)
    st.caption(f"Read as {look.format.value}, {md(look.encoding)}. Which column holds what?")
    parts = st.columns(5)
    text = parts[0].multiselect("Text", available, list(guess.text), key=_field(key, "text", look))

    def one(part: DeltaGenerator, name: str) -> str | None:
        options, guessed = [_NONE, *available], getattr(guess, name)
        index = options.index(guessed) if guessed in options else 0
        chosen = part.selectbox(_ONE_COLUMN[name], options, index, key=_field(key, name, look))
        return None if chosen == _NONE else chosen

    chosen = {name: one(part, name) for name, part in zip(_ONE_COLUMN, parts[1:], strict=True)}
    return Columns(tuple(text), **chosen)


def _preview(look: CorpusLook) -> None:
    rows = [
        {
            "id": d.document_id,
            "title": d.title,
            "text": d.text[:_SHOWN_CHARACTERS] + ("…" if len(d.text) > _SHOWN_CHARACTERS else ""),
            "label": " / ".join(d.labels),
            "date": d.date,
        }
        for d in look.documents
    ]
    frame = pd.DataFrame(rows)
    shown = frame.loc[:, [column for column in frame if column in ("id", "text") or frame[column].any()]]
    st.dataframe(shown, hide_index=True, row_height=54, alt="The first documents as they would be read")
