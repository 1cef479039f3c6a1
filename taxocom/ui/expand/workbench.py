"""The draft on a proposal: read from the store, changed by an action, written back."""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import streamlit as st

from taxocom.errors import TaxocomError
from taxocom.expansion.proposals.proposal import NodeExpansion, Overrides
from taxocom.store import Project, StaleWriterError
from taxocom.store.projects.document_places import document_places
from taxocom.store.projects.topic_timeline import periods_if_any
from taxocom.taxonomy.decisions import Decision, LoggedDecision
from taxocom.taxonomy.kinds import PIN_PLACES
from taxocom.text.terms.vocabulary import Vocabulary
from taxocom.ui.map import NodePoints, pack_node
from taxocom.ui.runtime import session
from taxocom.ui.shared import curator
from taxocom.ui.shared.cards import cluster_names
from taxocom.ui.shared.proposal_draft import Draft, DraftHistory, Judgement, Part
from taxocom.ui.shared.topic_split import offered, suggested_part
from taxocom.workflow.node_picture import NodePicture, node_picture, with_counts
from taxocom.workflow.open_proposals import OpenProposal
from taxocom.workflow.parts import with_documents_of_parts

log = logging.getLogger("taxocom.ui")
_CROSSED_SHOWN = 12
_WARMED_AFTER_SECONDS = 1.0
_GESTURE = "gesture"


def left_over(project: Project, node_id: str) -> Draft | None:
    """Return this person's draft on a proposal of a topic that is not open any more, None without one."""
    is_open = {record.proposal_id for record in project.proposals(node_id, "open")}
    for person in filter(None, (curator.name(), curator.browser())):
        kept = project.preferences(person)
        for found in (kept.get(f"draft/{node_id}"), kept.get(f"left/{node_id}")):
            draft = DraftHistory.from_dict(found).present if found else None
            if draft is not None and draft.proposal_id not in is_open and (draft.judgements or draft.joined):
                return draft
    return None


def forget_left_over(project: Project, node_id: str) -> None:
    """Forget what is left of drafts on proposals of a topic that are not open any more."""
    left = left_over(project, node_id)
    while left is not None:
        for person in filter(None, (curator.name(), curator.browser())):
            for key in (f"draft/{node_id}", f"left/{node_id}"):
                kept = project.preferences(person).get(key)
                if kept and kept["present"]["proposal_id"] == left.proposal_id:
                    project.set_preference(person, key, None)
        left = left_over(project, node_id)


def _set_aside(project: Project, node_id: str, proposal_id: int) -> None:
    """Keep a draft on an earlier proposal apart before one on this proposal takes its place."""
    for person in filter(None, (curator.name(), curator.browser())):
        kept = project.preferences(person).get(f"draft/{node_id}")
        if kept and kept["present"]["proposal_id"] != proposal_id and kept["present"].get("judgements"):
            project.set_preference(person, f"left/{node_id}", kept)
            project.set_preference(person, f"draft/{node_id}", None)


