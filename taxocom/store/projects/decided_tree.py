"""The tree of a project: a seed, what was decided since, and who may decide."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from contextlib import suppress

from taxocom.errors import DecisionError, RoleError, StoreError
from taxocom.store.db.log import DecisionLog, Standing
from taxocom.store.db.records import Release
from taxocom.taxonomy.curation import Curation
from taxocom.taxonomy.decisions import (
    Decision,
    DeprecateTopic,
    GiveRole,
    HistoryEntry,
    LoggedDecision,
    MergeTopics,
    Redo,
    RemoveTopic,
    SplitTopic,
    Undo,
)
from taxocom.taxonomy.roles import Role
from taxocom.taxonomy.team import SIGN_IN, Team
from taxocom.taxonomy.tree import Taxonomy


class DecidedTree(ABC):
    """What a project is about, apart from its texts; `Project` adds those and all that was computed."""

    _log: DecisionLog

    @abstractmethod
    def releases(self) -> list[Release]:
        """Return the releases, oldest first."""

    @abstractmethod
    def _with_documents(self, decision: Decision) -> Decision:
        """Return a decision that says which documents it takes along."""

    def team(self) -> Team:
        """Return who may do what; without any role given everybody may do everything."""
        return self._log.team()

    def require(self, action: str, person: str) -> None:
        """Raise a RoleError if a person may not do something (`taxonomy/roles.py` has the table)."""
        self.team().require(person, action)

    def welcome(self, person: str, role: Role) -> None:
        """Give a person the role that the sign-in claims for them, unless an admin has said otherwise.

        An open project gets its list of people by a first admin, whoever signs in.
        """
        if self.team().roles.get(person) == role:
            return
        given = [entry for entry in self._log.entries() if _is_about(entry.decision, person)]
        if given and given[-1].author != SIGN_IN:
            return
        # Where nobody is an admin yet, or the last one would be gone, the claim has to wait.
        with suppress(DecisionError):
            self._log.record([GiveRole(person, role)], author=SIGN_IN, why="claimed at the sign-in", expected=None)

    def seed(self) -> Taxonomy:
        """Return the seed tree, an empty tree if none was set."""
        return self._log.seed()

    @property
    def has_seed(self) -> bool:
        """Whether a seed was set."""
        return self._log.has_seed()

    def set_seed(self, seed: Taxonomy, *, author: str = "", why: str = "") -> None:
        """Set or replace the seed tree; refused once something was decided or released."""
        self.require("seed", author)
        if self.releases():
            raise StoreError(
                "The seed cannot be replaced: a release stands on it. Change the tree by deciding, or copy the project."
            )
        self._log.set_seed(seed, author=author, why=why)

    @property
    def sequence(self) -> int:
        """The number of the last decision, 0 before the first."""
        return self._log.sequence()

    @property
    def has_decisions(self) -> bool:
        """Whether anything was decided about the tree; who may do what, and what was said, does not count."""
        return any(not entry.decision.lasts for entry in self._log.entries())

    def log(self, up_to: int | None = None) -> list[LoggedDecision]:
        """Return every decision, or those up to a step, oldest first."""
        return self._log.entries(up_to=up_to)

    def changes_since(self, sequence: int) -> list[LoggedDecision]:
        """Return what was decided after a step, by whomever."""
        return self._log.entries(sequence)

    def history(self, after: int = 0) -> list[HistoryEntry]:
        """Return what was decided in plain words, oldest first, and what of it still stands."""
        return self._log.history(after)

    def standing(self) -> Standing:
        """Return which decisions are in force, for an undo, and which were undone, for a redo."""
        return self._log.standing()

    def curation(self) -> Curation:
        """Return what the decisions in force say about the next run: pins, rejections, names, moved documents."""
        return self._log.curation()

    def taxonomy(self) -> Taxonomy:
        """Return the tree as it is now: the seed with every decision carried out."""
        return self._log.taxonomy()

    def taxonomy_at(self, sequence: int) -> Taxonomy:
        """Return the tree as it was after a step; 0 is the seed."""
        return self._log.taxonomy_at(sequence)

    def record(self, decision: Decision, *, author: str, why: str = "", expected: int | None = None) -> LoggedDecision:
        """Append a decision; when this returns it is on the disk.

        A decision that the current tree refuses is a DecisionError. `expected` is the step that the decider was looking
        at: if what others decided since gets in the way, a StaleWriterError (a ConflictError) says what. Either way
        nothing is written.
        """
        return self.record_all([decision], author=author, why=why, expected=expected)[0]

    def record_all(
        self,
        decisions: Sequence[Decision],
        *,
        author: str,
        why: str = "",
        expected: int | None = None,
        judged: Collection[str] = (),
    ) -> list[LoggedDecision]:
        """Append several decisions, all of them or none.

        A cluster that is accepted, or given to a topic, takes its documents along (`document_places`). `judged` are
        clusters that the decider had a verdict on, whether or not it is among the decisions: if others judged one of
        them since, that is a conflict too.
        """
        if author == SIGN_IN:
            raise RoleError(f"Nobody can decide as {SIGN_IN!r}. Give the name of a person.")
        kept = itertools.chain.from_iterable(map(self._with_traces, decisions))
        whole = [self._with_documents(decision) for decision in kept]
        return self._log.record(whole, author=author, why=why, expected=expected, judged=judged)

    def _with_traces(self, decision: Decision) -> list[Decision]:
        """Return a decision with what keeps released topics known that it takes out of the tree.

        Others may have used such a topic, so it is deprecated, with what replaces it, and never only removed.
        """
        if not isinstance(decision, (RemoveTopic, MergeTopics, SplitTopic)) or not (known := self._released()):
            return [decision]
        tree = self.taxonomy()
        match decision:
            case RemoveTopic(node_id, keep_children) if node_id in tree:
                gone = [tree[node_id]] if keep_children else list(tree.subtree_of(node_id))
                if released := [repr(node.label) for node in gone if node.node_id in known]:
                    raise DecisionError(
                        f"{', '.join(released)}: released before, so others may use it. Deprecate it instead of "
                        "removing it, and say what replaces it."
                    )
                return [decision]
            case MergeTopics(into_id, merged_ids):
                gone = [tree[each] for each in merged_ids if each in tree and each in known]
                return [decision, *(DeprecateTopic(node, into_id) for node in gone)]
            case SplitTopic(node_id, parts) if node_id in known and node_id in tree and parts:
                kept = node_id in [part.node_id for part in parts]
                return [decision, *([] if kept else [DeprecateTopic(tree[node_id], parts[0].node_id)])]
            case _:
                return [decision]

    def _released(self) -> frozenset[str]:
        """Return the ids of all topics that were in a release."""
        return frozenset(node_id for release in self.releases() for node_id in release.taxonomy.nodes)

    def undo(self, n: int = 1, *, author: str, expected: int | None = None) -> LoggedDecision:
        """Take back the last `n` decisions still in force, by a decision of its own."""
        return self.record(Undo(n), author=author, expected=expected)

    def redo(self, n: int = 1, *, author: str, expected: int | None = None) -> LoggedDecision:
        """Put the last `n` undone decisions back in force."""
        return self.record(Redo(n), author=author, expected=expected)


def _is_about(decision: Decision, person: str) -> bool:
    return isinstance(decision, GiveRole) and decision.person == person
