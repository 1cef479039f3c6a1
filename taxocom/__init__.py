"""TaxoCom Studio: complete a partial topic taxonomy from a corpus.

>>> from taxocom import Corpus, complete, export, read_seed
>>> seed = read_seed(b"- sport\\n  - football\\n  - tennis\\n- politics\\n", name="topics.md").taxonomy
>>> [node.label for node in seed.walk()]
['sport', 'football', 'tennis', 'politics']

`docs/library.md` goes on from here. Only the names in `__all__` are public: they change with a new minor version at the
most, and `CHANGELOG.md` says how.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taxocom.errors import TaxocomError
    from taxocom.expansion.completion import Completion, complete
    from taxocom.expansion.discovery.node_evidence import NodeEvidence
    from taxocom.expansion.paper.embedding import TermEmbedding, pretrain
    from taxocom.expansion.pipeline import Expansion, expand_node, propose
    from taxocom.expansion.proposals.accepting import accept, reject
    from taxocom.expansion.proposals.proposal import NodeExpansion, Overrides, TopicCluster
    from taxocom.interchange import FORMATS, ExportContext, SeedDocument, export, read_seed
    from taxocom.progress import Progress
    from taxocom.settings import EmbeddingSettings, ExpansionSettings, TaggingSettings, TextSettings
    from taxocom.store.projects.lexicon_files import find_lexicon
    from taxocom.store.projects.text_tagger import Tagger, TextTags, TopicTag
    from taxocom.tagging.tagger import Teaching
    from taxocom.tagging.witnesses import Witnesses, read_witnesses
    from taxocom.taxonomy.curation import Curation, derive_curation
    from taxocom.taxonomy.decisions import Decision, LoggedDecision, apply, replay
    from taxocom.taxonomy.preflight import check_seed
    from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Taxonomy, TopicNode
    from taxocom.text.corpus import Corpus, open_corpus
    from taxocom.text.input.documents import Document
    from taxocom.text.input.loading import read_documents

__version__ = "0.2.0"

__all__ = [
    "FORMATS",
    "ROOT_ID",
    "AnchorTerm",
    "Completion",
    "Corpus",
    "Curation",
    "Decision",
    "Document",
    "EmbeddingSettings",
    "Expansion",
    "ExpansionSettings",
    "ExportContext",
    "LoggedDecision",
    "NodeEvidence",
    "NodeExpansion",
    "Overrides",
    "Progress",
    "SeedDocument",
    "Tagger",
    "TaggingSettings",
    "TaxocomError",
    "Taxonomy",
    "Teaching",
    "TermEmbedding",
    "TextSettings",
    "TextTags",
    "TopicCluster",
    "TopicNode",
    "TopicTag",
    "Witnesses",
    "accept",
    "apply",
    "check_seed",
    "complete",
    "derive_curation",
    "expand_node",
    "export",
    "find_lexicon",
    "open_corpus",
    "pretrain",
    "propose",
    "read_documents",
    "read_seed",
    "read_witnesses",
    "reject",
    "replay",
]

_HOMES = {
    "taxocom.errors": ("TaxocomError",),
    "taxocom.expansion.completion": (
        "Completion",
        "complete",
    ),
    "taxocom.expansion.discovery.node_evidence": ("NodeEvidence",),
    "taxocom.expansion.paper.embedding": (
        "TermEmbedding",
        "pretrain",
    ),
    "taxocom.expansion.pipeline": (
        "Expansion",
        "expand_node",
        "propose",
    ),
    "taxocom.expansion.proposals.accepting": (
        "accept",
        "reject",
    ),
    "taxocom.expansion.proposals.proposal": (
        "NodeExpansion",
        "Overrides",
        "TopicCluster",
    ),
    "taxocom.interchange": (
        "FORMATS",
        "ExportContext",
        "SeedDocument",
        "export",
        "read_seed",
    ),
    "taxocom.progress": ("Progress",),
    "taxocom.settings": (
        "EmbeddingSettings",
        "ExpansionSettings",
        "TaggingSettings",
        "TextSettings",
    ),
    "taxocom.store.projects.lexicon_files": ("find_lexicon",),
    "taxocom.store.projects.text_tagger": (
        "Tagger",
        "TextTags",
        "TopicTag",
    ),
    "taxocom.tagging.tagger": ("Teaching",),
    "taxocom.tagging.witnesses": (
        "Witnesses",
        "read_witnesses",
    ),
    "taxocom.taxonomy.curation": (
        "Curation",
        "derive_curation",
    ),
    "taxocom.taxonomy.decisions": (
        "Decision",
        "LoggedDecision",
        "apply",
        "replay",
    ),
    "taxocom.taxonomy.preflight": ("check_seed",),
    "taxocom.taxonomy.tree": (
        "ROOT_ID",
        "AnchorTerm",
        "Taxonomy",
        "TopicNode",
    ),
    "taxocom.text.corpus": (
        "Corpus",
        "open_corpus",
    ),
    "taxocom.text.input.documents": ("Document",),
    "taxocom.text.input.loading": ("read_documents",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import taxocom` and the command line start at once."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'taxocom' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    """Return the public names, for those who look with `dir` or a tab."""
    return [*__all__, "__version__"]