class Workbench:
    """One person's work on one open proposal."""

    def __init__(self, project: Project, proposal: OpenProposal) -> None:
        self.project = project
        self.proposal = proposal
        self.proposal_id = proposal.record.proposal_id
        self._key = f"draft/{proposal.record.node_id}"
        self.history = self._read()
        if self.draft.sequence != project.sequence and not self.unseen():
            # Only this person decided since, in another window or on another page; nothing to warn of.
            self.history = replace(self.history, present=replace(self.draft, sequence=project.sequence))
        self.problem = ""
        self.expansion = self._resplit()

    def _resplit(self) -> NodeExpansion:
        """Return the proposal as the draft makes it; one that cannot be made leaves the proposal as it was."""
        self.problem = ""
        try:
            split = resplit(self.project, self.proposal_id, self.proposal.expansion, self.draft)
            return split if split is self.proposal.expansion else self._counted(split)
        except TaxocomError as error:
            self.problem = str(error)
        except Exception:  # whatever it is, the draft that caused it must stay within reach of undo
            reference = secrets.token_hex(4)
            log.exception("reference %s", reference)
            self.problem = f"The split failed. The server log has the details under {reference}."
        return self.proposal.expansion

    def _counted(self, split: NodeExpansion) -> NodeExpansion:
        return with_counts(split, document_places(self.project), periods_if_any(self.project))

    @property
    def draft(self) -> Draft:
        """The draft as it is now."""
        return self.history.present

    def _read(self) -> DraftHistory:
        """Return the draft kept under the curator's name, or under the browser's mark from before it had one."""
        fresh = DraftHistory(Draft(self.proposal_id, self.project.sequence))
        for person in filter(None, (curator.name(), curator.browser())):
            kept = self.project.preferences(person).get(self._key)
            if kept and kept["present"]["proposal_id"] == self.proposal_id:
                history = DraftHistory.from_dict(kept)
                return fresh if history.present.is_empty and not history.past and not history.future else history
        return fresh

    def _write(self, history: DraftHistory) -> None:
        _set_aside(self.project, self.proposal.record.node_id, self.proposal_id)
        self.history = history
        self.project.set_preference(curator.name() or curator.browser(), self._key, history.to_dict())
        self.expansion = self._resplit()

    def change(self, draft: Draft) -> None:
        """Go on with a changed draft and keep it."""
        self._write(self.history.then(draft))

    def undo(self) -> None:
        """Take the last step back."""
        self._write(self.history.back())

    def redo(self) -> None:
        """Put the last step taken back in place again."""
        self._write(self.history.forward())

    def discard(self) -> None:
        """Forget the draft, also the one from before its owner had a name."""
        self._write(DraftHistory(Draft(self.proposal_id, self.project.sequence)))
        if self.project.preferences(curator.browser()).get(self._key):
            self.project.set_preference(curator.browser(), self._key, None)

    def commit(self, decisions: Sequence[Decision], *, is_done: bool) -> None:
        """Record decisions on the draft, all or none, and begin again.

        The split that they were made on is kept first, as it is before the decisions change what a split respects:
        what is accepted of it finds its documents there.
        """
        for decision in decisions:
            # Asked before the split is kept, which takes the place of the proposal that others see.
            self.project.require(decision.kind, curator.name())
        kept = self._keep()
        try:
            whole = with_documents_of_parts(self.project, decisions)
            seen, judged = self.draft.sequence, list(self.draft.judgements)
            self.project.record_all(whole, author=curator.name(), expected=seen, judged=judged)
        except StaleWriterError:
            if kept != self.proposal_id:
                self.project.mark_proposal(kept, "superseded")
                self.project.mark_proposal(self.proposal_id, "open")
            raise
        if is_done:
            self.project.mark_proposal(kept, "done")
        self.discard()

    def _keep(self) -> int:
        wanted = overrides(self.draft)
        if self.problem or wanted == Overrides():
            return self.proposal_id
        from taxocom.jobs.expand_task import keep_resplit

        return keep_resplit(self.project, self.proposal_id, wanted)

    def unseen(self) -> list[LoggedDecision]:
        """Return what others decided since this draft was begun."""
        return [e for e in self.project.changes_since(self.draft.sequence) if e.author != curator.name()]

    def catch_up(self) -> None:
        """Take note of the newest state: the draft is from now on meant for the tree as it is."""
        self._write(replace(self.history, present=replace(self.draft, sequence=self.project.sequence)))

    def move_terms(self, term_ids: Sequence[int], to: str) -> None:
        """Pin terms that were selected on the map; general words do not become terms of a topic."""
        ids = np.asarray(term_ids, dtype=np.int32)
        if to not in PIN_PLACES:
            terms = self.expansion.terms
            ids = ids[~np.isin(ids, terms.term_ids[terms.topicality < self._least_topicality()])]
        if len(ids):
            self.change(self.draft.pinned(tuple(self.vocabulary.select(ids)), to))

    def _least_topicality(self) -> float:
        return float(self.proposal.expansion.settings["min_topicality"])

    def set_threshold(self, threshold: float, gesture: int = 0) -> None:
        """Split at another novelty; the proposed one again means that it was not changed.

        What is set on the way while the hand moves belongs to one `gesture`, and is one step to undo.
        """
        same = abs(threshold - self.proposal.expansion.novelty_threshold) < 1e-9
        draft = replace(self.draft, threshold=None if same else threshold)
        goes_on = gesture and session.state().get(_GESTURE) == gesture
        session.state()[_GESTURE] = gesture
        self._write(self.history.amended(draft) if goes_on else self.history.then(draft))

    def set_count(self, n_novel: int | None) -> None:
        """Show another count of novel clusters, None for the proposed one; merges and splits were of the old ones."""
        self.change(replace(self.draft, n_novel=n_novel, merged=(), split=()))

    def again(self) -> Workbench:
        """Return the work that is in the store now: another window may have gone on with it."""
        return Workbench(self.project, self.proposal)

    def warm(self) -> None:
        """Load in the background what the first change would have to wait for."""
        _warmed(str(self.project.path), self.proposal_id, self.project)

    def act(self, action: Mapping[str, Any]) -> None:
        """Do what a card asked for."""
        if action["type"] == "undo":
            self.undo()
            return
        cluster_id = str(action["cluster"])
        self.change(_acted(self.draft, self.expansion, cluster_id, action, self.project))

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms of the project's corpus."""
        return self.project.corpus().vocabulary

    def names(self) -> dict[str, str]:
        """Return the names of the clusters as the draft and the tree have them now."""
        return cluster_names(self.expansion.clusters, self.draft, self.project.taxonomy())

    def points(self) -> NodePoints:
        """Return the map's unchanging part, packed once."""
        return node_points(self.project, self.proposal_id, self.proposal.expansion)

    def picture(self) -> NodePicture:
        """Return the node's topics and what waits, as the draft and the tree have them now."""
        return node_picture(
            self.expansion,
            document_places(self.project),
            settled=self.proposal.settled,
            names=self.draft.names,
            slots=self.proposal.record.summary.get("colours", {}),
        )

    def crossed(self) -> dict[str, Any]:
        """Return the terms that the draft made novel or known, the most significant first, and how many they are."""
        before, now = self.proposal.expansion.terms, self.expansion.terms
        found: dict[str, Any] = {}
        for kind, rows in (
            ("novel", np.flatnonzero(now.is_novel & ~before.is_novel)),
            ("known", np.flatnonzero(before.is_novel & ~now.is_novel)),
        ):
            best = rows[np.argsort(-now.significance[rows], kind="stable")][:_CROSSED_SHOWN]
            found[kind] = self.vocabulary.select(now.term_ids[best])
            found[f"n{kind.title()}"] = len(rows)
        return found

    def pinned_ids(self) -> list[int]:
        """Return the ids of the terms put by hand."""
        return [int(term_id) for term_id in self.vocabulary.ids_of(self.draft.pins)]


