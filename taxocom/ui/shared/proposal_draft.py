"""What a curator has done to a proposal and not yet committed: pins, thresholds, names, verdicts. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

Verdict = Literal["accept", "reject", "later", "remove"]
_Said = TypeVar("_Said")
_KEPT_STEPS = 60
_KEPT_PINS = 20_000


@dataclass(frozen=True)
class Judgement:
    """What becomes of one cluster; `remove` is for a known topic that should go."""

    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True)
class Part:
    """What is to leave a known topic and stand beside it: its name and the anchors that it takes along."""

    label: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Draft:
    """Undecided work on one proposal, by one person. Clusters and topics are named by their ids.

    `sequence` is the last decision that the person had seen. `pins` put terms by hand: to a cluster, or as known, novel
    or general. `merged` are groups of novel clusters, `joined` pairs of a cluster or topic and the topic it goes into,
    `parted` the known topics that are split, `included` groups that the engine left out.
    """

    proposal_id: int
    sequence: int
    threshold: float | None = None
    n_novel: int | None = None
    pins: Mapping[str, str] = field(default_factory=dict)
    merged: tuple[tuple[str, ...], ...] = ()
    split: tuple[str, ...] = ()
    included: tuple[str, ...] = ()
    joined: Mapping[str, str] = field(default_factory=dict)
    parted: Mapping[str, Part] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    parents: Mapping[str, str] = field(default_factory=dict)
    judgements: Mapping[str, Judgement] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was done yet."""
        return self == Draft(self.proposal_id, self.sequence)

    def judged(self, cluster_id: str, judgement: Judgement | None) -> Draft:
        """Give a verdict on a cluster; None takes back everything about it except its name."""
        judgements = _without(self.judgements, cluster_id)
        if judgement is not None:
            joined = _without(self.joined, cluster_id)
            return replace(self, judgements={**judgements, cluster_id: judgement}, joined=joined)
        return replace(
            self,
            judgements=judgements,
            parents=_without(self.parents, cluster_id),
            joined=_without(self.joined, cluster_id),
            parted=_without(self.parted, cluster_id),
        )

    def named(self, cluster_id: str, label: str, proposed: str) -> Draft:
        """Name a cluster; its proposed name again means that it was not renamed."""
        names = _without(self.names, cluster_id)
        return replace(self, names=names if label == proposed else {**names, cluster_id: label})

    def pinned(self, terms: tuple[str, ...], to: str) -> Draft:
        """Put terms by hand."""
        return replace(self, pins={**self.pins, **dict.fromkeys(terms, to)})

    def merging(self, cluster_id: str, into: str) -> Draft:
        """Make two novel clusters one; groups that share a cluster become one group."""
        touched = [group for group in self.merged if cluster_id in group or into in group]
        joined = tuple(dict.fromkeys([into, *(member for group in touched for member in group), cluster_id]))
        return replace(self, merged=(*(group for group in self.merged if group not in touched), joined))

    def splitting(self, cluster_id: str) -> Draft:
        """Ask for a cluster in two."""
        return replace(self, split=(*self.split, cluster_id))

    def including(self, cluster_id: str) -> Draft:
        """Ask for a group that was left out."""
        return replace(self, included=tuple(dict.fromkeys([*self.included, cluster_id])))

    def excluding(self, cluster_id: str) -> Draft:
        """Leave a group out again, and forget its verdict and name."""
        kept = tuple(included for included in self.included if included != cluster_id)
        return replace(self.judged(cluster_id, None), included=kept, names=_without(self.names, cluster_id))

    def joining(self, topic_id: str, into: str) -> Draft:
        """Let a cluster or a known topic go into a known topic."""
        return replace(self, joined={**self.joined, topic_id: into})

    def parting(self, topic_id: str, part: Part) -> Draft:
        """Let a part leave a known topic."""
        return replace(self, parted={**self.parted, topic_id: part})

    def moved_under(self, cluster_id: str, parent_id: str) -> Draft:
        """Give a cluster another parent than the node expanded."""
        return replace(self, parents={**self.parents, cluster_id: parent_id})

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the store."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain["judgements"] = {key: [value.verdict, value.reason] for key, value in self.judgements.items()}
        plain["parted"] = {key: [part.label, list(part.terms)] for key, part in self.parted.items()}
        lists = {"merged": [list(group) for group in self.merged], "split": list(self.split)}
        return {**plain, **lists, "included": list(self.included)}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Draft:
        """Read what `to_dict` returned."""
        values = dict(plain)
        values["merged"] = tuple(tuple(group) for group in plain["merged"])
        values["split"] = tuple(plain["split"])
        values["included"] = tuple(plain.get("included", ()))
        parted = plain.get("parted") or {}
        values["parted"] = {key: Part(label, tuple(terms)) for key, (label, terms) in parted.items()}
        values["judgements"] = {key: Judgement(*value) for key, value in plain["judgements"].items()}
        return cls(**values)


def _without(said: Mapping[str, _Said], cluster_id: str) -> dict[str, _Said]:
    return {key: value for key, value in said.items() if key != cluster_id}


@dataclass(frozen=True)
class DraftHistory:
    """A draft with the steps that led to it, so that each can be taken back and put back."""

    present: Draft
    past: tuple[Draft, ...] = ()
    future: tuple[Draft, ...] = ()

    def then(self, draft: Draft) -> DraftHistory:
        """Go on with a changed draft; one that is no different is no step."""
        if draft == self.present:
            return self
        past = (*self.past, self.present)[-_KEPT_STEPS:]
        # Each step holds all pins up to it, and all steps are written with every change: large ones cost old ones.
        while len(past) > 1 and sum(len(step.pins) for step in past) > _KEPT_PINS:
            past = past[1:]
        return DraftHistory(draft, past)

    def amended(self, draft: Draft) -> DraftHistory:
        """Let the last step have led to another draft; one that leads back to where it began is no step."""
        if not self.past:
            return self.then(draft)
        return DraftHistory(draft, self.past[:-1] if draft == self.past[-1] else self.past)

    def back(self) -> DraftHistory:
        """Take the last step back, if there is one."""
        if not self.past:
            return self
        return DraftHistory(self.past[-1], self.past[:-1], (self.present, *self.future))

    def forward(self) -> DraftHistory:
        """Put the last step taken back in place again, if there is one."""
        if not self.future:
            return self
        return DraftHistory(self.future[0], (*self.past, self.present), self.future[1:])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the store."""
        return {
            "present": self.present.to_dict(),
            "past": [draft.to_dict() for draft in self.past],
            "future": [draft.to_dict() for draft in self.future],
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> DraftHistory:
        """Read what `to_dict` returned."""
        return cls(
            Draft.from_dict(plain["present"]),
            tuple(Draft.from_dict(step) for step in plain["past"]),
            tuple(Draft.from_dict(step) for step in plain["future"]),
        )
