""" "I miss a topic": a name, some words or documents, and a card that says what the topic would hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from taxocom.errors import InputError, TaxocomError
from taxocom.store import Project
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.language.tokens import words_of
from taxocom.ui.runtime import session
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md, shown
from taxocom.ui.shared import curator
from taxocom.ui.shared.cards import parent_options
from taxocom.ui.shared.deciding import decide, may_decide
from taxocom.ui.shared.excerpts import show_excerpts
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.judging_view import judge, read
from taxocom.ui.shared.thinking import show_when_known
from taxocom.workflow.missing_topic import (
    MissedTopic,
    TopicCard,
    ask_about,
    changed,
    decisions_of,
    missing_topic,
    told_together,
)
from taxocom.workflow.shown_documents import ShownDocument

_KEPT, _LEARNT = "missed topic", "missed topic learnt"
_OPENED = "missed topic opened"


@dataclass(frozen=True)
class _Found:
    """The card of what was told, and the documents to judge next; or why there is no card.

    `together` are the cards of several topics that were told at once.
    """

    card: TopicCard | None
    asked: Sequence[ShownDocument] = ()
    problem: str = ""
    together: Sequence[TopicCard] = ()


@dataclass(frozen=True)
class _Learnt:
    """What the last ten answers changed, and what was told before them."""

    before: MissedTopic
    after: MissedTopic
    said: str


def miss_a_topic(project: Project, tree: Taxonomy, node_id: str) -> None:
    """Let a person tell of a missing topic under the one that is open; what was told waits in the store."""
    if not project.has_corpus:
        return
    kept = _kept(project)
    # An expander that is on show does not open when it is told to; a new one does.
    opened = session.state().get(_OPENED, 0)
    with st.expander("I miss a topic", key=f"miss-a-topic-{opened}", expanded=kept is not None or opened > 0):
        if not may_decide("miss"):
            return
        wish = kept or MissedTopic(parent_id=node_id)
        _form(project, tree, wish)
        if kept is not None:
            name = f"missed {kept}"
            show_when_known(
                project,
                name,
                partial(_find, project, kept),
                partial(_card, project, tree, kept),
                "Looking for its documents…",
            )


def _form(project: Project, tree: Taxonomy, wish: MissedTopic) -> None:
    options = {option["id"]: option["label"] for option in parent_options(tree)}
    under = wish.parent_id if wish.parent_id in options else ROOT_ID
    fields = [
        Field(
            "label",
            "Its name",
            "; ".join([wish.label, *wish.beside]) if wish.beside else wish.label,
            placeholder="hockey; or several of one place: hockey; tennis; golf",
            half=True,
        ),
        Field("words", "Words its documents use, separated by commas", ", ".join(wish.words), half=True),
        Field("under", "Its place in the tree", under, kind="choice", options=options, half=True),
        Field(
            "documents", "Ids of documents that belong to it, separated by commas", ", ".join(wish.documents), half=True
        ),
    ]
    part = Part(
        "miss",
        fields,
        [Button("look", "See what it would hold", primary=True)],
        says="A name is enough; several names of one place with semicolons. You see what each would hold before "
        "anything changes.",
        layout="framed",
    )
    form(f"missing-{project.path.name}", part, on_submit=partial(_look, project))


def _look(project: Project, sent: Submitted) -> None:
    """Keep what a person told. Answers given before stay, unless the name is another one altogether."""
    several = told_together(sent.text("label").split(";"), sent.text("under"))
    if len(several) > 1:
        if sent.words("words") or sent.words("documents"):
            raise InputError("Words and documents are told of one topic at a time. Give one name, or no words.")
        missing_topic(project, several[0])
        _keep(project, several[0])
        return
    before = _kept(project) or MissedTopic()
    wish = MissedTopic(sent.text("label"), sent.words("words"), sent.text("under"), sent.words("documents"))
    if not before.label or set(words_of(before.label)) & set(words_of(wish.label)):
        wish = wish.with_answers(before.yes, before.no)
    missing_topic(project, wish)
    _keep(project, wish)


def _find(project: Project, wish: MissedTopic) -> _Found:
    try:
        if wish.beside:
            told = told_together([wish.label, *wish.beside], wish.parent_id)
            return _Found(None, together=[missing_topic(project, each) for each in told])
        return _Found(missing_topic(project, wish), ask_about(project, wish))
    except TaxocomError as error:
        return _Found(None, problem=str(error))


def _card(project: Project, tree: Taxonomy, wish: MissedTopic, found: _Found) -> None:
    if found.together:
        _cards(project, found.together)
        return
    if found.card is None:
        st.warning(md(found.problem))
        st.button("Clear it", key="missed-clear", on_click=acting(lambda: _keep(project, None)))
        return
    card = found.card
    with st.container(border=True, key="missed-card"):
        _head(project, tree, card)
        for near in card.near:
            st.warning(md(near.said))
        for said in card.remarks:
            st.info(md(said))
        typical, doubtful, to_judge = st.tabs(
            ["Typical", "Doubtful", "Judge ten"], key="missed-which", on_change="rerun"
        )
        if typical.open:
            with typical:
                read(project, card.typical, "missed-typical")
        if doubtful.open:
            with doubtful:
                st.caption("Documents on the border. Judge ten, and the topic learns which belong to it.")
                read(project, card.doubtful, "missed-doubtful")
        if to_judge.open:
            with to_judge:
                question = f"Is it about {card.node.label}?" if card.node.label else "Is it of this topic?"
                judge(project, found.asked, question, "missed-judging", partial(_learn, project, wish))


def _cards(project: Project, cards: Sequence[TopicCard]) -> None:
    """Show several topics that were told at once, a line each, to be added together."""
    for number, card in enumerate(cards):
        with st.container(border=True, key=f"missed-several-{number}"):
            sources = ", ".join(f"{each.n_documents:,} from {md(each.label)}" for each in card.sources)
            terms = " · ".join(shown(term) for term in card.terms)
            st.markdown(f"**{md(card.node.label)}**: {count(len(card.documents), 'document')}. {terms}")
            st.caption(f"It would take {sources}." if sources else "Nothing speaks for it yet.")
            for near in card.near:
                st.warning(md(near.said))
            if card.typical:
                with st.popover("Read some", key=f"missed-read-{number}"):
                    show_excerpts(project, [each.document_id for each in card.typical])
    with st.container(horizontal=True, gap="small"):
        taken = any(near.is_same for card in cards for near in card.near)
        add = acting(partial(_add_all, project, cards))
        st.button(f"Add all {len(cards)}", key="missed-add-all", type="primary", disabled=taken, on_click=add)
        st.button("Clear it", key="missed-clear", on_click=acting(lambda: _keep(project, None)))


def _add_all(project: Project, cards: Sequence[TopicCard]) -> None:
    decide(project, decisions_of(cards), said=f"Added {', '.join(card.node.label for card in cards)}")
    _keep(project, None)
    session.turn()


def _head(project: Project, tree: Taxonomy, card: TopicCard) -> None:
    above = " › ".join(md(label) for label in tree.path_of(card.wish.parent_id))
    name = md(card.node.label) if card.node.label else "(no name yet)"
    st.markdown(f"**{name}**{f' under {above}' if above else ''}: {count(len(card.documents), 'document')}")
    said = []
    if card.sources:
        said.append(
            "It would take " + ", ".join(f"{each.n_documents:,} from {md(each.label)}" for each in card.sources)
        )
    said.append(f"{count(card.n_saying, 'document')} in the corpus say its name or one of its words")
    if card.wish.yes or card.wish.no:
        said.append(f"{len(card.wish.yes)} judged as its own, {len(card.wish.no)} as not")
    st.caption("; ".join(said) + ".")
    learnt = _learnt(card.wish)
    if learnt is not None:
        st.markdown(learnt.said)
    if card.terms:
        st.markdown(" · ".join(shown(term) for term in card.terms))
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Add it",
            key="missed-add",
            type="primary",
            disabled=not card.node.label
            or any(near.is_same for near in card.near if _beside(tree, near.node_id, card)),
            on_click=acting(partial(_add, project, card)),
        )
        if card.fits_under:
            label = md(tree[card.fits_under].label)
            go = acting(partial(_keep, project, replace(card.wish, parent_id=card.fits_under)))
            st.button(f"Put it under {label}: most come from there", key="missed-under", on_click=go)
        for number, term in enumerate(card.terms if not card.node.label else ()):
            named = acting(partial(_keep, project, replace(card.wish, label=term)))
            st.button(f"Call it {shown(term)}", key=f"missed-name-{number}", on_click=named)
        if learnt is not None:
            back = acting(partial(_keep, project, learnt.before))
            st.button("Take the last answers back", key="missed-back", on_click=back)
        st.button("Clear it", key="missed-clear", on_click=acting(lambda: _keep(project, None)))


def _beside(tree: Taxonomy, node_id: str, card: TopicCard) -> bool:
    return tree.parent_of(node_id) == card.wish.parent_id


def _add(project: Project, card: TopicCard) -> None:
    n_documents = count(len(card.documents), "document")
    decide(project, card.decisions(), said=f"Added {card.node.label} with {n_documents}")
    _keep(project, None)
    session.turn()


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
    _keep(project, wish)
    session.state()[_OPENED] = session.state().get(_OPENED, 0) + 1


def _learn(project: Project, wish: MissedTopic, yes: Sequence[str], no: Sequence[str]) -> None:
    """Take answers in, and say what changed by them."""
    taught = wish.with_answers(yes, no)
    before, after = missing_topic(project, wish), missing_topic(project, taught)
    more, fewer = changed(before, after)
    _keep(project, taught)
    session.state()[_LEARNT] = _Learnt(wish, taught, f"Learnt: +{count(more, 'document')}, −{fewer:,}.")


def _learnt(wish: MissedTopic) -> _Learnt | None:
    last: _Learnt | None = session.state().get(_LEARNT)
    return last if last is not None and last.after == wish else None


def _person() -> str:
    return curator.name() or curator.browser()


def _kept(project: Project) -> MissedTopic | None:
    told: Mapping[str, Any] | None = project.preferences(_person()).get(_KEPT)
    if not told:
        return None
    lists = {name: tuple(told.get(name) or ()) for name in ("words", "documents", "yes", "no", "beside")}
    return MissedTopic(label=str(told["label"]), parent_id=str(told["parent_id"]), **lists)


def _keep(project: Project, wish: MissedTopic | None) -> None:
    project.set_preference(_person(), _KEPT, asdict(wish) if wish is not None else None)
    session.turn()