def _acted(
    draft: Draft, expansion: NodeExpansion, cluster_id: str, action: Mapping[str, Any], project: Project
) -> Draft:
    clusters = {cluster.cluster_id: cluster for cluster in expansion.clusters}
    if action["type"] == "include" and cluster_id in {group.cluster_id for group in expansion.left_out}:
        return draft.including(cluster_id)
    if cluster_id not in clusters:
        return draft
    to = str(action.get("to", ""))
    match action["type"]:
        case "accept" | "reject" | "later" | "remove":
            return draft.judged(cluster_id, Judgement(action["type"], str(action.get("reason", ""))))
        case "exclude":
            return draft.excluding(cluster_id)
        case "clear":
            return draft.judged(cluster_id, None)
        case "rename":
            named = cluster_names(expansion.clusters, replace(draft, names={}), project.taxonomy())
            return draft.named(cluster_id, str(action["label"]), named[cluster_id])
        case "split" if clusters[cluster_id].kind == "known":
            return draft.parting(cluster_id, suggested_part(expansion, cluster_id, project.corpus()))
        case "part" if action["terms"] and str(action["label"]).strip():
            terms = tuple(term for term in offered(clusters[cluster_id]) if term in action["terms"])
            return draft.parting(cluster_id, Part(" ".join(str(action["label"]).split()), terms))
        case "split":
            return draft.splitting(cluster_id)
        case "move":
            # Where a cluster goes unless somebody says otherwise need not be said.
            back = to == expansion.node_id and clusters[cluster_id].fits_under is None
            placed = draft.judged(cluster_id, None) if back else draft.moved_under(cluster_id, to)
            # To give a proposed cluster its place is to accept it; a known topic is in the tree already.
            is_novel = clusters[cluster_id].kind == "novel"
            return placed.judged(cluster_id, Judgement("accept")) if is_novel else placed
        case "merge" if to in clusters:
            return _merged(draft, expansion, cluster_id, to)
        case _:
            return draft


