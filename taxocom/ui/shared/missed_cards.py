"""The cards of missing topics: what each would hold and take from whom, documents to read, and ten to judge."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from taxocom.store import Project
from taxocom.taxonomy.decisions import SuggestTopic
from taxocom.taxonomy.tree import Taxonomy
from taxocom.ui.runtime.acting import acting
from taxocom.ui.runtime.safe_text import count, md, shown
from taxocom.ui.shared.deciding import decide
from taxocom.ui.shared.judging_view import judge, read
from taxocom.ui.shared.missed_kept import Learnt, keep, learnt, note_learnt
from taxocom.ui.shared.offering import offered, refusal
from taxocom.ui.shared.thinking import show_when_known
from taxocom.workflow.missing_topic import MissedTopic, TopicCard, ask_about, changed, missing_topic
from taxocom.workflow.shown_documents import ShownDocument
from taxocom.workflow.told_together import decisions_of, taught_together, together

_NEEDS = ("accept_topic", "judge_documents")
_TYPICAL, _DOUBTFUL, _JUDGE = "Typical", "Doubtful", "Judge ten"


@dataclass(frozen=True)
class Told:
    """What a person told, the cards of it, and the topic to judge first where there are several."""

    wishes: tuple[MissedTopic, ...]
    cards: Sequence[TopicCard]

    @property
    def least_sure(self) -> TopicCard | None:
        """The card that answers would help most, one with a remark before others, if any is in doubt."""
        if len(self.cards) < 2:
            return None
        found = max(self.cards, key=lambda card: (bool(card.remarks), card.doubt))
        return found if found.remarks or found.doubt > 0 else None


def show_cards(project: Project, tree: Taxonomy, told: Told) -> None:
    """Show the card of a topic, or those of several that were told at once, to be added together."""
    if len(told.cards) == 1:
        with st.container(border=True, key="missed-card"):
            _head(project, tree, told, told.cards[0])
            _said_of(told.cards[0])
            _one_by_tabs(project, told, told.cards[0])
        return
    first = told.least_sure
    if first is not None and learnt(told.wishes) is None:
        st.caption(f"Least sure: **{md(first.node.label)}**. Ten answers help there most; they teach the others too.")
    for number, card in enumerate(told.cards):
        with st.container(border=True, key=f"missed-several-{number}"):
            _one_of_several(project, tree, told, card)
    _all_of_them(project, tree, told)


def _one_by_tabs(project: Project, told: Told, card: TopicCard) -> None:
    tabs = st.tabs([_TYPICAL, _DOUBTFUL, _JUDGE], key="missed-which", on_change="rerun")
    for which, tab in zip((_TYPICAL, _DOUBTFUL, _JUDGE), tabs, strict=True):
        if tab.open:
            with tab:
                _documents(project, told, card, which, "missed")


def _one_of_several(project: Project, tree: Taxonomy, told: Told, card: TopicCard) -> None:
    label = card.node.label
    key = f"missed-{zlib.crc32(label.encode())}"
    st.markdown(f"**{md(label)}**: {count(len(card.documents), 'document')}")
    _facts(told, card)
    _said_of(card)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        which = st.segmented_control(
            f"Documents of {label}",
            [_TYPICAL, _DOUBTFUL, _JUDGE],
            key=f"{key}-which",
            label_visibility="collapsed",
            width="content",
        )
        _fit_button(project, tree, told, card, f"{key}-under")
        left = tuple(each for each in told.wishes if each.label != label)
        drop = acting(partial(keep, project, left))
        st.button("Leave it out", key=f"{key}-drop", type="tertiary", on_click=drop)
    if which:
        _documents(project, told, card, which, key)


def _documents(project: Project, told: Told, card: TopicCard, which: str, key: str) -> None:
    if which == _JUDGE:
        show_when_known(
            project,
            f"asked of {card.wish}",
            partial(ask_about, project, card.wish),
            partial(_judge, project, told, card, key),
            "Choosing documents to ask about…",
        )
        return
    if which == _DOUBTFUL:
        st.caption("Documents on the border. Judge ten, and the topic learns which belong to it.")
    documents = card.doubtful if which == _DOUBTFUL else card.typical
    if documents:
        read(project, documents, f"{key}-{which.casefold()}")
    else:
        st.caption("No documents here.")


def _judge(project: Project, told: Told, card: TopicCard, key: str, asked: Sequence[ShownDocument]) -> None:
    if not asked:
        st.caption("There is nothing left to ask: you have judged all that could tell more.")
        return
    question = f"Is it about {card.node.label}?" if card.node.label else "Is it of this topic?"
    judge(project, asked, question, f"{key}-judging", partial(_learn, project, told.wishes, card.wish.label))


def _said_of(card: TopicCard) -> None:
    for near in card.near:
        st.warning(md(near.said))
    for said in card.remarks:
        st.info(md(said))


def _facts(told: Told, card: TopicCard) -> None:
    said = []
    if card.sources:
        taken = ", ".join(f"{each.n_documents:,} from {md(each.label)}" for each in card.sources)
        said.append(f"It would take {taken}")
    said.append(f"{count(card.n_saying, 'document')} in the corpus say its name or one of its words")
    if card.wish.yes or card.wish.no:
        said.append(f"{len(card.wish.yes)} judged as its own, {len(card.wish.no)} as not")
    st.caption("; ".join(said) + ".")
    last = learnt(told.wishes)
    if last is not None and last.label == card.wish.label:
        st.markdown(last.said)
    if card.terms:
        st.markdown(" · ".join(shown(term) for term in card.terms))


def _head(project: Project, tree: Taxonomy, told: Told, card: TopicCard) -> None:
    above = " › ".join(md(label) for label in tree.path_of(card.wish.parent_id))
    name = md(card.node.label) if card.node.label else "(no name yet)"
    st.markdown(f"**{name}**{f' under {above}' if above else ''}: {count(len(card.documents), 'document')}")
    _facts(told, card)
    with st.container(horizontal=True, gap="small"):
        add = acting(partial(_add, project, told))
        may = offered(project, *_NEEDS, disabled=not _may_add(tree, told))
        st.button("Add it", key="missed-add", type="primary", on_click=add, **may)
        _fit_button(project, tree, told, card, "missed-under")
        for number, term in enumerate(card.terms if not card.node.label else ()):
            named = acting(partial(keep, project, (replace(card.wish, label=term),)))
            st.button(f"Call it {shown(term)}", key=f"missed-name-{number}", on_click=named)
        _steps(project, told)


def _all_of_them(project: Project, tree: Taxonomy, told: Told) -> None:
    with st.container(horizontal=True, gap="small"):
        add = acting(partial(_add, project, told))
        st.button(
            f"Add all {len(told.cards)}",
            key="missed-add-all",
            type="primary",
            on_click=add,
            **offered(project, *_NEEDS, disabled=not _may_add(tree, told)),
        )
        _steps(project, told)


def _fit_button(project: Project, tree: Taxonomy, told: Told, card: TopicCard, key: str) -> None:
    """Offer the place that most documents come from; topics that are told together go there together."""
    if not card.fits_under:
        return
    label = md(tree[card.fits_under].label)
    said = f"Put it under {label}" if len(told.wishes) == 1 else f"Put all under {label}"
    moved = tuple(replace(each, parent_id=card.fits_under) for each in told.wishes)
    go = acting(partial(keep, project, together(moved)))
    st.button(said, key=key, help="Most of its documents come from there.", on_click=go)


def _suggest(project: Project, told: Told) -> None:
    """Leave it to a curator: for those who may not add a topic themselves."""
    names = ", ".join(card.node.label for card in told.cards)
    suggested = [SuggestTopic(card.wish.parent_id, card.node) for card in told.cards]
    decide(project, suggested, said=f"Suggested {names}. A curator decides")
    keep(project, ())


def _steps(project: Project, told: Told) -> None:
    if refusal(project, *_NEEDS) and all(card.node.label for card in told.cards):
        suggest = acting(partial(_suggest, project, told))
        st.button("Suggest it", key="missed-suggest", on_click=suggest, **offered(project, "suggest_topic"))
    last = learnt(told.wishes)
    if last is not None:
        back = acting(partial(keep, project, last.before))
        st.button("Take the last answers back", key="missed-back", on_click=back)
    st.button("Clear it", key="missed-clear", on_click=acting(partial(keep, project, ())))


def _may_add(tree: Taxonomy, told: Told) -> bool:
    """Tell whether all have names, none of which a topic beside them has already."""
    taken = any(
        near.is_same and tree.parent_of(near.node_id) == card.wish.parent_id
        for card in told.cards
        for near in card.near
    )
    return not taken and all(card.node.label for card in told.cards)


def _add(project: Project, told: Told) -> None:
    names = ", ".join(card.node.label for card in told.cards)
    documents = count(len({each for card in told.cards for each in card.documents}), "document")
    decide(project, decisions_of(told.cards), said=f"Added {names} with {documents}")
    keep(project, ())


def _learn(
    project: Project, wishes: tuple[MissedTopic, ...], label: str, yes: Sequence[str], no: Sequence[str]
) -> None:
    """Take answers in, and say what changed by them."""
    taught = tuple(taught_together(wishes, label, yes, no))
    said: list[str] = []
    for before, after in zip(wishes, taught, strict=True):
        more, fewer = changed(missing_topic(project, before), missing_topic(project, after))
        if after.label == label:
            said.insert(0, f"Learnt: +{count(more, 'document')}, −{fewer:,}.")
        elif more or fewer:
            said.append(f"{md(after.label)}: +{more:,}, −{fewer:,}.")
    keep(project, taught)
    note_learnt(Learnt(wishes, taught, label, " ".join(said)))
