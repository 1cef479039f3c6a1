"""Choosing a corpus: a file uploaded or on this machine, which column is what, and how its first documents read."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from taxocom.errors import TaxocomError
from taxocom.store import Project
from taxocom.text.columns import Columns
from taxocom.text.loading import CorpusSource, sniff
from taxocom.ui.plain import md

_NONE = "(none)"
_PREVIEW = 5
_SHOWN_CHARACTERS = 280


@dataclass(frozen=True)
class PickedCorpus:
    """A corpus that can be read, and the columns to read it by (None where it has none)."""

    path: Path
    columns: Columns | None
    uploaded: bool

    def index_params(self, project: Project) -> dict[str, Any]:
        """Return the parameters of the job that indexes it; an upload is kept with the project first."""
        path = self.path
        if self.uploaded:
            suffix = "".join(path.suffixes[-2:]).lstrip(".")
            path = project.artifact_path(project.put_bytes(path.read_bytes(), "upload", extension=suffix).name)
        columns = asdict(self.columns) if self.columns else None
        return {"source": str(path), "columns": columns, "encoding": None, "settings": None}


def pick(key: str) -> PickedCorpus | None:
    """Ask for a corpus; return it once its documents can be read."""
    upload, on_disk = st.tabs(["Upload a file", "A path on this machine"], key=f"{key}-way")
    with upload:
        file = st.file_uploader(
            "CSV, TSV, JSONL, Parquet, plain text with a document a line, or a zip of .txt files; gz and xz too",
            key=f"{key}-file",
        )
    with on_disk:
        typed = st.text_input(
            "File or folder", key=f"{key}-path", placeholder="/data/articles.csv", help="Read in place, not copied."
        )
    if file is not None:
        path, uploaded = _kept(file.name, bytes(file.getbuffer())), True
    elif typed and typed.strip():
        path, uploaded = Path(typed.strip()).expanduser(), False
    else:
        return None
    try:
        source = sniff(path)
        columns = _columns(source, key)
        _preview(source, columns)
    except TaxocomError as error:
        st.error(md(error))
        return None
    return PickedCorpus(path, columns, uploaded)


def _kept(name: str, content: bytes) -> Path:
    """Write an upload where the readers can see it, once for each content."""
    folder = Path(tempfile.gettempdir()) / f"taxocom-upload-{hashlib.sha256(content).hexdigest()[:16]}"
    path = folder / Path(name).name
    if not path.exists():
        folder.mkdir(exist_ok=True)
        path.write_bytes(content)
    return path


def _columns(source: CorpusSource, key: str) -> Columns | None:
    if not source.available or source.columns is None:
        return None
    guess, available = source.columns, list(source.available)
    st.caption(f"Read as {source.format.value}, {md(source.encoding)}. Which column is what?")
    parts = st.columns(5)
    text = parts[0].multiselect("Text", available, list(guess.text), key=f"{key}-text-{source.path}")

    def one(place: int, label: str, guessed: str | None) -> str | None:
        options = [_NONE, *available]
        chosen = parts[place].selectbox(
            label, options, options.index(guessed) if guessed in options else 0, key=f"{key}-{label}-{source.path}"
        )
        return None if chosen == _NONE else chosen

    return Columns(
        tuple(text),
        id=one(1, "Id", guess.id),
        title=one(2, "Title", guess.title),
        label=one(3, "Topic label", guess.label),
        date=one(4, "Date", guess.date),
    )


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
