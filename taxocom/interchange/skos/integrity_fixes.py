"""What would repair a broken rule, as decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from taxocom.interchange.skos.skos_graph import UNDETERMINED
from taxocom.interchange.skos.skos_rules import Violation
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.statements import SKOS, TYPE, Literal, Reference, Term, TopicRef, encode_term
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.terms.vocabulary import display


@dataclass(frozen=True)
class IntegrityFix:
    """Decisions that would repair a finding; record them as one would any other. `touched` are the topics changed."""

    message: str
    decisions: tuple[d.Decision, ...]
    touched: frozenset[str]


@dataclass(frozen=True)
class Fixer:
    """Offers fixes for one tree; `ids` are its topics by URI."""

    tree: Taxonomy
    ids: dict[str, str]

    def fix(self, violation: Violation, node: TopicNode) -> IntegrityFix | None:
        """Return a fix for what `node` breaks, None if only a person can tell."""
        match violation.rule:
            case "S9" | "S37":
                return self._drop_types(violation, node)
            case "S13":
                return self._drop_label(violation, node)
            case "S14":
                return self._drop_labels(violation, node)
            case "S27":
                return self._drop_links(violation, node, ("related",))
            case "S46":
                return self._drop_links(violation, node, ("broadMatch", "narrowMatch", "relatedMatch"))
            case "cycle":
                return self._break_circle(violation)
            case "duplicate-label":
                return self._tell_apart(node)
            case "undocumented":
                return _draft_note(node)
            case _:
                return None

    def _drop_types(self, violation: Violation, node: TopicNode) -> IntegrityFix | None:
        unwanted = {encode_term(term) for term in violation.terms}
        decision = _without(node, lambda name, value: name == TYPE and value in unwanted)
        return _offer("keep it as a concept only", decision)

    def _drop_label(self, violation: Violation, node: TopicNode) -> IntegrityFix | None:
        (label,) = violation.terms
        language = "" if self.tree.language == UNDETERMINED else self.tree.language
        message = f"keep {label.value!r} in one role only"
        second = (SKOS + "prefLabel", encode_term(label))
        if label.value != node.label and second in node.properties:
            return _offer(message, _without(node, lambda *pair: pair == second))
        if isinstance(label, Literal) and label.language == language and label.value in node.alt_labels:
            names = tuple(name for name in node.alt_labels if name != label.value)
            return _offer(message, d.EditAltLabels(node.node_id, names))
        roles, value = (SKOS + "altLabel", SKOS + "hiddenLabel"), encode_term(label)
        return _offer(message, _without(node, lambda name, said: name in roles and said == value))

    def _drop_labels(self, violation: Violation, node: TopicNode) -> IntegrityFix | None:
        carried = [encode_term(term) for term in violation.terms]
        # The tree's own label is no property; among carried ones alone, the first is kept.
        own = [pair for pair in node.properties if pair[0] == SKOS + "prefLabel" and pair[1] in carried]
        unwanted = own if len(own) < len(carried) else own[1:]
        return _offer("keep one label of the language", _without(node, lambda *pair: pair in unwanted))

    def _drop_links(self, violation: Violation, node: TopicNode, names: tuple[str, ...]) -> IntegrityFix | None:
        links = {SKOS + name for name in names}
        other = self._referred(violation.terms[0])
        ends = [(node, encode_term(other))]
        if isinstance(other, TopicRef) and other.node_id in self.tree:
            ends.append((self.tree[other.node_id], encode_term(TopicRef(node.node_id))))
        edits = [_without_links(end, links, value) for end, value in ends]
        return _offer(f"drop the link {' or '.join(names)}", *edits)

    def _break_circle(self, violation: Violation) -> IntegrityFix | None:
        circle = [self._referred(term) for term in (violation.subject, *violation.terms)]
        values = {encode_term(term) for term in circle}
        for term in circle:
            if isinstance(term, TopicRef) and term.node_id in self.tree:
                node = self.tree[term.node_id]
                decision = _without(node, lambda name, value: name == SKOS + "broader" and value in values)
                if decision:
                    return _offer("drop the second broader link that closes the circle", decision)
        return None

    def _tell_apart(self, node: TopicNode) -> IntegrityFix | None:
        parent = self.tree.parent_of(node.node_id)
        if parent is None or parent == ROOT_ID:
            return None
        label = f"{node.label} ({self.tree[parent].label})"
        return _offer(f"rename it to {label!r}", d.RenameTopic(node.node_id, label))

    def _referred(self, term: Term) -> Reference:
        return term if isinstance(term, Literal) or term.value not in self.ids else TopicRef(self.ids[term.value])


def _draft_note(node: TopicNode) -> IntegrityFix | None:
    terms = dict.fromkeys([*node.keywords, *(display(anchor.term) for anchor in node.anchors)])
    if not terms:
        return None
    note = f"Covers documents about {', '.join(list(terms)[:8])}."
    return _offer("write a scope note from its keywords and anchor terms", d.EditScopeNote(node.node_id, note))


def _without(node: TopicNode, unwanted: Callable[[str, str], bool]) -> d.EditProperties | None:
    kept = tuple(pair for pair in node.properties if not unwanted(*pair))
    return None if len(kept) == len(node.properties) else d.EditProperties(node.node_id, kept)


def _without_links(node: TopicNode, links: set[str], value: str) -> d.EditProperties | None:
    return _without(node, lambda name, said: name in links and said == value)


def _offer(
    message: str, *decisions: d.EditProperties | d.EditAltLabels | d.RenameTopic | d.EditScopeNote | None
) -> IntegrityFix | None:
    given = tuple(decision for decision in decisions if decision is not None)
    return IntegrityFix(message, given, frozenset(decision.node_id for decision in given)) if given else None
