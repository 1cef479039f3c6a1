"""The map of a node's terms: what travels to the browser, and the component that draws it.

Two messages carry it. The points (names, coordinates) stay while a curator works on a proposal, so they go once and
Streamlit answers later runs from its message cache. Clusters and scores go with every change, a few bytes a term.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.numerics.arrays import Bools1d, Floats1d
from taxocom.text.terms.vocabulary import Vocabulary
from taxocom.ui.frontend import component
from taxocom.ui.frontend.events import shown

_HERE = Path(__file__).parent
_NOVEL, _ANCHOR, _PINNED = 1, 2, 4
_LANDMARKS = 25

_points = component("taxocom_points", _HERE, ("points.js",))
_map = component(
    "taxocom_map", _HERE, ("blit.js", "scatter.js", "labels.js", "gestures.js", "map.js", "selection.js"), ("map.css",)
)


@dataclass(frozen=True)
class MapPoints:
    """The part of a map that a re-split leaves alone, packed for the browser; `digest` names it."""

    digest: str
    packed: bytes
    topicality_range: tuple[float, float]


@dataclass(frozen=True)
class Moved:
    """Terms that the curator selected on the map, and where they go: a cluster's id, known, novel or general."""

    term_ids: tuple[int, ...]
    to: str


def pack_points(expansion: NodeExpansion, vocabulary: Vocabulary) -> MapPoints:
    """Pack names, coordinates and document frequencies of every term of the node."""
    terms = expansion.terms
    topicality, topicality_range = _quantised(terms.topicality)
    names = json.dumps(vocabulary.select(terms.term_ids), ensure_ascii=False).encode()
    body = b"".join(
        (
            _bytes(terms.xy, np.float32),
            _bytes(terms.term_ids, np.int32),
            _bytes(vocabulary.document_frequencies[terms.term_ids], np.int32),
            topicality.tobytes(),
            names,
        )
    )
    digest = hashlib.sha256(body).hexdigest()[:16].encode()
    header = struct.pack("<III", len(terms), len(names), len(digest))
    return MapPoints(digest.decode(), header + body + digest, topicality_range)


def pack_state(
    expansion: NodeExpansion,
    vocabulary: Vocabulary,
    points: MapPoints,
    *,
    labels: Mapping[str, str],
    pinned: Collection[int] = (),
) -> dict[str, Any]:
    """Pack what a re-split changes: the clusters, and each term's cluster, novelty and significance.

    `labels` are the names the curator gave to clusters, by cluster id; `pinned` the ids of the terms put by hand.
    """
    terms = expansion.terms
    novelty, novelty_range = _quantised(terms.novelty)
    significance, significance_range = _quantised(terms.significance)
    flags = (
        terms.is_novel * _NOVEL + _landmarks(expansion) * _ANCHOR + np.isin(terms.term_ids, list(pinned)) * _PINNED
    ).astype(np.uint8)
    rows = _center_rows(expansion, vocabulary)
    state: dict[str, Any] = {
        "points": points.digest,
        "threshold": expansion.novelty_threshold,
        "clusters": [
            {"id": c.cluster_id, "kind": c.kind, "label": labels.get(c.cluster_id, c.label), "center": row}
            for c, row in zip(expansion.clusters, rows, strict=True)
        ],
        "cluster": _base64(terms.cluster.astype("<i2")),
        "flags": _base64(flags),
        "novelty": _base64(novelty),
        "significance": _base64(significance),
        "scales": {
            "novelty": novelty_range,
            "significance": significance_range,
            "topicality": points.topicality_range,
        },
    }
    state["state"] = hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()[:16]
    return state


def term_map(points: MapPoints, state: Mapping[str, Any], *, key: str, on_moved: Callable[[Moved], None]) -> None:
    """Show the map; `on_moved` gets the terms that the curator selected and moved."""

    def handle(moved: Mapping[str, Any]) -> None:
        on_moved(Moved(tuple(int(term) for term in moved["terms"]), str(moved["to"])))

    _points(key=f"{key}-points", data=points.packed)
    shown(_map, state, key=key, event="moved", handle=handle)


def _landmarks(expansion: NodeExpansion) -> Bools1d:
    """Mark the strongest anchors of each cluster: a map on which hundreds stand out is one on which none does."""
    terms = expansion.terms
    marked = np.zeros(len(terms), dtype=np.bool_)
    for index in range(len(expansion.clusters)):
        members = np.flatnonzero((terms.cluster == index) & terms.is_anchor)
        marked[members[np.argsort(-terms.significance[members], kind="stable")[:_LANDMARKS]]] = True
    return marked


def _center_rows(expansion: NodeExpansion, vocabulary: Vocabulary) -> list[int]:
    """Return for each cluster the id of the term that carries its name: its center, or else its strongest term."""
    terms = expansion.terms
    present = set(terms.term_ids.tolist())
    rows = []
    for index, cluster in enumerate(expansion.clusters):
        center = vocabulary.id_of(cluster.center_term)
        if center is not None and center in present:
            rows.append(center)
            continue
        members = np.flatnonzero(terms.cluster == index)
        best = members[np.argmax(terms.significance[members])] if len(members) else -1
        rows.append(int(terms.term_ids[best]) if best >= 0 else -1)
    return rows


def _quantised(values: Floats1d) -> tuple[npt.NDArray[np.uint16], tuple[float, float]]:
    if not len(values):
        return np.zeros(0, np.uint16), (0.0, 1.0)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    scaled = (np.nan_to_num(values, nan=low) - low) / ((high - low) or 1.0)
    return (scaled * 65535).astype("<u2"), (low, high)


def _bytes(values: npt.NDArray[Any], dtype: type[np.generic]) -> bytes:
    return np.ascontiguousarray(values, dtype=dtype).tobytes()


def _base64(values: npt.NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
