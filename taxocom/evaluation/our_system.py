"""Our own row of the tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from taxocom.evaluation.coherence import N_TOP_TERMS
from taxocom.evaluation.systems import SystemResult
from taxocom.expansion.completion import complete
from taxocom.progress import Progress
from taxocom.settings import ExpansionSettings
from taxocom.tagging.lexicon import Lexicon
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.corpus import Corpus


def no_lexicon() -> None:
    """Do without a lexicon."""


@dataclass(frozen=True)
class TaxoCom:
    """The walk without a person: every novel cluster that is proposed is accepted.

    A topic's terms are its anchors; a known topic that was never expanded has none. Ablations are other settings under
    other names. `lexicon` looks the lexicon up where the run takes place, so that none travels between processes.
    """

    settings: ExpansionSettings = field(default_factory=ExpansionSettings)
    max_depth: int = 2
    name: str = "TaxoCom"
    note: str = ""
    lexicon: Callable[[], Lexicon | None] = no_lexicon

    def run(self, corpus: Corpus, seed: Taxonomy, *, random_state: int, progress: Progress) -> SystemResult:
        """Complete the seed."""
        done = complete(
            corpus,
            seed,
            settings=self.settings,
            lexicon=self.lexicon(),
            max_depth=self.max_depth,
            random_state=random_state,
            progress=progress,
        )
        terms = {node.node_id: [anchor.term for anchor in node.anchors[:N_TOP_TERMS]] for node in done.taxonomy.walk()}
        return SystemResult(done.taxonomy, done.document_nodes, terms, done.suggestions)
