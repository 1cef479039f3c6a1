"""Split a node by its facets: what no known topic explains and what hangs together is a novel topic.

ARCHITECTURE.md, departure 1: the paper splits the terms and clusters the novel ones; here documents are the witnesses,
and a term goes where the documents that use it go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from taxocom.errors import SettingsError
from taxocom.expansion.discovery.admission import Standing, gate_at
from taxocom.expansion.discovery.grouping import Group
from taxocom.expansion.discovery.kinship import measure_kinship
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.discovery.novel_groups import NovelGroups, draw_to_chosen, find_novel_groups, weigh_group
from taxocom.expansion.paper.candidates import concentration_spread, concentrations
from taxocom.expansion.paper.clusters import DocumentAssignment
from taxocom.expansion.partitions.split_result import Partition, Request, best_of, pin_terms, use_by_group
from taxocom.expansion.proposals.proposal import Candidate, LeftOutGroup
from taxocom.numerics.arrays import UNASSIGNED, Bools1d, Doubles, Floats1d, Floats2d, Ints1d
from taxocom.tagging.explanation import place_documents
from taxocom.tagging.model import softmax
from taxocom.tagging.tagger import branch_shares
from taxocom.taxonomy.curation import same_cluster
from taxocom.taxonomy.tree import topic_id
from taxocom.text.terms.vocabulary import Vocabulary

_PIN_WEIGHT = 4.0
_NEARLY_ALL = 0.9
_PART_GRAIN = 1.25
_MOSTLY_BROAD = 0.5
_MOST_OF_IT = 0.4
_COMPARED_TERMS = 20
_SHOWN_TERMS = 6


@dataclass(frozen=True)
class _Found:
    """A novel group with its telling terms, how it stands and, in words, what it lacks."""

    facets: Group
    cluster_id: str
    terms: tuple[str, ...]
    standing: Standing
    shortcomings: tuple[str, ...]

    def left_out(self) -> LeftOutGroup:
        """Describe the group as one that is not proposed."""
        reason = "; ".join(self.shortcomings) or "fewer new topics were asked for"
        return LeftOutGroup(self.cluster_id, self.standing.n_documents, self.terms[:_SHOWN_TERMS], reason)


def split_by_facets(
    evidence: NodeEvidence, counts: sparse.csr_array, use: Doubles, vocabulary: Vocabulary, request: Request
) -> Partition:
    """Return the clusters of a node; `counts` (documents, terms of the node) and `use` as `facet_use` counts it."""
    settings, overrides = request.settings, request.overrides
    groups = find_novel_groups(evidence, request.threshold)
    found = _judge(evidence, groups, request, use, vocabulary)
    found = _as_curated(found, evidence, groups, request)
    # What was joined or taken apart by hand lacks nothing, wherever it stood before.
    found.sort(key=lambda group: bool(group.shortcomings))
    admitted = [group for group in found if not group.shortcomings]
    n_chosen = min(len(admitted), settings.max_novel) if overrides.n_novel is None else overrides.n_novel
    if n_chosen > len(found):
        raise SettingsError(f"{n_chosen} novel topics were asked for, but only {len(found)} groups can be told apart.")
    if n_chosen == 0 and not settings.allow_none and found:
        n_chosen = 1
    wanted = [number < n_chosen or group.cluster_id in overrides.included for number, group in enumerate(found)]
    chosen = [group for group, is_wanted in zip(found, wanted, strict=True) if is_wanted]
    left_out = [group for group, is_wanted in zip(found, wanted, strict=True) if not is_wanted]
    cluster_ids = (*evidence.children, *(group.cluster_id for group in chosen))
    facets = draw_to_chosen(evidence, groups, [group.facets for group in chosen])
    documents = _assign_documents(evidence, counts, facets, cluster_ids, request, vocabulary)
    term_cluster, is_novel = _assign_terms(
        evidence, counts, documents.cluster, len(cluster_ids), request, vocabulary, cluster_ids
    )
    return Partition(
        cluster_ids=cluster_ids,
        n_known=evidence.n_known,
        novelty=_novelty(evidence, use),
        novelty_threshold=request.threshold,
        is_novel=is_novel,
        term_cluster=term_cluster,
        documents=documents,
        candidates=_candidates(evidence, use, groups.known, found, n_chosen, overrides.n_novel is not None),
        standings={group.cluster_id: group.standing for group in chosen},
        notes={group.cluster_id: group.shortcomings for group in chosen},
        fits_under=_fitting_parents(evidence, groups, chosen),
        left_out=tuple(group.left_out() for group in left_out),
    )


def facet_use(evidence: NodeEvidence, counts: sparse.csr_array) -> Doubles:
    """Count in how many documents of each facet each term occurs, shape (n_terms, n_facets)."""
    return use_by_group(counts, evidence.facets.labels, len(evidence.facets))


def _fitting_parents(evidence: NodeEvidence, groups: NovelGroups, chosen: Sequence[_Found]) -> dict[str, str]:
    """Find the child that a cluster belongs under, where its size is that of the children's sub-topics.

    Siblings are of equal grain: among topics that each have sub-topics, a cluster as small as one of those is a missing
    sub-topic. Its parent is the child that the tagger gives most of its documents to and whose leaves it is nearest to;
    if the tagger gives no child with sub-topics most of them, it stays where it was found.
    """
    broad, explanation = ~evidence.is_leaf, evidence.explanation
    if explanation is None or not broad.any() or broad.mean() < _MOSTLY_BROAD:
        return {}
    sizes = evidence.affinity.sizes
    n_parts = np.maximum(np.bincount(evidence.direction_child, minlength=evidence.n_known), 1)
    of_children = np.array([sizes[list(group)].sum() for group in groups.known])
    of_a_part = float(np.median((of_children / n_parts)[broad]))
    given = branch_shares(explanation.probabilities(), explanation.branches, evidence.n_known)
    novel = tuple(facet for group in groups.novel for facet in group)
    found = {}
    for cluster in chosen:
        members = np.isin(evidence.facets.labels, cluster.facets)
        if members.sum() > _PART_GRAIN * of_a_part:
            continue
        shares = given[members].mean(axis=0)
        closeness = np.full(evidence.n_known, -np.inf)
        np.maximum.at(
            closeness, explanation.branches, measure_kinship(evidence, explanation, novel, cluster.facets).closeness
        )
        best = int(np.where(broad, shares + np.maximum(closeness, 0.0), -np.inf).argmax())
        if shares[best] > _MOST_OF_IT:
            found[cluster.cluster_id] = evidence.children[best]
    return found


def _judge(
    evidence: NodeEvidence, groups: NovelGroups, request: Request, use: Doubles, vocabulary: Vocabulary
) -> list[_Found]:
    """Weigh every novel group: those that lack nothing first, then the rest, each by size."""
    settings = request.settings
    found = []
    for group in groups.novel:
        standing = weigh_group(evidence, groups, group)
        lacks = standing.shortcomings(
            size_floor=settings.size_floor, gate=gate_at(request.threshold), labels=request.labels
        )
        terms = _telling_terms(evidence, use, group, vocabulary)
        cluster_id = topic_id(evidence.node_id, *sorted(terms[:5]))
        if standing.n_documents > _NEARLY_ALL * len(evidence.documents):
            lacks.append("it is nearly all of the topic, and no part of it")
        for rejected in request.rejected:
            if cluster_id == rejected.cluster_id or same_cluster("", terms, rejected):
                lacks.append(f"it was rejected before: {rejected.reason or 'no reason given'}")
        found.append(_Found(group, cluster_id, tuple(terms), standing, tuple(lacks)))
    return sorted(found, key=lambda group: (bool(group.shortcomings), -group.standing.n_documents, group.facets))


def _telling_terms(evidence: NodeEvidence, use: Doubles, group: Group, vocabulary: Vocabulary) -> list[str]:
    """Return the terms that the group's documents use most beyond their share."""
    gain = _gain(use, [group], evidence.affinity.sizes)[:, 0]
    best = np.argsort(-gain, kind="stable")[:_COMPARED_TERMS]
    return vocabulary.select(evidence.term_ids[best])


