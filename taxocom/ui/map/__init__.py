"""The map of a node's documents and terms: what travels to the browser, and the component that draws it.

Three messages carry it. The points of both (names, coordinates) stay while a curator works on a proposal, so they go
once and Streamlit answers later runs from its message cache. Topics and scores go with every change, a few bytes each.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.numerics.arrays import Bools1d, Floats1d, Ints1d
from taxocom.text.corpus import Corpus
from taxocom.ui.frontend import component
from taxocom.ui.frontend.events import shown
from taxocom.workflow.node_picture import NodePicture

_HERE = Path(__file__).parent
_NOVEL, _ANCHOR, _PINNED = 1, 2, 4
_LANDMARKS = 25
DOCUMENTS_DRAWN = 25_000
"""A larger node shows this many of its documents, evenly taken: what a browser draws in an instant without a card."""
_OPENING = 80
_READ_OF_A_TEXT = 400

_points = component("taxocom_points", _HERE, ("points.js",))
_state = component("taxocom_state", _HERE, ("state.js",))
_map = component(
    "taxocom_map",
    _HERE,
    ("blit.js", "regions.js", "scatter.js", "labels.js", "gestures.js", "map.js", "selection.js"),
    ("map.css",),
)

View = Literal["documents", "terms"]


@dataclass(frozen=True)
class MapPoints:
    """The part of a map that a re-split leaves alone, packed for the browser; `digest` names it."""

    digest: str
    packed: bytes
    strength_range: tuple[float, float]


@dataclass(frozen=True)
class NodePoints:
    """The points of both views; those of the documents are None if a proposal has no places for them.

    `drawn` are the rows of the proposal whose documents are points.
    """

    terms: MapPoints
    documents: MapPoints | None
    drawn: Ints1d


@dataclass(frozen=True)
class Selected:
    """Terms or documents (rows of the corpus) that were chosen on the map, and what is to become of them.

    `to` is a cluster's id, known, novel or general for terms, a topic's id for documents, and empty for a new topic.
    """

    view: View
    ids: tuple[int, ...]
    to: str


def pack_node(expansion: NodeExpansion, corpus: Corpus, titles: Mapping[str, str]) -> NodePoints:
    """Pack names, coordinates and frequencies of every term of the node, and names and coordinates of its documents."""
    terms, documents, vocabulary = expansion.terms, expansion.documents, corpus.vocabulary
    of_terms = _packed(
        terms.xy,
        terms.term_ids,
        vocabulary.document_frequencies[terms.term_ids],
        terms.topicality,
        vocabulary.select(terms.term_ids),
    )
    n_documents = len(documents)
    drawn = np.unique(np.linspace(0, max(n_documents - 1, 0), min(n_documents, DOCUMENTS_DRAWN)).astype(np.int32))
    if not documents.xy.any():
        return NodePoints(of_terms, None, drawn[:0])
    rows = documents.documents[drawn]
    named = [_name(corpus, int(row), titles) for row in rows]
    lengths = np.diff(corpus.counts.indptr)[rows]
    of_documents = _packed(documents.xy[drawn], rows, lengths, documents.score[drawn], named)
    return NodePoints(of_terms, of_documents, drawn)


def _name(corpus: Corpus, row: int, titles: Mapping[str, str]) -> str:
    """Return what a document is called on the map: its title, or how it begins."""
    document_id = corpus.document_ids[row]
    opening = titles.get(document_id) or corpus.texts[row][:_READ_OF_A_TEXT].strip().partition("\n")[0]
    words = " ".join(opening.split()) or document_id
    return words if len(words) <= _OPENING else words[: _OPENING - 1].rstrip() + "…"


def _packed(
    xy: npt.NDArray[np.float32], ids: Ints1d, counts: npt.NDArray[Any], strength: Floats1d, names: list[str]
) -> MapPoints:
    quantised, strength_range = _quantised(strength)
    text = json.dumps(names, ensure_ascii=False).encode()
    head = (_bytes(xy, np.float32), _bytes(ids, np.int32), _bytes(counts, np.int32))
    body = b"".join((*head, quantised.tobytes(), text))
    digest = hashlib.sha256(body).hexdigest()[:16].encode()
    header = struct.pack("<III", len(ids), len(text), len(digest))
    return MapPoints(digest.decode(), header + body + digest, strength_range)


def pack_state(
    expansion: NodeExpansion,
    picture: NodePicture,
    points: NodePoints,
    *,
    pinned: Collection[int] = (),
    topics: Mapping[str, str] | None = None,
    may_move_terms: bool = True,
) -> dict[str, Any]:
    """Pack what a change alters: the topics, and each point's topic; of terms novelty and significance too.

    `pinned` are the ids of the terms put by hand; `topics` are those that selected documents can be given to.
    """
    terms = expansion.terms
    novelty, novelty_range = _quantised(terms.novelty)
    significance, significance_range = _quantised(terms.significance)
    is_known = np.array([*(group.kind == "known" for group in picture.groups), False])[picture.terms]
    flags = (
        (terms.is_novel & ~is_known) * _NOVEL
        + _landmarks(expansion) * _ANCHOR
        + np.isin(terms.term_ids, list(pinned)) * _PINNED
    ).astype(np.uint8)
    state: dict[str, Any] = {
        "points": {"terms": points.terms.digest, "documents": points.documents.digest if points.documents else ""},
        "threshold": expansion.novelty_threshold,
        "clusters": [
            {"id": g.group_id, "kind": g.kind, "label": g.label, "slot": g.slot, "nDocuments": g.n_documents}
            for g in picture.groups
        ],
        "terms": {
            "cluster": _base64(picture.terms.astype("<i2")),
            "flags": _base64(flags),
            "novelty": _base64(novelty),
            "significance": _base64(significance),
        },
        "documents": {
            "cluster": _base64(picture.documents[points.drawn].astype("<i2")),
            "below": _base64(picture.below[points.drawn].astype("<i2")),
            "namesBelow": list(picture.names_below),
            "nAll": len(expansion.documents),
        },
        "scales": {
            "novelty": novelty_range,
            "significance": significance_range,
            "topicality": points.terms.strength_range,
        },
        "topics": [{"id": node_id, "label": label} for node_id, label in (topics or {}).items()],
        "mayMoveTerms": may_move_terms,
    }
    state["state"] = hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()[:16]
    return state


def node_map(
    points: NodePoints, state: Mapping[str, Any], *, key: str, on_selected: Callable[[Selected], None]
) -> None:
    """Show the map; `on_selected` gets what the curator selected and what is to become of it."""

    def handle(told: Mapping[str, Any]) -> None:
        view: View = "documents" if told["view"] == "documents" else "terms"
        on_selected(Selected(view, tuple(int(each) for each in told["ids"]), str(told["to"])))

    _send_points(points, key)
    shown(_map, state, key=key, event="selected", handle=handle)


def send_without_map(points: NodePoints, state: Mapping[str, Any], *, key: str) -> None:
    """Send the browser what the histogram of novelty goes by while there is no map."""
    _send_points(points, key)
    _state(key=f"{key}-state", data=dict(state))


def _send_points(points: NodePoints, key: str) -> None:
    _points(key=f"{key}-points", data=points.terms.packed)
    if points.documents is not None:
        _points(key=f"{key}-documents", data=points.documents.packed)


def _landmarks(expansion: NodeExpansion) -> Bools1d:
    """Mark the strongest anchors of each cluster: a map on which hundreds stand out is one on which none does."""
    terms = expansion.terms
    marked = np.zeros(len(terms), dtype=np.bool_)
    for index in range(len(expansion.clusters)):
        members = np.flatnonzero((terms.cluster == index) & terms.is_anchor)
        marked[members[np.argsort(-terms.significance[members], kind="stable")[:_LANDMARKS]]] = True
    return marked


def _quantised(values: Floats1d) -> tuple[npt.NDArray[np.uint16], tuple[float, float]]:
    if not len(values) or not np.isfinite(values).any():
        return np.zeros(len(values), np.uint16), (0.0, 1.0)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    scaled = (np.nan_to_num(values, nan=low) - low) / ((high - low) or 1.0)
    return (scaled * 65535).astype("<u2"), (low, high)


def _bytes(values: npt.NDArray[Any], dtype: type[np.generic]) -> bytes:
    return np.ascontiguousarray(values, dtype=dtype).tobytes()


def _base64(values: npt.NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
