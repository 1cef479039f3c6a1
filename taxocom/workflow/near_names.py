"""Topics of a tree that are called nearly like a new one, and what to do about each."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from taxocom.tagging.names import names_of
from taxocom.taxonomy.tree import Taxonomy, TopicNode
from taxocom.text.language.tokens import words_of
from taxocom.text.terms.seed_phrases import phrase_forms

_ALIKE = 0.8


@dataclass(frozen=True)
class NearTopic:
    """A topic of the tree with the same name, with it as another name or keyword, or with a name spelled alike."""

    node_id: str
    path: tuple[str, ...]
    is_same: bool
    said: str


def near_topics(tree: Taxonomy, node: TopicNode, limit: int = 3) -> tuple[NearTopic, ...]:
    """Return the topics called nearly like a new one, the same name first."""
    wanted = _forms(node.label, tree.language)
    if not wanted:
        return ()
    found: list[tuple[float, NearTopic]] = []
    for topic in tree.walk():
        path = tree.path_of(topic.node_id)
        where = "/".join(path)
        label = _forms(topic.label, tree.language)
        if wanted & label:
            said = f"{where!r} is in the tree already. Teach that topic, or give it more keywords."
            found.append((2.0, NearTopic(topic.node_id, path, True, said)))
        elif any(wanted & _forms(name, tree.language) for name in names_of(topic)[1:]):
            said = (
                f"This name is another name or a keyword of {where!r}. Take it off there if it is a topic of its own."
            )
            found.append((1.5, NearTopic(topic.node_id, path, False, said)))
        else:
            ratio = SequenceMatcher(None, node.label.casefold(), topic.label.casefold(), autojunk=False).ratio()
            if ratio >= _ALIKE:
                said = f"{where!r} is spelled nearly the same. Is it the same topic?"
                found.append((ratio, NearTopic(topic.node_id, path, False, said)))
    found.sort(key=lambda pair: -pair[0])
    return tuple(near for _, near in found[:limit])


def _forms(name: str, language: str) -> frozenset[tuple[str, ...]]:
    words = tuple(words_of(name))
    return frozenset(phrase_forms(words, language)) if words else frozenset()
