"""Topics that left the vocabulary: what replaces each, and who said so, when and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from taxocom.store import Project
from taxocom.taxonomy.decisions import DeprecateTopic, LoggedDecision
from taxocom.taxonomy.statements import URI, Iri, encode_term, reference
from taxocom.taxonomy.tree import Taxonomy
from taxocom.taxonomy.vocabulary_sayings import deprecated_of


@dataclass(frozen=True)
class Retired:
    """A deprecated topic: its name, the topic of the tree that replaces it (id and name), and how it came to that.

    `author` is empty for one that was deprecated in a vocabulary that was imported.
    """

    label: str
    replaced_by: str = ""
    instead: str = ""
    author: str = ""
    at: str = ""
    why: str = ""


def retired_topics(project: Project) -> list[Retired]:
    """Return all deprecated topics by name, those of an imported vocabulary too."""
    tree, said = project.taxonomy(), _said(project)
    deprecated = deprecated_of(tree)
    next_of = {topic.key: topic.replaced_by for topic in deprecated}
    found = []
    for topic in deprecated:
        entry = said.get(topic.key)
        instead = _in_use(topic.replaced_by, next_of, tree)
        about = (entry.author, entry.at, entry.why) if entry else ("", "", "")
        found.append(Retired(topic.label, instead, tree[instead].label if instead else "", *about))
    return found


def _in_use(node_id: str, next_of: Mapping[str, str], tree: Taxonomy) -> str:
    """Return the topic in use that replaces another: what replaced it first may have been replaced since."""
    passed: set[str] = set()
    while node_id and node_id not in tree and node_id not in passed:
        passed.add(node_id)
        node_id = next_of.get(reference(node_id), "")
    return node_id if node_id in tree else ""


def _said(project: Project) -> dict[str, LoggedDecision]:
    """Return the decision that deprecated each topic, by the key that the tree has for it."""
    found: dict[str, LoggedDecision] = {}
    for entry in project.standing().in_force:
        if isinstance(entry.decision, DeprecateTopic):
            node = entry.decision.node
            given = next((value for name, value in node.properties if name == URI), "")
            found[reference(node.node_id)] = entry
            if given:
                found[encode_term(Iri(given))] = entry
    return found
