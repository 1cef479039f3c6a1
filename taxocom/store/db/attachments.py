"""What a tree goes out with, beyond itself and the log: collected for an export, and kept whole with a release."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from taxocom.errors import InputError, StoreError
from taxocom.expansion.proposals.proposal import Passage
from taxocom.interchange.base.context import DocumentAssignment, MapPoint, TopicEvidence
from taxocom.interchange.base.timeline_data import Timeline
from taxocom.taxonomy.codec import from_plain, to_plain
from taxocom.taxonomy.tree import Taxonomy, TopicNode

KIND = "release"
"""The kind of artifact that a release's attachments are."""


@dataclass(frozen=True)
class Attachments:
    """What an export says besides the tree and the log.

    `title` is that of the seed, `counts` the documents of each topic with all below it (None without texts), `proposed`
    the topics that nobody had judged, by the topic that they were proposed under.
    """

    title: str
    counts: Mapping[str, int] | None = None
    evidence: Mapping[str, TopicEvidence] = field(default_factory=dict)
    documents: Sequence[DocumentAssignment] = ()
    map_points: Sequence[MapPoint] = ()
    proposed: Mapping[str, Sequence[TopicNode]] = field(default_factory=dict)
    timeline: Timeline | None = None

    def counted(self, tree: Taxonomy) -> Taxonomy:
        """Return a tree in which every topic has the number of documents it holds."""
        return tree if self.counts is None else tree.with_counts(self.counts)

    def to_bytes(self) -> bytes:
        """Return all of it as bytes; the same attachments give the same bytes."""
        plain = {
            "title": self.title,
            "counts": None if self.counts is None else dict(self.counts),
            "evidence": {topic: _plain_evidence(each) for topic, each in self.evidence.items()},
            "documents": [[each.document_id, each.node_id, each.score, each.title] for each in self.documents],
            "map_points": [[each.x, each.y, each.term, each.node_id] for each in self.map_points],
            "proposed": {topic: [to_plain(node) for node in nodes] for topic, nodes in self.proposed.items()},
            # Said only where there is one, so that releases from before are the same bytes.
            **({"timeline": to_plain(self.timeline)} if self.timeline else {}),
        }
        return gzip.compress(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode(), 6, mtime=0)

    @staticmethod
    def from_bytes(data: bytes, where: str) -> Attachments:
        """Read what `to_bytes` returned; anything else is a StoreError that names `where` it was found."""
        try:
            plain = json.loads(gzip.decompress(data))
            return Attachments(
                title=str(plain["title"]),
                counts=plain["counts"],
                evidence={topic: _evidence(each, where) for topic, each in plain["evidence"].items()},
                documents=[DocumentAssignment(*row) for row in plain["documents"]],
                map_points=[MapPoint(*row) for row in plain["map_points"]],
                proposed={
                    topic: [from_plain(TopicNode, node, where) for node in nodes]
                    for topic, nodes in plain["proposed"].items()
                },
                timeline=from_plain(Timeline, plain["timeline"], where) if plain.get("timeline") else None,
            )
        except (
            OSError,
            EOFError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            InputError,
            RecursionError,
        ) as error:
            raise StoreError(f"{where} cannot be read ({error!s:.100}). Restore the project from a backup.") from error


def _plain_evidence(evidence: TopicEvidence) -> dict[str, Any]:
    return {**to_plain(evidence), "settings": dict(evidence.settings)}


def _evidence(plain: Mapping[str, Any], where: str) -> TopicEvidence:
    passages = tuple(from_plain(Passage, each, where) for each in plain.get("passages", ()))
    return TopicEvidence(**{**plain, "passages": passages})
