"""What is found out about a node once (`gathering.py`); every split of it is then a matter of arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from taxocom.expansion.discovery.admission import OtherReadings
from taxocom.expansion.discovery.affinity import Affinity
from taxocom.expansion.discovery.facets import Facets
from taxocom.numerics.arrays import Bools1d, Floats1d, Floats2d, Ints1d, read_only
from taxocom.tagging.explanation import Explanation


@dataclass(frozen=True, eq=False)
class NodeEvidence:
    """The local embedding of a node and what was measured in it.

    `children` are the known sub-topics; `direction_child[i]` tells whose direction the i-th tied facet owner is.
    `vectors` (n_terms, dim) are the local directions of `term_ids`, `topics` (n_children, dim) those of the children,
    `directions` (n_directions, dim) those of their sub-trees. `documents` are rows of the corpus. The facets and their
    affinity are one reading of the node; `others` is what is kept of the rest. `explanation` is what the tagger says of
    the documents, None where the paper's rule is followed.
    """

    node_id: str
    children: tuple[str, ...]
    documents: Ints1d
    term_ids: Ints1d
    vectors: Floats2d
    topics: Floats2d
    directions: Floats2d
    direction_child: Ints1d
    is_leaf: Bools1d
    topicality: Floats1d
    xy: Floats2d
    document_xy: Floats2d
    facets: Facets
    affinity: Affinity
    explanation: Explanation | None = None
    others: OtherReadings | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def n_known(self) -> int:
        """The number of known sub-topics."""
        return len(self.children)

    def parts(self, owners: Ints1d | None = None) -> list[list[tuple[int, ...]]]:
        """Return for each child the facets of each of its directions, by their `owners` if these are given."""
        owners = self.facets.owners if owners is None else owners
        facets_of = [tuple(np.flatnonzero(owners == owner)) for owner in range(len(self.direction_child))]
        return [
            [tuple(int(f) for f in facets_of[owner]) for owner in np.flatnonzero(self.direction_child == child)]
            for child in range(self.n_known)
        ]

    def to_arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return everything as named arrays, for the store."""
        others = {}
        if self.others is not None:
            others = {"other_groups": self.others.groups, "other_explained": self.others.explained}
        if self.explanation is not None:
            others |= self.explanation.to_arrays()
        return {
            "documents": self.documents,
            "term_ids": self.term_ids,
            "vectors": self.vectors,
            "topics": self.topics,
            "directions": self.directions,
            "direction_child": self.direction_child,
            "is_leaf": self.is_leaf,
            "topicality": self.topicality,
            "xy": self.xy,
            "document_xy": self.document_xy,
            "facet_labels": self.facets.labels,
            "facet_owners": self.facets.owners,
            "facet_centers": self.facets.centers,
            "links": self.affinity.links,
            "document_evidence": self.affinity.evidence.astype(np.float16),
            "facet_sizes": self.affinity.sizes,
            **others,
        }

    @classmethod
    def from_arrays(
        cls, node_id: str, children: tuple[str, ...], arrays: Mapping[str, np.ndarray[Any, Any]]
    ) -> NodeEvidence:
        """Rebuild evidence from what `to_arrays` returned."""
        for array in arrays.values():
            read_only(array)
        others = None
        if "other_groups" in arrays:
            others = OtherReadings(arrays["other_groups"], arrays["other_explained"])
        return cls(
            node_id=node_id,
            children=children,
            documents=arrays["documents"],
            term_ids=arrays["term_ids"],
            vectors=arrays["vectors"],
            topics=arrays["topics"],
            directions=arrays["directions"],
            direction_child=arrays["direction_child"],
            is_leaf=arrays["is_leaf"],
            topicality=arrays["topicality"],
            xy=arrays["xy"],
            # Proposals kept before documents had places have none.
            document_xy=arrays.get("document_xy", np.zeros((len(arrays["documents"]), 2), dtype=np.float32)),
            facets=Facets(arrays["facet_labels"], arrays["facet_owners"], arrays["facet_centers"]),
            affinity=Affinity(arrays["links"], arrays["document_evidence"].astype(np.float32), arrays["facet_sizes"]),
            explanation=Explanation.from_arrays(arrays) if "explained" in arrays else None,
            others=others,
        )