def _merged(draft: Draft, expansion: NodeExpansion, cluster_id: str, to: str) -> Draft:
    """Merge by what the two are: novel ones are split again as one; whatever goes into a known topic joins it."""
    kinds = {cluster.cluster_id: cluster.kind for cluster in expansion.clusters}
    if kinds[cluster_id] == kinds[to] == "novel":
        return draft.merging(cluster_id, to)
    if kinds[cluster_id] == "known" and kinds[to] == "known":
        return draft.joining(cluster_id, to)
    novel, known = (cluster_id, to) if kinds[cluster_id] == "novel" else (to, cluster_id)
    return draft.judged(novel, None).joining(novel, known)


def node_points(project: Project, proposal_id: int, expansion: NodeExpansion) -> NodePoints:
    """Return the documents and terms of a proposal as points, packed once."""
    return _points(str(project.path), proposal_id, expansion.map_to_come, expansion, project)


@st.cache_resource(max_entries=8, show_spinner=False)
def _points(
    path: str,  # noqa: ARG001
    proposal_id: int,  # noqa: ARG001
    map_to_come: str,  # noqa: ARG001
    _expansion: NodeExpansion,
    _project: Project,
) -> NodePoints:
    return pack_node(_expansion, _project.corpus(), session.titles(_project))


def overrides(draft: Draft) -> Overrides:
    """Return what the engine needs to know of a draft to split the proposal again."""
    return Overrides(
        threshold=draft.threshold,
        n_novel=draft.n_novel,
        pins=dict(draft.pins),
        merged=draft.merged,
        split=draft.split,
        included=draft.included,
    )


def resplit(project: Project, proposal_id: int, original: NodeExpansion, draft: Draft) -> NodeExpansion:
    """Return the proposal as the draft makes it; without a change to the split it is the proposal itself."""
    wanted = overrides(draft)
    if wanted == Overrides():
        return original
    plain = json.dumps(asdict(wanted), sort_keys=True)
    return _resplit(str(project.path), proposal_id, plain, project, wanted)


@st.cache_resource(max_entries=64, show_spinner=False)
def _warmed(path: str, proposal_id: int, _project: Project) -> threading.Thread:  # noqa: ARG001
    """Split once to no purpose: the engine's modules, its patterns and the node's evidence are in memory after that."""

    def split() -> None:
        from taxocom.jobs.expand_task import resplit as engine_resplit

        with contextlib.suppress(TaxocomError):
            engine_resplit(_project, proposal_id, Overrides())

    # Not at once: the page that shows the proposal would wait for what this loads.
    thread = threading.Timer(_WARMED_AFTER_SECONDS, split)
    thread.daemon = True
    thread.start()
    return thread


@st.cache_resource(max_entries=24, show_spinner=False)
def _resplit(path: str, proposal_id: int, plain: str, _project: Project, _wanted: Overrides) -> NodeExpansion:  # noqa: ARG001
    from taxocom.jobs.expand_task import resplit as engine_resplit

    return engine_resplit(_project, proposal_id, _wanted)
