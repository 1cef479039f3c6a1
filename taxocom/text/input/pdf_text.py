"""The text of a PDF file, page after page."""

from __future__ import annotations

import io
import re
from datetime import datetime

from taxocom.errors import InputError
from taxocom.text.input.documents import Extracted

_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])-\n(?=[^\W\d_A-Z])")


def read_pdf(content: bytes, name: str) -> Extracted:
    """Return the one document of a PDF file; one without text, or with a password, is an InputError."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(f"{name} is protected by a password. Save it without one.")
        pages = [page.extract_text().strip() for page in reader.pages]
        told = reader.metadata
        title, date = (str(told.title or ""), told.creation_date) if told else ("", None)
    except (InputError, MemoryError):
        raise
    except DependencyError as error:
        raise InputError(f"{name} is encrypted in a way that cannot be read. Save it without a password.") from error
    except Exception as error:
        # The library raises whatever its parser meets; another process than this one is at risk (`reading`).
        raise InputError(f"{name} is no whole PDF file ({type(error).__name__}). Fetch or export it again.") from error
    text = _BROKEN_WORD.sub("", "\n\n".join(pages)).replace("\0", "")
    if not text.strip():
        raise InputError(
            f"{name} holds pictures of {len(pages)} pages and no text. Let its text be recognised (OCR), or leave it "
            "out."
        )
    return Extracted(text, title.strip(), date.date().isoformat() if isinstance(date, datetime) else "")
