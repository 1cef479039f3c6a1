""" "I miss a topic": a name, some words or documents, and a card that says what the topic would hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from taxocom.errors import InputError, TaxocomError
from taxocom.store import Project
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.language.tokens import words_of
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import md
from taxocom.ui.shared.cards import parent_options
from taxocom.ui.shared.deciding import may_decide
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.missed_cards import Told, show_cards
from taxocom.ui.shared.missed_kept import keep, kept
from taxocom.ui.shared.thinking import show_when_known
from taxocom.workflow.missing_topic import MissedTopic, missing_topic
from taxocom.workflow.told_together import together, told_together

_OPENED = "missed topic opened"


@dataclass(frozen=True)
class _Found:
    """The cards of what was told; or why there are none."""

    told: Told | None
    problem: str = ""


def miss_a_topic(project: Project, tree: Taxonomy, node_id: str) -> None:
    """Let a person tell of a missing topic under the one that is open; what was told waits in the store."""
    if not project.has_corpus:
        return
    wishes = kept(project)
    # An expander that is on show does not open when it is told to; a new one does.
    opened = session.state().get(_OPENED, 0)
    with st.expander("I miss a topic", key=f"miss-a-topic-{opened}", expanded=bool(wishes) or opened > 0):
        if not may_decide("miss"):
            return
        _form(project, tree, wishes or (MissedTopic(parent_id=node_id),))
        if wishes:
            show_when_known(
                project,
                f"missed {wishes}",
                partial(_find, project, wishes),
                partial(_cards, project, tree),
                "Looking for its documents…",
            )


def _form(project: Project, tree: Taxonomy, wishes: Sequence[MissedTopic]) -> None:
    options = {option["id"]: option["label"] for option in parent_options(tree)}
    wish = wishes[0]
    under = wish.parent_id if wish.parent_id in options else ROOT_ID
    alone = wish if len(wishes) == 1 else MissedTopic()
    fields = [
        Field(
            "label",
            "Its name",
            "; ".join(each.label for each in wishes),
            placeholder="hockey; or several of one place: hockey; tennis; golf",
            half=True,
        ),
        Field("words", "Words its documents use, separated by commas", ", ".join(alone.words), half=True),
        Field("under", "Its place in the tree", under, kind="choice", options=options, half=True),
        Field(
            "documents",
            "Ids of documents that belong to it, separated by commas",
            ", ".join(alone.documents),
            half=True,
        ),
    ]
    part = Part(
        "miss",
        fields,
        [Button("look", "See what it would hold", primary=True)],
        says="A name is enough. Separate several names for the same place with semicolons. You see what each would "
        "hold before anything changes.",
        layout="framed",
    )
    form(f"missing-{project.path.name}", part, on_submit=partial(_look, project))


def _look(project: Project, sent: Submitted) -> None:
    """Keep what a person told. Answers given before stay, unless the name is another one altogether."""
    several = told_together(sent.text("label").split(";"), sent.text("under"))
    before = {each.label: each for each in kept(project)}
    if len(several) > 1:
        if sent.words("words") or sent.words("documents"):
            raise InputError(
                "Words and documents can be given for one topic only. Give one name, or empty both fields."
            )
        wishes = together([_with_answers_of(each, before.get(each.label)) for each in several])
        missing_topic(project, wishes[0])
        keep(project, wishes)
        return
    wish = MissedTopic(sent.text("label"), sent.words("words"), sent.text("under"), sent.words("documents"))
    earlier = next(iter(before.values()), None) if len(before) == 1 else before.get(wish.label)
    if earlier and (not earlier.label or set(words_of(earlier.label)) & set(words_of(wish.label))):
        wish = _with_answers_of(wish, earlier)
    missing_topic(project, wish)
    keep(project, [wish])


def _with_answers_of(wish: MissedTopic, earlier: MissedTopic | None) -> MissedTopic:
    return wish.with_answers(earlier.yes, earlier.no) if earlier is not None else wish


def _find(project: Project, wishes: Sequence[MissedTopic]) -> _Found:
    try:
        return _Found(Told(tuple(wishes), [missing_topic(project, each) for each in wishes]))
    except TaxocomError as error:
        return _Found(None, str(error))


def _cards(project: Project, tree: Taxonomy, found: _Found) -> None:
    if found.told is not None:
        show_cards(project, tree, found.told)
        return
    st.warning(md(found.problem))
    st.button("Clear it", key="missed-clear", on_click=acting(partial(keep, project, ())))


def miss_under(node_id: str) -> None:
    """Open the form for a topic that is missing under this one; for handlers. What was told before stays."""
    session.choose_node(node_id)
    session.state()[_OPENED] = session.state().get(_OPENED, 0) + 1


def miss_these(
    project: Project,
    label: str,
    documents: Sequence[str] = (),
    *,
    words: Sequence[str] = (),
    parent_id: str = ROOT_ID,
) -> None:
    """Let documents or words that a person found be a topic that is missing; its card opens on the page."""
    wish = MissedTopic(label, tuple(words), parent_id, documents=tuple(documents))
    missing_topic(project, wish)
    keep(project, [wish])
    session.state()[_OPENED] = session.state().get(_OPENED, 0) + 1
