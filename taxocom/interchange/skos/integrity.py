"""Is a taxonomy fit to be published as SKOS? What is not, with a fix to press where one exists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from taxocom.interchange.base.context import ExportContext
from taxocom.interchange.base.markdown_escapes import plain
from taxocom.interchange.base.source import Source
from taxocom.interchange.skos.skos_graph import UNDETERMINED, SkosGraph
from taxocom.interchange.skos.skos_rules import TITLES, Rule, Severity, Violation, violations
from taxocom.interchange.skos.skos_writing import skos_triples, uri_of
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.statements import SKOS, TYPE, Literal, Reference, Term, TopicRef, decode_term, encode_term
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.terms.vocabulary import display

ERRORS: tuple[Rule, ...] = ("S9", "S13", "S14", "S27", "S37", "S46", "cycle")
_MOST_PASSES = 10


@dataclass(frozen=True)
class IntegrityFinding:
    """A broken rule; `node_id` is empty for what is no topic of the tree."""

    rule: Rule
    severity: Severity
    node_id: str
    message: str
    fix: IntegrityFix | None = None


@dataclass(frozen=True)
class IntegrityReport:
    """Everything that breaks a rule, the graver first."""

    title: str
    n_topics: int
    findings: tuple[IntegrityFinding, ...]

    @property
    def ok(self) -> bool:
        """Whether no condition of SKOS itself is broken."""
        return not any(finding.severity == "error" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        found = [
            {**asdict(finding), "fix": finding.fix and {
                "message": finding.fix.message, "decisions": [decision.to_dict() for decision in finding.fix.decisions],
            }}
            for finding in self.findings
        ]  # fmt: skip
        return {"title": self.title, "topics": self.n_topics, "ok": self.ok, "findings": found}

    def to_markdown(self) -> str:
        """Return a table of the rules and, below it, every finding with its fix."""
        counts = Counter(finding.rule for finding in self.findings)
        lines = [f"# Integrity of {plain(self.title)}", "", f"{self.n_topics} topics.", ""]
        lines += ["| rule | meaning | found |", "|---|---|---|"]
        lines += [f"| {rule} | {meaning} | {counts[rule] or 'none'} |" for rule, meaning in TITLES.items()]  # type: ignore[index]  # TITLES is keyed by rule
        for severity, heading in (("error", "Errors"), ("warning", "Warnings"), ("info", "To know")):
            found = [finding for finding in self.findings if finding.severity == severity]
            if found:
                lines += ["", f"## {heading}", ""]
                for finding in found:
                    fix = f" *Fix: {plain(finding.fix.message)}*" if finding.fix else ""
                    lines.append(f"- {finding.rule}: {plain(finding.message)}{fix}")
        return "\n".join([*lines, ""])


def check_integrity(tree: Taxonomy, context: ExportContext | None = None) -> IntegrityReport:
    """Check a taxonomy as it would go out, what it carries along included."""
    # Who decided what is said beside the topics and breaks no rule of theirs; a long log would be most of the graph.
    context = replace(context or ExportContext(), log=(), evidence={})
    graph = SkosGraph(skos_triples(tree, context))
    ids = {uri_of(node, context.base_uri): node_id for node_id, node in tree.nodes.items()}
    fixer = Fixer(tree, ids)
    findings = []
    for violation in violations(graph):
        node_id = ids.get(violation.subject.value, "")
        fix = fixer.fix(violation, tree[node_id]) if node_id else None
        findings.append(IntegrityFinding(violation.rule, violation.severity, node_id, violation.message, fix))
    findings.extend(_dangling(tree))
    return IntegrityReport(tree.root.label, len(tree), tuple(findings))


def check_skos(source: Source, syntax: str) -> IntegrityReport:
    """Check a SKOS file from elsewhere without importing it; nothing in it can be fixed from here."""
    # Imported where it is used: rdflib takes a third of a second that no other format needs.
    from taxocom.interchange.skos.rdf_parsing import parse_rdf

    graph = SkosGraph(parse_rdf(source, syntax))
    findings = tuple(IntegrityFinding(v.rule, v.severity, "", v.message) for v in violations(graph))
    return IntegrityReport(source.name, len(graph.concepts), findings)


def apply_fixes(tree: Taxonomy, context: ExportContext | None = None, *, rules: Iterable[str] = ERRORS) -> Taxonomy:
    """Return the tree with the fixes on offer for some rules carried out, those for broken SKOS conditions by default.

    A fix may change what another finding is about, so each topic is changed once between two checks.
    """
    wanted = set(rules)
    for _ in range(_MOST_PASSES):
        changed: set[str] = set()
        for finding in check_integrity(tree, context).findings:
            if finding.fix and finding.rule in wanted and not changed & finding.fix.touched:
                for decision in finding.fix.decisions:
                    tree = d.apply(tree, decision)
                changed |= finding.fix.touched
        if not changed:
            break
    return tree


def _dangling(tree: Taxonomy) -> Iterator[IntegrityFinding]:
    for node in tree.subtree_of(ROOT_ID):
        lost = [
            (name, value)
            for name, value in node.properties
            if isinstance(term := decode_term(value), TopicRef) and term.node_id not in tree
        ]
        if lost:
            kept = tuple(pair for pair in node.properties if pair not in lost)
            message = f"{node.label!r} has {len(lost)} carried links to topics that are gone."
            fix = IntegrityFix("drop these links", (d.EditProperties(node.node_id, kept),), frozenset({node.node_id}))
            yield IntegrityFinding("dangling", "warning", node.node_id, message, fix)


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
