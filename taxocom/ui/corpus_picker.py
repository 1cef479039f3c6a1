"""Choosing a corpus: a file uploaded or on this machine, which column is what, and how its first documents read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from taxocom.errors import InputError, TaxocomError
from taxocom.store import Project
from taxocom.text.columns import Columns
from taxocom.text.detection import detect_language
from taxocom.text.languages import LANGUAGES, LanguageReport, language_name
from taxocom.text.loading import CorpusSource, sniff
from taxocom.ui import access, session
from taxocom.ui.plain import md
from taxocom.ui.telling import told

_NONE, _DETECTED = "(none)", ""
_ONE_COLUMN = {"id": "Id", "title": "Title", "label": "Topic label", "date": "Date"}
_PREVIEW = 5
_SHOWN_CHARACTERS = 280
_LOOKED_AT = 100


@dataclass(frozen=True)
class PickedCorpus:
    """A corpus that can be read, the columns to read it by (None where it has none), and its language if chosen."""

    path: Path
    columns: Columns | None
    uploaded: bool
    language: str | None = None

    def index_params(self, project: Project) -> dict[str, Any]:
        """Return the parameters of the job that indexes it; an upload is kept with the project first."""
        path = self.path
        if self.uploaded:
            kept = project.put_bytes(path.read_bytes(), "upload", extension=_extension(path))
            path = project.artifact_path(kept.name)
        columns = asdict(self.columns) if self.columns else None
        settings = {"language": self.language} if self.language else None
        return {"source": str(path), "columns": columns, "encoding": None, "settings": settings}


def pick(key: str) -> PickedCorpus | None:
    """Ask for a corpus; return it once its documents can be read."""
    file, typed = _asked(key)
    if file is None and not (typed and typed.strip()):
        return None
    try:
        path = _kept(file) if file is not None else _typed(typed or "")
        source = sniff(path)
        columns = _columns(source, key)
        language = _language(source, columns, key)
        _preview(source, columns)
    except TaxocomError as error:
        st.error(told(error))
        return None
    return PickedCorpus(path, columns, file is not None, language)


def picked(key: str) -> PickedCorpus | None:
    """Return the corpus that the fields of `pick` name, None if they name none; for handlers."""
    given = session.fields()
    file, typed = given.get(f"{key}-file"), given.get(f"{key}-path")
    if file is None and not (typed and typed.strip()):
        return None
    path = _kept(file) if file is not None else _typed(str(typed))
    source = sniff(path)
    columns = source.columns if source.available else None
    if columns is not None:
        chosen = {name: given.get(_field(key, name, source), getattr(columns, name)) for name in ("text", *_ONE_COLUMN)}
        one = {name: None if chosen[name] == _NONE else chosen[name] for name in _ONE_COLUMN}
        columns = Columns(tuple(chosen["text"]), **one)
    return PickedCorpus(path, columns, file is not None, chosen_language(_field(key, "language", source)))


def _field(key: str, name: str, source: CorpusSource) -> str:
    return f"{key}-{name}-{source.path}"


def choose_language(
    detected: str, chosen: str | None, key: str, on_change: Callable[[], None] | None = None
) -> str | None:
    """Ask for the language of texts; None is the one that is detected, `detected` in words."""
    options = list(dict.fromkeys([_DETECTED, chosen or _DETECTED, *LANGUAGES]))
    given = st.selectbox(
        "Language of the texts",
        options,
        format_func=lambda code: language_name(code) if code else detected,
        key=key,
        on_change=on_change,
        width=380,
        help="It tells which words are too common to be a term, and how names are found in the plural.",
    )
    return given or None


def chosen_language(key: str) -> str | None:
    """Return the language that was chosen under a key, None if it is as detected; for handlers."""
    return session.fields().get(key) or None


def _language(source: CorpusSource, columns: Columns | None, key: str) -> str | None:
    changed = source.path.stat().st_mtime_ns
    report = _looks_like(str(source.path), changed, repr(columns), source, columns)
    return choose_language(report.said(), None, _field(key, "language", source))


@st.cache_data(max_entries=16, show_spinner="Telling the language…")
def _looks_like(
    path: str,  # noqa: ARG001
    changed: int,  # noqa: ARG001
    read_by: str,  # noqa: ARG001
    _source: CorpusSource,
    _columns: Columns | None,
) -> LanguageReport:
    """Tell the language of the first documents; all are asked when the texts are read."""
    return detect_language([document.text for document in islice(_source.documents(_columns), _LOOKED_AT)])


def _typed(text: str) -> Path:
    try:
        return Path(text.strip()).expanduser()
    except RuntimeError as error:
        raise InputError(f"{text.strip()}: {error}. Write the whole path.") from error


def _asked(key: str) -> tuple[UploadedFile | None, str | None]:
    """Ask for a file to upload, or for a path where those are the person's own."""

    def upload() -> UploadedFile | None:
        return st.file_uploader(
            "CSV, TSV, JSONL, Parquet, plain text with a document a line, or a zip of .txt files; gz and xz too",
            key=f"{key}-file",
        )

    if not access.is_personal():
        return upload(), None
    uploading, on_disk = st.tabs(["Upload a file", "A path on this machine"], key=f"{key}-way")
    with uploading:
        file = upload()
    with on_disk:
        typed = st.text_input(
            "File or folder", key=f"{key}-path", placeholder="/data/articles.csv", help="Read in place, not copied."
        )
    return file, typed


def _kept(file: UploadedFile) -> Path:
    """Write an upload where the readers can see it; it goes with the session."""
    return session.uploads().keep(file.file_id, file.name, file.getbuffer())


def _extension(path: Path) -> str:
    """Return what the name ends in, as far as an artifact may be called so: what a file is is read from its bytes."""
    return ".".join(part for part in path.name.lower().split(".")[1:][-2:] if re.fullmatch("[a-z0-9]{1,16}", part))


def _columns(source: CorpusSource, key: str) -> Columns | None:
    if not source.available or source.columns is None:
        return None
    guess, available = source.columns, list(source.available)
    st.caption(f"Read as {source.format.value}, {md(source.encoding)}. Which column is what?")
    parts = st.columns(5)
    text = parts[0].multiselect("Text", available, list(guess.text), key=_field(key, "text", source))

    def one(part: DeltaGenerator, name: str) -> str | None:
        options, guessed = [_NONE, *available], getattr(guess, name)
        index = options.index(guessed) if guessed in options else 0
        chosen = part.selectbox(_ONE_COLUMN[name], options, index, key=_field(key, name, source))
        return None if chosen == _NONE else chosen

    chosen = {name: one(part, name) for name, part in zip(_ONE_COLUMN, parts[1:], strict=True)}
    return Columns(tuple(text), **chosen)


def _preview(source: CorpusSource, columns: Columns | None) -> None:
    documents = source.preview(_PREVIEW, columns)
    rows = [
        {
            "id": d.document_id,
            "title": d.title,
            "text": d.text[:_SHOWN_CHARACTERS] + ("…" if len(d.text) > _SHOWN_CHARACTERS else ""),
            "label": " / ".join(d.labels),
            "date": d.date,
        }
        for d in documents
    ]
    frame = pd.DataFrame(rows)
    shown = frame.loc[:, [column for column in frame if column in ("id", "text") or frame[column].any()]]
    st.dataframe(shown, hide_index=True, row_height=54, alt="The first documents as they would be read")
