"""Whether a novel group is a topic of its own: what is measured of it, and what that is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.expansion.affinity import Affinity
from taxocom.expansion.grouping import Group, links_to_children
from taxocom.numerics.arrays import Ints1d, Ints2d

_FEWEST_MENTIONS = 3
# A few documents are soon told apart by chance: distinctness is judged as if this many more had been asked.
_DOUBTED_DOCUMENTS = 10
_DOUBTED_DISTINCTNESS = 0.7

# Fitted by logistic regression; ARCHITECTURE.md says on what.
_CONSTANT = -2.55
_BELOW_ROOT = -2.4
_WEIGHTS = {"distinctness": 1.75, "size": 0.65, "named": -2.6, "mentions": -0.9, "aside": 3.0}
_TYPICAL = {"distinctness": 1.9, "size": -0.3, "named": 0.05, "mentions": -1.3, "aside": 0.1}
_FAULTS = {
    "distinctness": "its documents are often taken for those of a known topic",
    "size": "it is small beside its siblings",
    "named": "it holds much of what mentions a known topic by name",
    "mentions": "its documents mention the known topics by name",
    "aside": "a known topic is nearer to it than anything unexplained",
}


@dataclass(frozen=True)
class Strength:
    """How a novel group stands: its size beside its known siblings, and how well its documents are told from them.

    `distinctness` is the share of its documents that a classifier which has not seen them gives to the group rather
    than to any known child. `named` is the largest share, over the known names, of the documents mentioning that name
    which lie in the group: the rest of a known topic says its name, a missing one does not. `mentions` is how often
    its documents mention known names, as a multiple of the node's average. `link` is that to the nearest known child,
    `neighbour` that to the nearest other facet: a missing topic is seldom alone in being unexplained, an odd corner of
    a known one has that for its neighbour, and an event (a fire that everyone writes about) has none.
    """

    n_documents: int
    size_ratio: float
    distinctness: float
    named: float
    mentions: float
    link: float
    neighbour: float
    below_root: bool

    def _parts(self) -> dict[str, float]:
        seen, doubted = self.n_documents, _DOUBTED_DOCUMENTS
        cautious = (self.distinctness * seen + _DOUBTED_DISTINCTNESS * doubted) / (seen + doubted)
        return {
            "distinctness": -float(np.log(1.005 - cautious)),
            "size": float(np.log(min(max(self.size_ratio, 0.01), 1.5))),
            "named": self.named,
            "mentions": float(np.log(self.mentions + 0.05)),
            "aside": self.neighbour - self.link,
        }

    @property
    def log_odds(self) -> float:
        """The log-odds that a person would call the group a topic of its own; 0 is even."""
        weighed = sum(_WEIGHTS[name] * value for name, value in self._parts().items())
        return _CONSTANT + weighed + (_BELOW_ROOT if self.below_root else 0.0)

    def shortcomings(self, *, size_floor: float, admission: float) -> list[str]:
        """Say in plain words what the group lacks to be proposed; nothing, if it lacks nothing."""
        if self.size_ratio < size_floor:
            return [
                f"it has {self.n_documents} documents, {self.size_ratio:.0%} of a typical known sibling "
                f"(at least {size_floor:.0%} is asked)"
            ]
        if self.log_odds >= admission:
            return []
        losses = {name: _WEIGHTS[name] * (_TYPICAL[name] - value) for name, value in self._parts().items()}
        worst = sorted(losses, key=lambda name: -losses[name])[:2]
        return [_FAULTS[name] for name in worst if losses[name] > 0.3] or ["it is a close call"]


def measure_strength(
    affinity: Affinity,
    labels: Ints1d,
    group: Group,
    known: Sequence[Group],
    *,
    mentions: Ints2d,
    typical_size: float,
    below_root: bool,
) -> Strength:
    """Measure a novel group against the facets of the known children; `mentions` as `count_mentions` counts them."""
    members = np.isin(labels, group)
    tied = [facet for child in known for facet in child]
    evidence = affinity.evidence[members]
    own = evidence[:, list(group)].max(axis=1, initial=-np.inf)
    told_apart = float((own > evidence[:, tied].max(axis=1)).mean()) if tied and len(own) else 1.0
    n_documents = int(members.sum())
    links = links_to_children(affinity, group, [child for child in known if child])
    link = float(links.max(initial=0.0))
    said = mentions.sum(axis=1)
    inside = mentions[:, list(group)].sum(axis=1)
    often = said >= _FEWEST_MENTIONS
    return Strength(
        n_documents=n_documents,
        size_ratio=n_documents / max(typical_size, 1.0),
        distinctness=told_apart,
        named=float((inside[often] / said[often]).max(initial=0.0)),
        mentions=_rate(inside, n_documents) / _rate(said, len(labels)),
        link=link,
        neighbour=_nearest(affinity, group) if tied else link,
        below_root=below_root,
    )


def _rate(mentions: Ints1d, n_documents: int) -> float:
    """Return the mentions a document, as if half a mention had been seen in one document more."""
    return (float(mentions.sum()) + 0.5) / (n_documents + 1.0)


def _nearest(affinity: Affinity, group: Group) -> float:
    """Return the link of a group as a whole to the nearest facet outside it; 0, if there is none above chance."""
    inside = np.array(group)
    others = np.setdiff1d(np.flatnonzero(affinity.sizes > 0), inside)
    inside = inside[affinity.sizes[inside] > 0]
    if not len(others) or not len(inside):
        return 0.0
    links = affinity.links[np.ix_(inside, others)]
    return float(np.average(links, axis=0, weights=affinity.sizes[inside]).max(initial=0.0))
