"""placeholder until the formats are in."""

from __future__ import annotations
import gzip, json, lzma
from pathlib import Path
from collections.abc import Iterator
from taxocom.text.documents import Document, LoadingReport, checked


def read_documents(path: Path) -> Iterator[Document]:
    """Read JSONL."""
    op = {".gz": gzip.open, ".xz": lzma.open}.get(Path(path).suffix, open)

    def rows():
        with op(path, "rt", encoding="utf-8") as f:
            for l in f:
                d = json.loads(l)
                yield Document(
                    str(d.get("id", "")), d["text"], "", tuple(d.get("labels") or ()), d.get("created") or ""
                )

    return checked(rows(), LoadingReport())
