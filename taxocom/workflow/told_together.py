"""Several missing topics of one place, told at once: learnt together, judged one by one, and added together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from taxocom.errors import InputError
from taxocom.taxonomy.decisions import AcceptTopic, Decision, JudgeDocuments
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.workflow.missing_topic import MissedTopic, TopicCard


def told_together(labels: Sequence[str], parent_id: str = ROOT_ID) -> list[MissedTopic]:
    """Return what a person tells who names several topics of one place at once."""
    names: dict[str, str] = {}
    for label in filter(None, (" ".join(each.split()) for each in labels)):
        names.setdefault(label.casefold(), label)
    return together([MissedTopic(label, parent_id=parent_id) for label in names.values()])


def together(wishes: Sequence[MissedTopic]) -> list[MissedTopic]:
    """Return missing topics of one place as told at once: each knows of the others, and of the answers on them."""
    alone = [replace(each, beside=()) for each in wishes]
    return [replace(each, beside=tuple(other for other in alone if other is not each)) for each in alone]


def taught_together(
    wishes: Sequence[MissedTopic], label: str, yes: Sequence[str], no: Sequence[str]
) -> list[MissedTopic]:
    """Return them with more documents judged for the one of that name; a yes to it takes back a yes to another."""
    if label not in {each.label for each in wishes}:
        raise InputError(f"{label!r} is none of the topics that were told. Look at the list again.")
    return together(
        [
            each.with_answers(yes, no) if each.label == label else replace(each, yes=_without(each.yes, yes))
            for each in wishes
        ]
    )


def decisions_of(cards: Sequence[TopicCard]) -> list[Decision]:
    """Return what adds several topics with their documents, each document to one of them.

    What a person said of a document stands; else it goes to the topic that was taught most, for answers tell more than
    names. What a person said no to for one topic may be another's.
    """
    told = {document: card.wish.label for card in cards for document in card.wish.own}
    holder: dict[str, str] = {}
    accepted: list[Decision] = []
    judged: list[Decision] = []
    for card in sorted(cards, key=lambda each: -len(each.wish.own) - len(each.wish.no)):
        label = card.wish.label
        documents = tuple(d for d in card.documents if d not in holder and told.get(d, label) == label)
        holder |= dict.fromkeys(documents, card.node.node_id)
        accepted += [each for each in replace(card, documents=documents).decisions() if isinstance(each, AcceptTopic)]
    for card in cards:
        elsewhere = tuple((document, holder.get(document, at)) for document, at in card.refused)
        answers = replace(card, refused=elsewhere).decisions()
        judged += [each for each in answers if isinstance(each, JudgeDocuments)]
    return [*accepted, *judged]


def _without(documents: Sequence[str], taken: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in documents if each not in taken)
