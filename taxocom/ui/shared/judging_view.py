"""Documents to read and to judge, as the components take them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

from taxocom.store import Project
from taxocom.ui.widgets import Action, judging, passages
from taxocom.workflow.shown_documents import ShownDocument, document_rows

_WHOLE_TEXT = 6_000

Answered = Callable[[Sequence[str], Sequence[str]], object]


def judge(project: Project, documents: Sequence[ShownDocument], question: str, key: str, answered: Answered) -> None:
    """Ask whether documents are of a topic; `answered` gets the ids with yes and those with no, sent together."""

    def hear(action: Action) -> None:
        answered([str(each) for each in action["yes"]], [str(each) for each in action["no"]])

    asked = zlib.crc32(" ".join(each.document_id for each in documents).encode())
    texts = _texts(project, documents)
    shown = [
        {
            "id": each.document_id,
            "title": each.title,
            "now": f"now in {each.topic}" if each.topic else "in no topic",
            "sentence": each.sentence,
            "highlights": [list(span) for span in each.highlights],
            "text": texts[each.document_id],
        }
        for each in documents
    ]
    judging({"documents": shown, "question": question, "key": f"{key}-{asked}"}, key=key, on_answers=hear)


def read(project: Project, documents: Sequence[ShownDocument], key: str) -> None:
    """Show documents with the sentence that shows the topic, and where each is now."""
    texts = _texts(project, documents)
    shown: list[dict[str, Any]] = [
        {
            "id": each.document_id,
            "title": each.title,
            "topic": each.topic_id,
            "badge": each.topic or "no topic",
            "passages": [{"text": each.sentence, "highlights": [list(span) for span in each.highlights]}],
            "text": texts[each.document_id],
        }
        for each in documents
    ]
    passages({"documents": shown, "targets": []}, key=key, on_move=lambda _action: None)


def _texts(project: Project, documents: Sequence[ShownDocument]) -> dict[str, str]:
    ids = [each.document_id for each in documents]
    rows, corpus = document_rows(project, ids), project.corpus()
    return {each: corpus.texts[row][:_WHOLE_TEXT] for each, row in zip(ids, rows.tolist(), strict=True)}
