"""What a system is that can be evaluated: a corpus and a seed in, a tree and its documents out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from taxocom.progress import Progress
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.corpus import Corpus


@dataclass(frozen=True)
class SystemResult:
    """What a system made of a corpus.

    `assigned[d]` is the id of document d's deepest node, `ROOT_ID` if it stays at the root. `top_terms` lists the
    terms of each node, best first, and `suggestions` the names that the system would give it. `seeded` is False if
    the tree was built without the seed; its nodes then count as seed topics where their documents match
    (`adopt_seed`).
    """

    taxonomy: Taxonomy
    assigned: Sequence[str]
    top_terms: Mapping[str, Sequence[str]]
    suggestions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    seeded: bool = True


class System(Protocol):
    """One of the systems that the tables compare."""

    @property
    def name(self) -> str:
        """The name in tables."""

    @property
    def note(self) -> str:
        """Where this implementation departs from the published system, empty if nowhere."""

    def run(self, corpus: Corpus, seed: Taxonomy, *, random_state: int, progress: Progress) -> SystemResult:
        """Build or complete a tree of topics and assign every document to one of its nodes."""
