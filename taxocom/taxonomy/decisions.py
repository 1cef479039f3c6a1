"""The log of decisions: apply one, replay all, undo and redo. `kinds` and `changes` have the details."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from taxocom.errors import DecisionError
from taxocom.taxonomy.clashes import Touched
from taxocom.taxonomy.codec import from_plain
from taxocom.taxonomy.decision_base import Decision
from taxocom.taxonomy.kinds import (
    GENERAL,
    KNOWN,
    NOVEL,
    AcceptTopic,
    AddNote,
    AddTopic,
    Defer,
    EditAltLabels,
    EditDefinition,
    EditKeywords,
    EditProperties,
    EditScopeNote,
    JudgeDocuments,
    MergeTopics,
    MoveDocument,
    MoveDocuments,
    MoveTerms,
    MoveTopic,
    NameCluster,
    Redo,
    RejectTopic,
    RemoveTopic,
    RenameTaxonomy,
    RenameTopic,
    SetStatus,
    SplitTopic,
    SuggestTopic,
    Undo,
)
from taxocom.taxonomy.mutable_tree import Draft
from taxocom.taxonomy.team import Team
from taxocom.taxonomy.team_kinds import AssignTopic, CommentOnTopic, GiveRole, SetRule
from taxocom.taxonomy.tree import Taxonomy
from taxocom.taxonomy.vocabulary_changes import carry_out
from taxocom.taxonomy.vocabulary_kinds import (
    DeprecateTopic,
    EditCollection,
    EditNotation,
    EditWords,
    LinkBroader,
    MatchConcept,
    RelateTopics,
)

__all__ = [
    "GENERAL",
    "KNOWN",
    "NOVEL",
    "AcceptTopic",
    "AddNote",
    "AddTopic",
    "AssignTopic",
    "CommentOnTopic",
    "Decision",
    "Defer",
    "DeprecateTopic",
    "EditAltLabels",
    "EditCollection",
    "EditDefinition",
    "EditKeywords",
    "EditNotation",
    "EditProperties",
    "EditScopeNote",
    "EditWords",
    "GiveRole",
    "HistoryEntry",
    "JudgeDocuments",
    "LinkBroader",
    "LoggedDecision",
    "MatchConcept",
    "MergeTopics",
    "MoveDocument",
    "MoveDocuments",
    "MoveTerms",
    "MoveTopic",
    "NameCluster",
    "Redo",
    "RejectTopic",
    "RelateTopics",
    "RemoveTopic",
    "RenameTaxonomy",
    "RenameTopic",
    "SetRule",
    "SetStatus",
    "SplitTopic",
    "SuggestTopic",
    "Timeline",
    "Undo",
    "apply",
    "effective",
    "history",
    "judged_clusters",
    "replay",
]


@dataclass(frozen=True)
class LoggedDecision:
    """A decision as it is in the log: who, when (ISO 8601) and why. `sequence` grows along the log."""

    sequence: int
    decision: Decision
    author: str = ""
    at: str = ""
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        frame = {"sequence": self.sequence, "author": self.author, "at": self.at, "why": self.why}
        return {**frame, "decision": self.decision.to_dict()}

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "log entry") -> LoggedDecision:
        """Read what `to_dict` returned; anything else is an InputError."""
        frame = from_plain(_Frame, data, where)
        decision = Decision.from_dict(frame.decision, f"{where} {frame.sequence}")
        return LoggedDecision(frame.sequence, decision, frame.author, frame.at, frame.why)


@dataclass(frozen=True)
class _Frame:
    sequence: int
    decision: dict  # type: ignore[type-arg]  # from_plain needs a class to check against
    author: str = ""
    at: str = ""
    why: str = ""


@dataclass(frozen=True)
class HistoryEntry:
    """A line of the history page; `in_force` is False for what was undone."""

    logged: LoggedDecision
    summary: str
    in_force: bool


def apply(tree: Taxonomy, decision: Decision) -> Taxonomy:
    """Return the tree after a decision; one that cannot be carried out is a DecisionError.

    Undo and redo need the log: append them to it and `replay`, or use a `Timeline`.
    """
    draft = Draft(tree)
    carry_out(draft, decision)
    return draft.frozen()


@dataclass(frozen=True)
class _Step:
    """A decision in force, the point of the draft before it, and the entry that carried it out: itself or a redo."""

    logged: LoggedDecision
    mark: int
    at: int


@dataclass(frozen=True)
class Moment:
    """A state of a timeline that it can go back to, as long as nothing from before was undone."""

    n_steps: int
    mark: int
    undone: tuple[LoggedDecision, ...]
    last_sequence: int | None
    team: Team


class Timeline:
    """A seed and what was decided since, kept ready for the next decision, undo or redo.

    A decision costs what it changes, an undo what it takes back: nothing is replayed.
    """

    def __init__(self, seed: Taxonomy, log: Iterable[LoggedDecision] = ()) -> None:
        self._draft = Draft(seed)
        self._steps: list[_Step] = []
        self._undone: list[LoggedDecision] = []
        self._taken_back: list[tuple[int, Touched]] = []
        self._said: dict[int, str] = {}
        self._last_sequence: int | None = None
        self._team = Team()
        for logged in log:
            self.record(logged)

    @property
    def tree(self) -> Taxonomy:
        """The tree as it is now."""
        return self._draft.frozen()

    @property
    def team(self) -> Team:
        """The people of the project and its rules, as they are now."""
        return self._team

    @property
    def in_force(self) -> list[LoggedDecision]:
        """The decisions that the tree was made by, oldest first; undo takes from the end."""
        return [step.logged for step in self._steps]

    @property
    def undone(self) -> list[LoggedDecision]:
        """The decisions that a redo would put back, the next one last."""
        return list(self._undone)

    def record(self, logged: LoggedDecision) -> None:
        """Carry out the next entry of the log; a DecisionError changes nothing."""
        if self._last_sequence is not None and logged.sequence <= self._last_sequence:
            raise DecisionError(f"The log is out of order: entry {logged.sequence} follows {self._last_sequence}.")
        match logged.decision:
            case Undo(n):
                _check_count(n, len(self._steps), "undone")
                self._taken_back.append((logged.sequence, self._touched(self._steps[-n:])))
                for _ in range(n):
                    step = self._steps.pop()
                    self._draft.back_to(step.mark)
                    self._undone.append(step.logged)
            case Redo(n):
                _check_count(n, len(self._undone), "redone")
                for _ in range(n):
                    self._carry_out(self._undone.pop(), logged.sequence)
            case decision if decision.lasts:
                self._team = self._team.after(decision)
            case _:
                self._carry_out(logged, logged.sequence)
                self._undone.clear()
        self._last_sequence = logged.sequence

    def touched_since(self, sequence: int) -> Touched:
        """Return what entries after a number did to the tree and relied on; an undo touches what it took back."""
        first = len(self._steps)
        while first and self._steps[first - 1].at > sequence:
            first -= 1
        found = self._touched(self._steps[first:])
        for at, touched in reversed(self._taken_back):
            if at <= sequence:
                break
            found.add(touched)
        return found

    def _touched(self, steps: Sequence[_Step]) -> Touched:
        """Return what the last steps, these, touched."""
        found = self._draft.touched(steps[0].mark) if steps else Touched()
        found.name(step.logged.decision for step in steps)
        return found

    def moment(self) -> Moment:
        """Return the present state, to go back to if the next entries are refused."""
        return Moment(len(self._steps), self._draft.mark(), tuple(self._undone), self._last_sequence, self._team)

    def back_to(self, moment: Moment) -> None:
        """Forget every entry recorded since a moment; none of them may have been an undo or a redo."""
        del self._steps[moment.n_steps :]
        self._draft.back_to(moment.mark)
        self._undone = list(moment.undone)
        self._last_sequence = moment.last_sequence
        self._team = moment.team

    def tell(self, logged: LoggedDecision) -> None:
        """Record an entry and remember in plain words what it did, for `told`."""
        match logged.decision:
            case Undo(n):
                touched = [step.logged for step in self._steps[-n:]][::-1]
            case Redo(n):
                touched = self._undone[-n:][::-1]
            case _:
                touched = []
        summary = logged.decision.summary(self._draft)
        if logged.decision.waits:
            summary += ", to be approved by somebody else"
        details = "; ".join(self._said[entry.sequence] for entry in touched if entry.sequence in self._said)
        self.record(logged)
        self._said[logged.sequence] = f"{summary}: {details}" if details else summary

    def told(self, log: Sequence[LoggedDecision]) -> list[HistoryEntry]:
        """Return the lines of entries that were told, each with whether it is in force now."""
        standing = {step.logged.sequence for step in self._steps}
        return [
            HistoryEntry(
                logged,
                self._said[logged.sequence],
                logged.decision.lasts or isinstance(logged.decision, (Undo, Redo)) or logged.sequence in standing,
            )
            for logged in log
        ]

    def _carry_out(self, logged: LoggedDecision, at: int) -> None:
        mark = self._draft.mark()
        try:
            carry_out(self._draft, logged.decision)
        except DecisionError as error:
            raise DecisionError(f"Decision {logged.sequence} ({logged.decision.kind}): {error}") from error
        self._steps.append(_Step(logged, mark, at))


def replay(seed: Taxonomy, log: Iterable[LoggedDecision]) -> Taxonomy:
    """Return the tree that a log makes of a seed, without the corpus and without the engine."""
    return Timeline(seed, log).tree


def history(seed: Taxonomy, log: Sequence[LoggedDecision]) -> list[HistoryEntry]:
    """Return a line in plain words for every entry of the log."""
    timeline = Timeline(seed)
    for logged in log:
        timeline.tell(logged)
    return timeline.told(log)


def effective(log: Iterable[LoggedDecision]) -> list[LoggedDecision]:
    """Return the decisions still in force, oldest first: undo and redo resolved, and none of them left."""
    return standing_and_undone(log)[0]


def standing_and_undone(log: Iterable[LoggedDecision]) -> tuple[list[LoggedDecision], list[LoggedDecision]]:
    """Return the decisions still in force, oldest first, and those that a redo would put back, the next one last."""
    standing: list[LoggedDecision] = []
    undone: list[LoggedDecision] = []
    for logged in log:
        match logged.decision:
            case Undo(n):
                _check_count(n, len(standing), "undone")
                undone += standing[: -n - 1 : -1]
                del standing[-n:]
            case Redo(n):
                _check_count(n, len(undone), "redone")
                standing += undone[: -n - 1 : -1]
                del undone[-n:]
            case decision if decision.lasts:
                pass
            case _:
                standing.append(logged)
                undone.clear()
    return standing, undone


def judged_clusters(log: Iterable[LoggedDecision]) -> frozenset[str]:
    """Return the ids of the clusters that are accepted, rejected or given to a topic, in whichever proposal.

    A split that was kept holds clusters of the proposal before it under the same ids.
    """
    judging = (AcceptTopic, RejectTopic, MoveDocuments)
    decisions = [logged.decision for logged in effective(log)]
    return frozenset(d.cluster_id for d in decisions if isinstance(d, judging) and d.cluster_id)


def _check_count(wanted: int, available: int, verb: str) -> None:
    if wanted < 1:
        raise DecisionError(f"{wanted} decisions cannot be {verb}; ask for at least one.")
    if wanted > available:
        raise DecisionError(f"{wanted} decisions were to be {verb}, but only {available} can be.")
