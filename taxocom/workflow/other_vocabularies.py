"""Vocabularies of others, kept with a project so that their concepts can be looked up and matched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from taxocom.errors import InputError
from taxocom.reading.files import read_seed
from taxocom.store import Project
from taxocom.taxonomy.statements import URI
from taxocom.taxonomy.vocabulary_sayings import words_of

_PURPOSE = "vocabulary/"
_MOST_FOUND = 20


@dataclass(frozen=True)
class Concept:
    """A concept of another vocabulary: its URI, its names in all languages, and where it stands there."""

    uri: str
    label: str
    names: tuple[str, ...]
    path: str
    vocabulary: str


def keep_vocabulary(project: Project, data: bytes, file_name: str, *, by: str) -> int:
    """Keep a SKOS file with a project under its name, in place of an earlier one; return how many concepts it has."""
    project.require("vocabularies", by)
    document = read_seed(data, name=file_name)
    if document.format not in ("turtle", "rdfxml", "jsonld"):
        raise InputError(f"{file_name} is no SKOS. Export the vocabulary as Turtle, RDF/XML or JSON-LD and try again.")
    extension = Path(file_name).suffix.lstrip(".") or "ttl"
    artifact = project.put_bytes(data, "vocabulary", extension=extension, details={"file": file_name})
    project.use(_PURPOSE + Path(file_name).name, artifact)
    return len(document.taxonomy)


def kept_vocabularies(project: Project) -> dict[str, str]:
    """Return the vocabularies that are kept, by their file's name, each with the artifact that holds it."""
    return {
        purpose.removeprefix(_PURPOSE): artifact
        for purpose, artifact in sorted(project.purposes().items())
        if purpose.startswith(_PURPOSE)
    }


def look_up(project: Project, text: str) -> list[Concept]:
    """Return the concepts with a name like a text, those called just so first."""
    wanted = " ".join(text.casefold().split())
    if not wanted:
        return []
    found = []
    for name, artifact in kept_vocabularies(project).items():
        for concept in _concepts(project.artifact_path(artifact), name):
            names = [each.casefold() for each in concept.names]
            if any(wanted in each for each in names):
                found.append((wanted not in names, min(map(len, names)), concept.label.casefold(), concept))
    return [concept for *_, concept in sorted(found, key=lambda each: each[:3])[:_MOST_FOUND]]


@lru_cache(maxsize=8)
def _concepts(path: Path, vocabulary: str) -> tuple[Concept, ...]:
    # An artifact is named by what it holds, so what was read once stays true.
    tree = read_seed(path.read_bytes(), name=vocabulary).taxonomy
    found = []
    for node in tree.walk():
        uri = next((value for name, value in node.properties if name == URI), "")
        if uri:
            others = [name for words in words_of(node).values() for name in (words.label, *words.alt_labels) if name]
            names = tuple(dict.fromkeys([node.label, *node.alt_labels, *others]))
            found.append(Concept(uri, node.label, names, " › ".join(tree.path_of(node.node_id)), vocabulary))
    return tuple(found)
