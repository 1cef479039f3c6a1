"""Is a taxonomy fit to be published as SKOS? What is not, with a fix to press where one exists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from taxocom.interchange.base.context import ExportContext
from taxocom.interchange.base.markdown_escapes import plain
from taxocom.interchange.base.source import Source
from taxocom.interchange.skos.integrity_fixes import Fixer, IntegrityFix
from taxocom.interchange.skos.skos_graph import SkosGraph
from taxocom.interchange.skos.skos_rules import TITLES, Rule, Severity, violations
from taxocom.interchange.skos.skos_writing import skos_triples, uri_of
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.statements import TopicRef, decode_term
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy

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