def _gain(use: Doubles, groups: Sequence[Group], sizes: Ints1d) -> Doubles:
    """Return p(group | term) · log lift of every term in every group, weighed by how often the term occurs."""
    totals = np.maximum(use.sum(axis=1), 1.0)
    whole = max(float(sizes.sum()), 1.0)
    columns = []
    for group in groups:
        members = use[:, list(group)].sum(axis=1)
        share = float(sizes[list(group)].sum()) / whole
        smoothed = (members + share) / (totals + 1.0)
        columns.append(members * np.log(np.maximum(smoothed, 1e-9) / max(share, 1e-9)))
    return np.stack(columns, axis=1) if columns else np.zeros((len(use), 0))


def _as_curated(found: list[_Found], evidence: NodeEvidence, groups: NovelGroups, request: Request) -> list[_Found]:
    """Join and take apart what the curator joined and took apart, in the order in which that is possible.

    What was joined may have been taken apart, and its parts joined again: each is done once all that it names is there.
    """
    merges, splits = list(request.overrides.merged), list(dict.fromkeys(request.overrides.split))
    while True:
        present = {group.cluster_id for group in found}
        whole = next((ids for ids in merges if present.issuperset(ids)), None)
        apart = next((each for each in splits if each in present), None)
        # A cluster of a set may be gone, as another threshold has other groups: the others are joined all the same.
        part = next((ids for ids in merges if len(present.intersection(ids)) > 1), None)
        if whole or (part and not apart):
            ids = whole or part or ()
            merges.remove(ids)
            found = _merged(found, ids, evidence, groups)
        elif apart:
            splits.remove(apart)
            found = _taken_apart(found, apart, evidence, groups)
        else:
            return found


