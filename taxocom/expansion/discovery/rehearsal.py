"""What the engine finds again of known sub-topics that are hidden from it, one at a time: how far to trust it here.

No label is needed. The documents that the tagger gives to a sub-topic are what is looked for once it is hidden; the
facets and how they are confused stay as they are, so hiding one costs a fraction of an expansion.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taxocom.expansion.discovery.admission import gate_at
from taxocom.expansion.discovery.affinity import Affinity
from taxocom.expansion.discovery.facets import FREE, Facets
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.discovery.novel_groups import draw_to_chosen, find_novel_groups, weigh_group
from taxocom.expansion.proposals.proposal import HiddenTopic
from taxocom.numerics.arrays import Bools1d, Ints1d
from taxocom.progress import SILENT, Progress
from taxocom.settings import ExpansionSettings
from taxocom.tagging.explanation import Hidden

_FOUND = 0.5
"""From this F1 of its documents on, a topic counts as found, as it does where labels are the judge."""

_FEWEST_SIBLINGS = 3
"""With two known sub-topics one is left when the other is hidden, and there is nothing to tell it from."""


def rehearse(
    evidence: NodeEvidence, settings: ExpansionSettings, *, progress: Progress = SILENT
) -> tuple[HiddenTopic, ...]:
    """Hide known sub-topics in turn and look for them, as for any that is missing.

    Whatever is proposed counts, also what would be proposed with nothing hidden: it may be wrong, and left out of the
    account practice would promise more than labels confirm.
    """
    explanation = evidence.explanation
    if explanation is None or evidence.n_known < _FEWEST_SIBLINGS:
        return ()
    held = explanation.branches[explanation.best()]
    found = []
    for number, hidden in enumerate(explanation.hidden):
        progress.report("Practising on the known topics", number / len(explanation.hidden))
        found.append(_look_for(evidence, hidden, held[hidden.rows] == hidden.branch, settings))
    return tuple(found)


def _look_for(evidence: NodeEvidence, hidden: Hidden, own: Bools1d, settings: ExpansionSettings) -> HiddenTopic:
    found = _proposed(_without(evidence, hidden), settings)
    together = np.any(found, axis=0) if found else np.zeros(len(own), dtype=np.bool_)
    is_found = max((_f1(group, own) for group in found), default=0.0) >= _FOUND
    return HiddenTopic(
        node_id=evidence.children[hidden.branch],
        f1=_f1(together, own),
        is_found=is_found,
        n_others=len(found) - is_found,
    )


def _proposed(evidence: NodeEvidence, settings: ExpansionSettings) -> list[Bools1d]:
    """Return the groups that would be proposed, as a flag a document."""
    groups = find_novel_groups(evidence, settings.novelty_threshold)
    gate = gate_at(settings.novelty_threshold)
    admitted = [
        group
        for group in groups.novel
        if not weigh_group(evidence, groups, group).shortcomings(size_floor=settings.size_floor, gate=gate)
    ]
    return [np.isin(evidence.facets.labels, group) for group in draw_to_chosen(evidence, groups, admitted)]


def _without(evidence: NodeEvidence, hidden: Hidden) -> NodeEvidence:
    """Return the evidence as it would be without a sub-topic: the facets of its name are anybody's."""
    rows, affinity = hidden.rows, evidence.affinity
    labels = evidence.facets.labels[rows]
    sizes = np.bincount(labels, minlength=len(affinity.sizes)).astype(np.int32)
    stay = evidence.direction_child != hidden.branch
    number = np.where(stay, np.cumsum(stay) - 1, FREE).astype(np.int32)
    owners: Ints1d = np.where(evidence.facets.owners == FREE, FREE, number[evidence.facets.owners]).astype(np.int32)
    child = evidence.direction_child[stay]
    return replace(
        evidence,
        documents=evidence.documents[rows],
        children=evidence.children[: hidden.branch] + evidence.children[hidden.branch + 1 :],
        topics=np.delete(evidence.topics, hidden.branch, axis=0),
        directions=evidence.directions[stay],
        direction_child=(child - (child > hidden.branch)).astype(np.int32),
        is_leaf=np.delete(evidence.is_leaf, hidden.branch),
        facets=Facets(labels, owners, evidence.facets.centers),
        affinity=Affinity(affinity.links, affinity.evidence[rows], sizes),
        explanation=hidden.explanation,
        others=None,
    )


def _f1(some: Bools1d, others: Bools1d) -> float:
    total = int(some.sum()) + int(others.sum())
    return 2.0 * int((some & others).sum()) / total if total else 0.0
