"""What decisions about a vocabulary do: topics and the root carry statements, in the form in which SKOS brings them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from taxocom.errors import DecisionError
from taxocom.taxonomy import vocabulary_kinds as kinds
from taxocom.taxonomy.changes import carry_out, effect
from taxocom.taxonomy.mutable_tree import Draft, free_text, one_line, unique
from taxocom.taxonomy.statements import (
    BROADER,
    OURS,
    RELATED,
    SKOS,
    STATEMENT,
    TYPE,
    URI,
    XSD,
    Iri,
    Literal,
    Reference,
    TopicRef,
    decode_statement,
    decode_term,
    encode_term,
    is_safe_iri,
    reference,
    statement,
)
from taxocom.taxonomy.tree import ROOT_ID, TopicNode
from taxocom.taxonomy.vocabulary_sayings import (
    ALT,
    COLLECTION,
    DEFINITION,
    DEPRECATED,
    MATCHES,
    MEMBER,
    PREF,
    REPLACED_BY,
    also_under,
    lines_about,
    related_to,
)

__all__ = ["carry_out"]
# Whoever carries decisions out takes that from here, so that these kinds are known too.

UNDETERMINED = "und"
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")


@effect.register
def _relate(decision: kinds.RelateTopics, draft: Draft) -> None:
    node, other = draft.topic(decision.node_id, "related"), draft.topic(decision.other_id, "related")
    if decision.holds:
        if _is_above(draft, node.node_id, other.node_id) or _is_above(draft, other.node_id, node.node_id):
            raise DecisionError(
                f"{node.label!r} and {other.label!r} cannot be related: one is above the other, or they are the same."
            )
        draft.change(_with(node, (RELATED, reference(other.node_id))))
        draft.change(_with(other, (RELATED, reference(node.node_id))))
    else:
        draft.change(_without(node, (RELATED, reference(other.node_id))))
        draft.change(_without(other, (RELATED, reference(node.node_id))))


@effect.register
def _also_under(decision: kinds.LinkBroader, draft: Draft) -> None:
    node, other = draft.topic(decision.node_id, "put under another"), draft.topic(decision.other_id, "a second parent")
    pair = (BROADER, reference(other.node_id))
    if not decision.holds:
        draft.change(_without(node, pair))
        return
    if draft.parents[node.node_id] == other.node_id:
        raise DecisionError(f"{node.label!r} is under {other.label!r} already.")
    if _is_above(draft, node.node_id, other.node_id):
        said = "which is the same topic or lies below it"
        raise DecisionError(f"{node.label!r} cannot be under {other.label!r}, {said}.")
    if other.node_id in related_to(node):
        raise DecisionError(f"{node.label!r} is related to {other.label!r}, so it cannot be under it as well.")
    draft.change(_with(node, pair))


@effect.register
def _match(decision: kinds.MatchConcept, draft: Draft) -> None:
    node = draft.topic(decision.node_id, "matched")
    if not is_safe_iri(decision.uri):
        raise DecisionError(f"{decision.uri!r} is no URI. Write it whole, like http://www.wikidata.org/entity/Q349.")
    value = encode_term(Iri(decision.uri))
    if not decision.holds:
        draft.change(_without(node, (MATCHES[decision.how], value)))
        return
    held = {name for name, found in node.properties if found == value and name in MATCHES.values()}
    if held - {MATCHES[decision.how]} and (decision.how == "exact" or MATCHES["exact"] in held):
        raise DecisionError(f"{node.label!r} matches {decision.uri} otherwise; an exact match is no other match too.")
    draft.change(_with(node, (MATCHES[decision.how], value)))


@effect.register
def _words(decision: kinds.EditWords, draft: Draft) -> None:
    node = draft.topic(decision.node_id, "named in another language")
    language = decision.language.strip()
    if not _LANGUAGE.fullmatch(language):
        raise DecisionError(f"{language!r} is no language tag. Use one such as en, de or pt-BR.")
    if language.casefold() == draft.language.casefold():
        raise DecisionError(f"{language} is the language of the tree; rename the topic instead.")
    label = one_line(decision.label, "The name") if decision.label.strip() else ""
    others = unique(decision.alt_labels, "Another name")
    definition = free_text(decision.definition, "The definition")
    kept = [pair for pair in node.properties if not _is_text_in(pair, language)]
    said = [(PREF, label), *((ALT, name) for name in others if name != label), (DEFINITION, definition)]
    new = [(name, encode_term(Literal(text, language=language))) for name, text in said if text]
    draft.change(node.but(properties=_ordered([*kept, *new])))


@effect.register
def _notation(decision: kinds.EditNotation, draft: Draft) -> None:
    text = one_line(decision.notation, "The notation") if decision.notation.strip() else ""
    draft.change(draft.topic(decision.node_id, "given a notation").but(notation=text))


@effect.register
def _collection(decision: kinds.EditCollection, draft: Draft) -> None:
    label = one_line(decision.label, "The name of the collection")
    for member in decision.members:
        draft.topic(member, "in a collection")
    subject = decode_term(decision.collection_id)
    if not isinstance(subject, (Iri, TopicRef)) or (isinstance(subject, TopicRef) and subject.node_id in draft.nodes):
        raise DecisionError(f"{decision.collection_id!r} cannot stand for a collection. Use reference(topic_id(…)).")
    if any(f" <{SKOS}memberList> " in line for _, line in lines_about(draft.node(ROOT_ID), decision.collection_id)):
        raise DecisionError(f"{label!r} is an ordered collection from elsewhere; it is carried along as it is.")
    lines: list[tuple[str, Reference]] = [
        (PREF, Literal(label) if draft.language == UNDETERMINED else Literal(label, language=draft.language)),
        (TYPE, COLLECTION),
        *((MEMBER, TopicRef(member)) for member in dict.fromkeys(decision.members)),
    ]

    def is_ours(name: str, term: Reference) -> bool:
        language = term.language if isinstance(term, Literal) else ""
        return name in (TYPE, MEMBER) or (name == PREF and language in ("", draft.language))

    if decision.members:
        _tell(draft, subject, lines, is_ours)
    else:
        _tell(draft, subject, [])


@effect.register
def _deprecate(decision: kinds.DeprecateTopic, draft: Draft) -> None:
    gone = decision.node
    if gone.node_id == ROOT_ID:
        raise DecisionError("The root cannot be deprecated: it stands for the whole taxonomy.")
    if decision.replaced_by:
        draft.topic(decision.replaced_by, "a replacement")
        if decision.replaced_by == gone.node_id:
            raise DecisionError(f"{gone.label!r} cannot replace itself.")
    if gone.node_id in draft.nodes:
        gone = draft.nodes[gone.node_id]
        _take_out(draft, gone)
    given = next((value for name, value in gone.properties if name == URI), "")
    subject: Reference = Iri(given) if given and is_safe_iri(given) else TopicRef(gone.node_id)
    _tell(draft, subject, [*_described(gone, draft.language), *_instead(decision.replaced_by)])


def _take_out(draft: Draft, node: TopicNode) -> None:
    links = {(name, reference(node.node_id)) for name in (BROADER, RELATED)}
    for other in [each for each in draft.nodes.values() if links.intersection(each.properties)]:
        draft.change(other.but(properties=tuple(pair for pair in other.properties if pair not in links)))
    parent_id = draft.parents[node.node_id]
    children = draft.below(node.node_id)
    for child_id in children:
        draft.refuse_twin(draft.node(child_id).label, parent_id, [node.node_id])
        draft.detach(child_id)
    position = draft.detach(node.node_id)
    draft.delete(node.node_id)
    for offset, child_id in enumerate(children):
        draft.attach(child_id, parent_id, position + offset)


def _described(node: TopicNode, language: str) -> list[tuple[str, Reference]]:
    def tagged(text: str) -> Literal:
        return Literal(text) if language == UNDETERMINED else Literal(text, language=language)

    described: list[tuple[str, Reference]] = [
        (TYPE, Iri(SKOS + "Concept")),
        (SKOS + "inScheme", TopicRef(ROOT_ID)),
        (OURS + "id", Literal(node.node_id)),
        (DEPRECATED, Literal("true", datatype=XSD + "boolean")),
        (PREF, tagged(node.label)),
        *((ALT, tagged(name)) for name in node.alt_labels),
    ]
    if node.definition:
        described.append((DEFINITION, tagged(node.definition)))
    if node.notation:
        described.append((SKOS + "notation", Literal(node.notation)))
    for name, value in node.properties:
        term = decode_term(value) if is_safe_iri(name) and name not in (BROADER, RELATED) else None
        if term is not None and not isinstance(term, TopicRef):
            described.append((name, term))
    return described


def _instead(replaced_by: str) -> Iterable[tuple[str, Reference]]:
    return [(REPLACED_BY, TopicRef(replaced_by))] if replaced_by else []


def _tell(
    draft: Draft,
    subject: Reference,
    said: Iterable[tuple[str, Reference]],
    replaced: Callable[[str, Reference], bool] = lambda _name, _term: True,
) -> None:
    """Let the root carry statements about something that is no topic, in place of what `replaced` holds for."""
    root = draft.node(ROOT_ID)
    about = [
        pair
        for pair in lines_about(root, encode_term(subject))
        if (found := decode_statement(pair[1])) is not None and replaced(found[1], found[2])
    ]
    new = [(STATEMENT, statement(subject, name, term)) for name, term in said]
    if new and isinstance(subject, TopicRef):
        new.append((STATEMENT, statement(subject, OURS + "id", Literal(subject.node_id))))
    kept = [pair for pair in root.properties if pair not in about]
    others = [pair for pair in kept if pair[0] != STATEMENT]
    lines = sorted({*(pair for pair in kept if pair[0] == STATEMENT), *new})
    draft.change(root.but(properties=(*others, *lines)))


def _is_above(draft: Draft, upper: str, lower: str) -> bool:
    """Tell whether a topic is another one or above it, by the tree or by second parents."""
    pending, seen = [lower], set[str]()
    while pending:
        current = pending.pop()
        if current == upper:
            return True
        if current in seen or current not in draft.nodes:
            continue
        seen.add(current)
        above = draft.parents.get(current)
        pending += [*([above] if above else []), *also_under(draft.nodes[current])]
    return False


def _is_text_in(pair: tuple[str, str], language: str) -> bool:
    term = decode_term(pair[1]) if pair[0] in (PREF, ALT, DEFINITION) else None
    return isinstance(term, Literal) and term.language.casefold() == language.casefold()


def _with(node: TopicNode, pair: tuple[str, str]) -> TopicNode:
    return node if pair in node.properties else node.but(properties=_ordered([*node.properties, pair]))


def _without(node: TopicNode, pair: tuple[str, str]) -> TopicNode:
    if pair not in node.properties:
        raise DecisionError(f"{node.label!r} has no such link; it may have been taken back already.")
    return node.but(properties=tuple(each for each in node.properties if each != pair))


def _ordered(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys(pairs))