def _merged(found: list[_Found], ids: Sequence[str], evidence: NodeEvidence, groups: NovelGroups) -> list[_Found]:
    """Join groups under the id of the first of them."""
    members = [group for cluster in ids for group in found if group.cluster_id == cluster]
    facets = tuple(facet for group in members for facet in group.facets)
    joined = replace(members[0], facets=facets, standing=weigh_group(evidence, groups, facets), shortcomings=())
    return [joined if group is members[0] else group for group in found if group not in members[1:]]


def _taken_apart(found: list[_Found], cluster_id: str, evidence: NodeEvidence, groups: NovelGroups) -> list[_Found]:
    """Divide a group in two, along its weakest links."""
    result: list[_Found] = []
    for group in found:
        if group.cluster_id != cluster_id:
            result.append(group)
            continue
        if len(group.facets) < 2:
            raise SettingsError("This cluster is of one piece: no line was found to split it along.")
        for number, half in enumerate(_halves(evidence, group.facets)):
            standing = weigh_group(evidence, groups, half)
            result.append(_Found(half, topic_id(group.cluster_id, str(number)), group.terms, standing, ()))
    return result


def _halves(evidence: NodeEvidence, facets: Group) -> tuple[Group, Group]:
    links = evidence.affinity.links[np.ix_(facets, facets)]
    np.fill_diagonal(links, np.inf)
    one, two = np.unravel_index(links.argmin(), links.shape)
    nearer = links[:, one] >= links[:, two]
    nearer[one], nearer[two] = True, False
    return (
        tuple(facet for facet, first in zip(facets, nearer, strict=True) if first),
        tuple(facet for facet, first in zip(facets, nearer, strict=True) if not first),
    )


def _assign_documents(
    evidence: NodeEvidence,
    counts: sparse.csr_array,
    chosen: Sequence[Group],
    cluster_ids: Sequence[str],
    request: Request,
    vocabulary: Vocabulary,
) -> DocumentAssignment:
    """Ask the tagger where every document belongs, with the chosen groups as topics beside the known ones."""
    novel = np.full(len(evidence.documents), -1, dtype=np.int32)
    for number, group in enumerate(chosen):
        novel[np.isin(evidence.facets.labels, group)] = number
    pins = np.zeros((len(novel), len(cluster_ids)), dtype=np.float32)
    for cluster, cluster_id in enumerate(cluster_ids):
        # A lasso pins thousands of terms at once, so they are counted together.
        ids = vocabulary.ids_of(term for term, target in request.pinned.items() if target == cluster_id)
        pinned = np.flatnonzero(np.isin(evidence.term_ids, ids))
        if len(pinned):
            pins[:, cluster] = _PIN_WEIGHT * counts[:, pinned].astype(np.float32).log1p().sum(axis=1)
    shares = document_shares(evidence, counts, novel, len(chosen))
    if evidence.explanation is not None:
        # Terms that were moved are a hint; what a person said of a document is not.
        pins[evidence.explanation.told >= 0] = 0.0
    if pins.any():
        shares = softmax(np.log(np.maximum(shares, 1e-9)) + pins)
    if not shares.shape[1]:
        nothing = np.zeros(len(novel), dtype=np.float32)
        return DocumentAssignment(np.full(len(novel), UNASSIGNED, dtype=np.int32), nothing, nothing)
    best = shares.argmax(axis=1).astype(np.int32)
    if request.overrides.split:
        # What a person took apart stays apart, however alike the two halves are.
        told = evidence.explanation is not None and evidence.explanation.told >= 0
        best = np.where((novel >= 0) & ~np.asarray(told), evidence.n_known + novel, best).astype(np.int32)
    if not evidence.n_known:
        best[novel < 0] = UNASSIGNED
    ordered = np.sort(shares, axis=1)
    margin = ordered[:, -1] - (ordered[:, -2] if shares.shape[1] > 1 else 0.0)
    return DocumentAssignment(best, ordered[:, -1], margin.astype(np.float32))


