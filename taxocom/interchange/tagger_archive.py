"""A tagger as one zip file, and back. Nothing in it is code: JSON, a list of terms, and plain arrays of numbers."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from tokenize import TokenError
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from taxocom.errors import InputError
from taxocom.interchange.base.source import Source
from taxocom.interchange.base.zip_files import MAX_UNPACKED, Archive, pack
from taxocom.numerics.arrays import Floats2d, read_only
from taxocom.tagging.fitted import FittedTagger, Surroundings
from taxocom.tagging.model import Taught
from taxocom.tagging.names import TopicClass, TopicNames
from taxocom.tagging.tagger_parts import LexiconPart, TaggerOrigin, TaggerParts
from taxocom.taxonomy.codec import from_plain, to_plain
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode

FORMAT, VERSION = "taxocom-tagger", 1
"""Raise the version when a file means something else than before; a reader refuses what is newer than itself."""

_ABOUT, _TERMS = "tagger.json", "terms.txt"
_LONGEST_TERM = 2_000
# The arrays: what they hold, and how many axes they have. Halves where there are many numbers.
_ARRAYS: Mapping[str, tuple[str, int]] = {
    "directions": ("<f2", 2),
    "log_ratios": ("<f2", 2),
    "ridge": ("<f4", 2),
    "name_places": ("<f4", 2),
    "name_vectors": ("<f4", 2),
    "mention_terms": ("<i4", 1),
    "mention_topics": ("<i4", 1),
    "mention_weights": ("<f4", 1),
    "surrounding_branches": ("<f4", 2),
    "surrounding_fit": ("<f4", 1),
    "lexicon_idf": ("<f4", 1),
    "lexicon_center": ("<f4", 1),
}

Arrays = dict[str, npt.NDArray[Any]]


def write_tagger(parts: TaggerParts) -> bytes:
    """Return a tagger as a zip; the same tagger gives the same bytes."""
    fitted, names = parts.fitted, parts.fitted.names
    mentions = names.weights.tocoo()
    order = np.lexsort((mentions.coords[1], mentions.coords[0]))
    empty = np.zeros((0, 0), dtype=np.float32)
    lexicon = parts.lexicon
    arrays: Arrays = {
        "directions": parts.directions,
        "log_ratios": fitted.taught.log_ratios if fitted.taught else empty,
        "ridge": fitted.taught.directions if fitted.taught else empty,
        "name_places": names.places,
        "name_vectors": empty if names.vectors is None else names.vectors,
        "mention_terms": mentions.coords[0][order],
        "mention_topics": mentions.coords[1][order],
        "mention_weights": mentions.data[order],
        "surrounding_branches": fitted.surroundings.branches,
        "surrounding_fit": fitted.surroundings.explained,
        "lexicon_idf": lexicon.idf if lexicon else empty[0:0].ravel(),
        "lexicon_center": lexicon.center if lexicon else empty[0:0].ravel(),
    }
    about = {
        "format": FORMAT,
        "version": VERSION,
        "origin": to_plain(parts.origin),
        "language": parts.language,
        "segmented": parts.segmented,
        "aliases": dict(parts.aliases),
        "title": fitted.tree.root.label,
        "topics": [[n.node_id, fitted.tree.parent_of(n.node_id), n.label] for n in fitted.tree.walk()],
        "classes": [[each.node_id, each.branch] for each in fitted.classes],
        "lexicon": lexicon.fingerprint if lexicon else None,
        "lexicon_weight": names.lexicon_weight,
    }
    members = {
        _ABOUT: json.dumps(about, ensure_ascii=False, indent=1).encode(),
        _TERMS: "\n".join(parts.terms).encode(),
        **{f"{name}.npy": _npy(arrays[name].astype(kind)) for name, (kind, _) in _ARRAYS.items()},
    }
    if sum(map(len, members.values())) > MAX_UNPACKED:
        raise InputError(f"This tagger would be larger than {MAX_UNPACKED:,} bytes. Tag within the project instead.")
    return pack(members)


def read_tagger(data: bytes, name: str) -> TaggerParts:
    """Read what `write_tagger` returned; anything else is an InputError that calls the file `name`."""
    source = Source(name, data)
    archive = Archive(source)
    needed = [_ABOUT, _TERMS, *(f"{each}.npy" for each in _ARRAYS)]
    if _ABOUT not in archive:
        raise InputError(f"{name} is not a tagger: {_ABOUT} is missing. Make one: taxocom export PROJECT tagger.zip")
    try:
        about = _about(archive.read(_ABOUT), name)
        if missing := [each for each in needed if each not in archive]:
            raise InputError(f"{name} is damaged: {missing[0]} is missing. Export the tagger again.")
        terms = tuple(archive.read(_TERMS, most=MAX_UNPACKED).decode().split("\n"))
        arrays = {each: _array(archive.read(f"{each}.npy", most=MAX_UNPACKED), *_ARRAYS[each]) for each in _ARRAYS}
        return _parts(about, terms, arrays)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise InputError(f"{name} is damaged ({error!s:.100}). Export the tagger again.") from error


def _about(data: bytes, name: str) -> dict[str, Any]:
    about: Any = json.loads(data)
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise InputError(f"{name} is not a tagger. Make one: taxocom export PROJECT tagger.zip")
    if about.get("version") != VERSION:
        made_by = str((about.get("origin") or {}).get("made_by", "another version"))[:40]
        raise InputError(
            f"{name} is a tagger of format {about.get('version')!s:.10} (made by taxocom {made_by}); this version "
            f"reads format {VERSION}. Export it again, or use the version that made it."
        )
    return about


def _parts(about: Mapping[str, Any], terms: tuple[str, ...], arrays: Arrays) -> TaggerParts:
    tree = _tree(about)
    classes = tuple(TopicClass(str(node_id), int(branch)) for node_id, branch in about["classes"])
    n_terms, n_classes, n_directions = len(terms), len(classes), arrays["directions"].shape[1]
    n_branches = len(tree.children_of(ROOT_ID))
    uses_lexicon = about["lexicon"] is not None
    dim = len(arrays["lexicon_center"])
    shapes = {
        "directions": (n_terms, n_directions),
        "log_ratios": (n_terms, n_classes) if n_classes > 1 else (0, 0),
        "ridge": (n_directions + 1, n_classes) if n_classes > 1 else (0, 0),
        "name_places": (n_classes, n_directions),
        "name_vectors": (n_classes, dim) if uses_lexicon else (0, 0),
        "mention_topics": arrays["mention_terms"].shape,
        "mention_weights": arrays["mention_terms"].shape,
        "surrounding_branches": (n_directions + 1, n_branches),
        "surrounding_fit": (n_directions + 1,),
    }
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has the shape {arrays[name].shape}, not {shape}")
    _check(n_classes > 0, "there is no topic to answer with")
    _check(all(each.node_id in tree and 0 <= each.branch < n_branches for each in classes), "a topic is missing")
    _check(all(0 < len(term) <= _LONGEST_TERM for term in terms), "a term is empty or too long")
    for name, most in (("mention_terms", n_terms), ("mention_topics", n_classes)):
        _check(not len(arrays[name]) or 0 <= arrays[name].min() <= arrays[name].max() < most, f"{name} is out of range")
    mentions = (arrays["mention_weights"], (arrays["mention_terms"], arrays["mention_topics"]))
    names = TopicNames(
        sparse.coo_array(mentions, shape=(n_terms, n_classes)).tocsr(),
        arrays["name_places"],
        arrays["name_vectors"] if uses_lexicon else None,
        _number(about["lexicon_weight"]),
    )
    taught = Taught(arrays["log_ratios"], arrays["ridge"]) if n_classes > 1 else None
    surroundings = Surroundings(arrays["surrounding_branches"], arrays["surrounding_fit"])
    lexicon = None
    if uses_lexicon:
        lexicon = LexiconPart(str(about["lexicon"]), arrays["lexicon_idf"], arrays["lexicon_center"])
    return TaggerParts(
        FittedTagger(tree, classes, names, taught, surroundings),
        terms,
        arrays["directions"],
        {str(alias): str(term) for alias, term in about["aliases"].items()},
        str(about["language"]),
        bool(about["segmented"]),
        lexicon,
        from_plain(TaggerOrigin, about["origin"], "origin"),
    )


def _tree(about: Mapping[str, Any]) -> Taxonomy:
    """Build the tree, parents first, so that no topic can lie below itself."""
    nodes = {ROOT_ID: TopicNode(ROOT_ID, str(about["title"]))}
    children: dict[str, list[str]] = {}
    for node_id, parent, label in about["topics"]:
        _check(parent in nodes and node_id not in nodes, "the tree of topics does not hang together")
        nodes[str(node_id)] = TopicNode(str(node_id), str(label))
        children.setdefault(str(parent), []).append(str(node_id))
    return Taxonomy(nodes, {parent: tuple(below) for parent, below in children.items()})


def _check(holds: Any, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def _number(value: Any) -> float:
    _check(isinstance(value, (int, float)) and math.isfinite(value), "a number is none")
    return float(value)


def _npy(array: npt.NDArray[Any]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return out.getvalue()


def _array(data: bytes, kind: str, n_axes: int) -> Floats2d:
    """Read an array of the kind it must be; its header is believed only if the bytes that follow bear it out."""
    file = io.BytesIO(data)
    try:
        _check(np.lib.format.read_magic(file) == (1, 0), "an array is of another version")
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
    except (SyntaxError, TokenError, EOFError, OverflowError, MemoryError) as error:
        raise ValueError(f"the head of an array cannot be read: {error}") from error
    _check(dtype.str == kind and len(shape) == n_axes and not is_fortran, "an array is of another kind")
    _check(math.prod(shape) * dtype.itemsize == len(data) - file.tell(), "an array is cut short")
    values = np.frombuffer(data, dtype, offset=file.tell()).reshape(shape)
    if dtype.kind == "f":
        _check(np.isfinite(values).all(), "an array holds what is no number")
        values = values.astype(np.float32)
    return read_only(np.ascontiguousarray(values))
