"""The text of a Word file (docx): its paragraphs and tables, in order."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from taxocom.errors import InputError
from taxocom.text.input.documents import Extracted
from taxocom.text.input.opening import MAX_RATIO, SMALL_ENOUGH, bomb


def read_docx(content: bytes, name: str) -> Extracted:
    """Return the one document of a Word file; another Office file is an InputError."""
    from docx import Document

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > SMALL_ENOUGH and unpacked > MAX_RATIO * len(content):
            raise bomb(name, unpacked, len(content))
        document = Document(io.BytesIO(content))
        text = "\n\n".join(_texts(document))
        told = document.core_properties
        title, date = str(told.title or ""), told.created
    except (InputError, MemoryError):
        raise
    except Exception as error:
        # The libraries raise whatever their parsers meet; another process than this one is at risk (`reading`).
        raise InputError(f"{name} is no whole Word file ({type(error).__name__}). Save it again as .docx.") from error
    return Extracted(text, title.strip(), date.date().isoformat() if date else "")


def _texts(part: Any) -> Iterator[str]:
    """Yield the paragraphs of a document or a cell; a cell that spans several is told once."""
    for item in part.iter_inner_content():
        if hasattr(item, "rows"):
            for row in item.rows:
                cells = {id(cell._tc): cell for cell in row.cells}
                yield " ".join(text for cell in cells.values() for text in _texts(cell))
        elif item.text.strip():
            yield item.text