def document_shares(evidence: NodeEvidence, counts: sparse.csr_array, novel: Ints1d, n_novel: int) -> Floats2d:
    """Return how surely each document belongs to each cluster, known ones first."""
    if evidence.explanation is None:
        raise SettingsError("This proposal was kept without what the known topics explain. Expand the topic again.")
    return place_documents(evidence.explanation, counts, novel, evidence.n_known, n_novel)


def _novelty(evidence: NodeEvidence, use: Doubles) -> Floats1d:
    """Return how unexplained the documents of each term are, in [0, 1], 0.5 at the gate for new topics."""
    n_facets = len(evidence.facets)
    sizes = np.maximum(np.bincount(evidence.facets.labels, minlength=n_facets), 1)
    explained = np.zeros(n_facets)
    if evidence.explanation is not None:
        total = np.bincount(evidence.facets.labels, weights=evidence.explanation.explained, minlength=n_facets)
        explained = total / sizes
    unexplained = np.clip(1.0 - explained / gate_at(0.0), 0.0, 1.0)
    return np.asarray(use @ unexplained / np.maximum(use.sum(axis=1), 1.0), dtype=np.float32)


def _assign_terms(
    evidence: NodeEvidence,
    counts: sparse.csr_array,
    document_cluster: Ints1d,
    n_clusters: int,
    request: Request,
    vocabulary: Vocabulary,
    cluster_ids: Sequence[str],
) -> tuple[Ints1d, Bools1d]:
    """Give each topical term to the cluster whose documents use it most beyond their share."""
    groups = np.where(document_cluster >= 0, document_cluster, n_clusters)
    use = use_by_group(counts, groups, n_clusters + 1)
    sizes = np.bincount(groups, minlength=n_clusters + 1).astype(np.int32)
    gain = _gain(use, [(cluster,) for cluster in range(n_clusters)], sizes)
    best = best_of(gain, range(n_clusters))
    settings = request.settings
    topical = gain.max(axis=1, initial=0.0) > 0
    if settings.topical_terms_only:
        topical &= evidence.topicality >= settings.min_topicality
        topical &= use.sum(axis=1) >= min(settings.min_document_frequency, max(3, len(document_cluster) // 200))
    cluster = np.where(topical, best, UNASSIGNED).astype(np.int32)
    is_novel = cluster >= evidence.n_known
    fallback = {False: best_of(gain, range(evidence.n_known)), True: best_of(gain, range(evidence.n_known, n_clusters))}
    pin_terms(cluster, is_novel, request.pinned, cluster_ids, evidence, vocabulary, fallback)
    return cluster, is_novel


def _candidates(
    evidence: NodeEvidence, use: Doubles, known: Sequence[Group], found: Sequence[_Found], n_chosen: int, by_hand: bool
) -> tuple[Candidate, ...]:
    """Describe every count of novel clusters from none to all: adding them strongest first, why each is in or out."""
    groups = [*known, *(group.facets for group in found)]
    gain = _gain(use, groups, evidence.affinity.sizes)
    telling = gain.max(axis=1, initial=0.0) > 0
    telling &= evidence.topicality >= np.median(evidence.topicality)
    cluster = np.where(telling, best_of(gain, range(len(groups))), UNASSIGNED).astype(np.int32)
    values = concentrations(evidence.vectors, cluster, cluster >= 0, len(groups))
    n_known = len(known)
    described = []
    for count in range(len(found) + 1):
        own = values[: n_known + count]
        chosen = count == n_chosen
        if count and found[count - 1].shortcomings:
            reason = f"The next group falls short: {'; '.join(found[count - 1].shortcomings)}."
        elif count == 0:
            reason = "Nothing is missing." if chosen else "At least one group is missing from the known topics."
        else:
            reason = "Every group up to here is distinct, large enough and coherent."
        if chosen and by_hand:
            reason = "Chosen by hand. " + reason
        described.append(
            Candidate(
                n_novel=count,
                concentrations=own,
                concentration_spread=concentration_spread(own),
                score=found[count - 1].standing.distinctness if count else None,
                eligible=not (count and found[count - 1].shortcomings),
                chosen=chosen,
                reason=reason,
            )
        )
    return tuple(described)
