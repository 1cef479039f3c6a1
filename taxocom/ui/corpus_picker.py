"""Choosing a corpus: a file uploaded or on this machine, which column is what, and how its first documents read."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from taxocom.errors import TaxocomError
from taxocom.reading.files import look_at_corpus
from taxocom.reading.readers import CorpusLook
from taxocom.store import Project, home
from taxocom.store.uploads import Uploads
from taxocom.text.columns import Columns
from taxocom.text.languages import LANGUAGES, language_name
from taxocom.ui import access
from taxocom.ui.plain import md
from taxocom.ui.telling import told

_NONE = "(none)"
_SHOWN_CHARACTERS = 280


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
        path = _kept(file) if file is not None else access.typed_path(typed or "")
        look = _looked_at(path)
        columns = _columns(look, key)
        if columns != look.columns:
            look = _looked_at(path, columns)
        language = _language(look, key)
        _preview(look)
    except TaxocomError as error:
        st.error(told(error))
        return None
    return PickedCorpus(path, columns, file is not None, language)


def choose_language(detected: str, chosen: str | None, key: str) -> str | None:
    """Ask for the language of texts; None is the one that is detected, `detected` in words."""
    options = [None, *LANGUAGES] if chosen in (None, *LANGUAGES) else [None, chosen, *LANGUAGES]
    return st.selectbox(
        "Language of the texts",
        options,
        options.index(chosen),
        format_func=lambda code: detected if code is None else language_name(code),
        key=key,
        width=380,
        help="It tells which words are too common to be a term, and how names are found in the plural.",
    )


def _language(look: CorpusLook, key: str) -> str | None:
    """Ask for the language. It is told from the first documents here; all are asked when the texts are read."""
    detected = look.language.said() if look.language else ""
    return choose_language(detected, None, f"{key}-language-{look.path}")


def _looked_at(path: Path, columns: Columns | None = None) -> CorpusLook:
    changed = 0.0
    with suppress(OSError, ValueError):
        changed = path.stat().st_mtime
    return _kept_look(str(path), changed, columns)


# A change inside a folder does not show in the folder's time, so what is kept is not kept for long.
@st.cache_data(max_entries=16, ttl=30.0, show_spinner="Looking at the file…")
def _kept_look(path: str, changed: float, columns: Columns | None) -> CorpusLook:  # noqa: ARG001  # part of the key
    return look_at_corpus(Path(path), columns=columns, with_language=True)


def _asked(key: str) -> tuple[UploadedFile | None, str | None]:
    """Ask for a file to upload, or for a path where those can be read."""

    def upload() -> UploadedFile | None:
        return st.file_uploader(
            "CSV, TSV, JSONL, Parquet, plain text with a document a line, or a zip of .txt files; gz and xz too",
            key=f"{key}-file",
        )

    if not access.offers_paths():
        return upload(), None
    uploading, on_disk = st.tabs(["Upload a file", "A path on this machine"], key=f"{key}-way")
    with uploading:
        file = upload()
    with on_disk:
        typed = st.text_input(
            "File or folder", key=f"{key}-path", placeholder="/data/articles.csv", help="Read in place, not copied."
        )
    return file, typed


@st.cache_resource(scope="session", show_spinner=False, on_release=Uploads.close)
def _uploads(home: str) -> Uploads:  # noqa: ARG001  # `home` is part of the key
    return Uploads()


def _kept(file: UploadedFile) -> Path:
    """Write an upload where the readers can see it; it goes with the session."""
    return _uploads(str(home())).keep(file.file_id, file.name, file.getbuffer())


def _extension(path: Path) -> str:
    """Return what the name ends in, as far as an artifact may be called so: what a file is is read from its bytes."""
    return ".".join(part for part in path.name.lower().split(".")[1:][-2:] if re.fullmatch("[a-z0-9]{1,16}", part))


def _columns(look: CorpusLook, key: str) -> Columns | None:
    if not look.available or look.columns is None:
        return None
    guess, available = look.columns, list(look.available)
    st.caption(f"Read as {look.format.value}, {md(look.encoding)}. Which column is what?")
    parts = st.columns(5)
    text = parts[0].multiselect("Text", available, list(guess.text), key=f"{key}-text-{look.path}")

    def one(place: int, label: str, guessed: str | None) -> str | None:
        options = [_NONE, *available]
        chosen = parts[place].selectbox(
            label, options, options.index(guessed) if guessed in options else 0, key=f"{key}-{label}-{look.path}"
        )
        return None if chosen == _NONE else chosen

    return Columns(
        tuple(text),
        id=one(1, "Id", guess.id),
        title=one(2, "Title", guess.title),
        label=one(3, "Topic label", guess.label),
        date=one(4, "Date", guess.date),
    )


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
