"""The beginnings of a few documents, as text and never as markup."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from taxocom.store import Project

_CHARACTERS = 280


def show_excerpts(project: Project, document_ids: Sequence[str], limit: int = 5) -> None:
    """Show the title and the first lines of some documents."""
    corpus = project.corpus()
    wanted = set(document_ids[:limit])
    rows = {each: row for row, each in enumerate(corpus.document_ids) if each in wanted}
    for document_id in document_ids[:limit]:
        row = rows[document_id]
        title = corpus.titles[row] if len(corpus.titles) else ""
        st.text(f"{title or document_id}\n{corpus.texts[row][:_CHARACTERS]}")
