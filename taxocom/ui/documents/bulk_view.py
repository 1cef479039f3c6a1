"""What a person says of many documents at once: they belong to a topic, or they are a topic that is missing."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from taxocom.store import Project
from taxocom.taxonomy.decisions import MoveDocuments
from taxocom.taxonomy.tree import Taxonomy
from taxocom.ui.runtime.safe_text import count
from taxocom.ui.shared.cards import parent_options
from taxocom.ui.shared.deciding import decide, may_decide
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.missing_topic_view import miss_these
from taxocom.ui.shared.offering import refusal


def judge_all(project: Project, tree: Taxonomy, name: str, documents: Sequence[str]) -> None:
    """Let all documents of a search go to a topic in one decision, or be looked at as a missing topic called `name`."""
    if not may_decide("bulk"):
        return
    found = count(len(documents), "document")

    def do(sent: Submitted) -> None:
        if sent.button == "miss":
            miss_these(project, name, documents)
        else:
            to = sent.text("to")
            said = f"Moved {found} to {project.taxonomy()[to].label}"
            decide(project, [MoveDocuments(tuple(documents), to)], said=said)

    options = {option["id"]: option["label"] for option in parent_options(tree)[1:]}
    buttons = [Button("miss", "Make them a new topic")]
    fields = []
    if options:
        fields = [Field("to", "They belong to", next(iter(options)), kind="choice", options=options)]
        buttons.insert(
            0, Button("move", f"Move all {len(documents):,}", primary=True, refused=refusal(project, "move_documents"))
        )
    says = "This is one decision for all documents found, also for those not shown. You can undo it in one step."
    # The key names what was sought: what was clicked for one search must not be done to the results of another.
    key = f"all-results-{project.path.name}-{zlib.crc32(name.encode())}"
    form(key, Part("all", fields, buttons, says=says), on_submit=do)
