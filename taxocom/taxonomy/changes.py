"""What each kind of decision does to a tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch

from taxocom.errors import DecisionError
from taxocom.taxonomy import kinds
from taxocom.taxonomy.approval import state_of, wait
from taxocom.taxonomy.decision_base import Decision
from taxocom.taxonomy.mutable_tree import Draft, free_text, one_line, unique
from taxocom.taxonomy.statements import BROADER, reference
from taxocom.taxonomy.tree import ROOT_ID, TopicNode


def carry_out(draft: Draft, decision: Decision) -> None:
    """Change a draft as decided; a decision that cannot be carried out is a DecisionError and changes nothing."""
    mark = draft.mark()
    try:
        effect(decision, draft)
        wait(draft, decision)
    except DecisionError:
        draft.back_to(mark)
        raise


@singledispatch
def effect(decision: Decision, draft: Draft) -> None:  # noqa: ARG001  # singledispatch fixes the signature
    """Change a draft as one kind of decision says; what is decided about a vocabulary is in `vocabulary_changes`."""
    raise DecisionError(
        f"A decision of the kind {decision.kind!r} needs the log of decisions and cannot be applied to a tree alone. "
        "Append it to the log and replay."
    )


@effect.register
def _accept(decision: kinds.AcceptTopic, draft: Draft) -> None:
    _insert(draft, state_of(decision.node), decision.parent_id, decision.position)


@effect.register
def _add(decision: kinds.AddTopic, draft: Draft) -> None:
    _insert(draft, state_of(decision.node).but(origin="manual"), decision.parent_id, decision.position)


@effect.register
def _suggest(decision: kinds.SuggestTopic, draft: Draft) -> None:
    _insert(draft, decision.node.but(status="suggested", origin="manual"), decision.parent_id, None)


@effect.register
def _reject(decision: kinds.RejectTopic, draft: Draft) -> None:
    draft.node(decision.parent_id)


@effect.register
def _name_cluster(decision: kinds.NameCluster, draft: Draft) -> None:
    draft.node(decision.parent_id)
    one_line(decision.label, "The name")


@effect.register
def _defer(decision: kinds.Defer, draft: Draft) -> None:
    draft.node(decision.parent_id)


@effect.register
def _rename(decision: kinds.RenameTopic, draft: Draft) -> None:
    node = draft.node(decision.node_id)
    if decision.node_id == ROOT_ID:
        raise DecisionError("The root has the taxonomy's title; change it with RenameTaxonomy.")
    label = one_line(decision.label, "The new name")
    if label == node.label:
        raise DecisionError(f"The topic is already called {label!r}.")
    draft.refuse_twin(label, draft.parents[node.node_id], [node.node_id])
    # A name that differs in case alone is a correction, not another name.
    names = [*node.alt_labels, node.label]
    kept = tuple(dict.fromkeys(name for name in names if name.casefold() != label.casefold()))
    draft.change(node.but(label=label, alt_labels=kept))


@effect.register
def _title(decision: kinds.RenameTaxonomy, draft: Draft) -> None:
    draft.change(draft.node(ROOT_ID).but(label=one_line(decision.title, "The title")))


@effect.register
def _merge(decision: kinds.MergeTopics, draft: Draft) -> None:
    into = draft.topic(decision.into_id, "merged into")
    merged = [draft.topic(node_id, "merged") for node_id in dict.fromkeys(decision.merged_ids)]
    if not merged:
        raise DecisionError(f"Nothing to merge into {into.label!r}; name at least one topic.")
    for node in merged:
        if draft.is_within(into.node_id, node.node_id):
            raise DecisionError(
                f"{node.label!r} cannot be merged into {into.label!r}, which is the same topic or lies below it. "
                "Merge the lower topic into the upper one."
            )
    for node in merged:
        # A topic of the same name as a sibling-to-be has been taken in with an earlier one.
        if node.node_id in draft.nodes:
            draft.absorb(into.node_id, node.node_id)


@effect.register
def _split(decision: kinds.SplitTopic, draft: Draft) -> None:
    node = draft.topic(decision.node_id, "split")
    part_ids = [part.node_id for part in decision.parts]
    if len(set(part_ids)) < 2 or len(set(part_ids)) < len(part_ids):
        raise DecisionError(f"To split {node.label!r}, give at least two parts with ids of their own.")
    children = draft.below(node.node_id)
    placed = dict(decision.placed)
    for child_id, part_id in decision.placed:
        if child_id not in children or part_id not in part_ids:
            raise DecisionError(
                f"In the split of {node.label!r}, {child_id!r} is not one of its children or {part_id!r} not a part."
            )
    parent_id = draft.parents[node.node_id]
    for child_id in children:
        draft.detach(child_id)
    position = draft.detach(node.node_id)
    draft.delete(node.node_id)
    for offset, part in enumerate(decision.parts):
        _insert(draft, state_of(part, node.status), parent_id, position + offset)
    for child_id in children:
        draft.attach(child_id, placed.get(child_id, part_ids[0]), None)
    if node.node_id not in part_ids:
        draft.succeed(node.node_id, part_ids[0])


@effect.register
def _move(decision: kinds.MoveTopic, draft: Draft) -> None:
    node = draft.topic(decision.node_id, "moved")
    parent = draft.node(decision.parent_id)
    if draft.is_within(parent.node_id, node.node_id):
        raise DecisionError(f"{node.label!r} cannot be moved below itself (under {parent.label!r}).")
    draft.refuse_twin(node.label, parent.node_id, [node.node_id])
    draft.detach(node.node_id)
    draft.attach(node.node_id, parent.node_id, decision.position)
    # What was a second parent is the parent now.
    link = (BROADER, reference(parent.node_id))
    if link in node.properties:
        draft.change(node.but(properties=tuple(pair for pair in node.properties if pair != link)))


@effect.register
def _remove(decision: kinds.RemoveTopic, draft: Draft) -> None:
    node = draft.topic(decision.node_id, "removed")
    parent_id = draft.parents[node.node_id]
    children = draft.below(node.node_id) if decision.keep_children else ()
    for child_id in children:
        draft.refuse_twin(draft.node(child_id).label, parent_id, [node.node_id])
        draft.detach(child_id)
    position = draft.detach(node.node_id)
    draft.delete(node.node_id)
    for offset, child_id in enumerate(children):
        draft.attach(child_id, parent_id, position + offset)


@effect.register
def _move_terms(decision: kinds.MoveTerms, draft: Draft) -> None:
    parent = draft.node(decision.parent_id)
    terms = unique(decision.terms, "A term")
    if not terms:
        raise DecisionError(f"No terms to move under {parent.label!r}; choose at least one.")
    if decision.to not in kinds.PIN_PLACES:
        target = draft.node(decision.to)
        draft.change(target.but(keywords=tuple(dict.fromkeys([*target.keywords, *terms]))))
    elif decision.to == kinds.KNOWN:
        return
    for child_id in draft.below(parent.node_id):
        if child_id != decision.to:
            _lose_terms(draft, child_id, set(terms))


@effect.register
def _move_document(decision: kinds.MoveDocument, draft: Draft) -> None:
    draft.node(decision.node_id)
    one_line(decision.document_id, "The document's id")


@effect.register
def _move_documents(decision: kinds.MoveDocuments, draft: Draft) -> None:
    node = draft.node(decision.node_id)
    if not decision.documents:
        raise DecisionError(f"No documents to move to {node.label!r}; choose at least one.")
    for document_id in decision.documents:
        one_line(document_id, "A document's id")


@effect.register
def _judge_documents(decision: kinds.JudgeDocuments, draft: Draft) -> None:
    node = draft.topic(decision.node_id, "judged for")
    placed = dict(decision.placed)
    if not placed:
        raise DecisionError(f"No documents were judged for {node.label!r}; answer for at least one.")
    for document_id, topic_id in placed.items():
        one_line(document_id, "A document's id")
        draft.node(topic_id)
    if strange := [each for each in decision.yes if each not in placed]:
        raise DecisionError(f"Document {strange[0]!r} is answered yes, but it is not said where it stays.")


@effect.register
def _keywords(decision: kinds.EditKeywords, draft: Draft) -> None:
    keywords = unique(decision.keywords, "A keyword")
    _edit(draft, decision.node_id, lambda node: node.but(keywords=keywords))


@effect.register
def _alt_labels(decision: kinds.EditAltLabels, draft: Draft) -> None:
    names = unique(decision.alt_labels, "An alternative label")
    _edit(draft, decision.node_id, lambda node: node.but(alt_labels=_others(names, node.label)))


@effect.register
def _definition(decision: kinds.EditDefinition, draft: Draft) -> None:
    text = free_text(decision.definition, "The definition")
    _edit(draft, decision.node_id, lambda node: node.but(definition=text))


@effect.register
def _scope_note(decision: kinds.EditScopeNote, draft: Draft) -> None:
    text = free_text(decision.scope_note, "The scope note")
    _edit(draft, decision.node_id, lambda node: node.but(scope_note=text))


@effect.register
def _properties(decision: kinds.EditProperties, draft: Draft) -> None:
    pairs = tuple((one_line(name, "The name of a property"), value) for name, value in decision.properties)
    _edit(draft, decision.node_id, lambda node: node.but(properties=pairs))


@effect.register
def _note(decision: kinds.AddNote, draft: Draft) -> None:
    text = free_text(decision.note, "The note")
    if not text:
        raise DecisionError("The note is empty. Type at least one character.")
    _edit(draft, decision.node_id, lambda node: node.but(notes=(*node.notes, text)))


@effect.register
def _status(decision: kinds.SetStatus, draft: Draft) -> None:
    draft.change(draft.topic(decision.node_id, f"marked as {decision.status}").but(status=decision.status))


def _edit(draft: Draft, node_id: str, edited: Callable[[TopicNode], TopicNode]) -> None:
    draft.change(edited(draft.node(node_id)))


def _insert(draft: Draft, node: TopicNode, parent_id: str, position: int | None) -> None:
    draft.node(parent_id)
    label = one_line(node.label, "The name of the topic")
    draft.refuse_twin(label, parent_id)
    clean = node.but(
        label=label,
        keywords=unique(node.keywords, "A keyword"),
        alt_labels=_others(unique(node.alt_labels, "An alternative label"), label),
        definition=free_text(node.definition, "The definition"),
        scope_note=free_text(node.scope_note, "The scope note"),
        notes=tuple(filter(None, (free_text(note, "A note") for note in node.notes))),
    )
    draft.insert(clean, parent_id, position)


def _others(names: tuple[str, ...], label: str) -> tuple[str, ...]:
    return tuple(name for name in names if name != label)


def _lose_terms(draft: Draft, node_id: str, terms: set[str]) -> None:
    node = draft.node(node_id)
    keywords = tuple(term for term in node.keywords if term not in terms)
    anchors = tuple(anchor for anchor in node.anchors if anchor.term not in terms)
    if len(keywords) < len(node.keywords) or len(anchors) < len(node.anchors):
        draft.change(node.but(keywords=keywords, anchors=anchors))
