"""Scenarios: a gold hierarchy, a seed that lacks part of it, and which documents take part."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from taxocom.errors import InputError
from taxocom.numerics.arrays import Offsets
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy

TopicPath = tuple[str, ...]
RemovalRule = Literal["first", "second", "both"]

CLASS_CAP = 1_500


def path_key(path: Iterable[str]) -> TopicPath:
    """Return a path as it is compared: case, outer blanks and the joiner of phrases do not matter."""
    return tuple(" ".join(label.replace("_", " ").casefold().split()) for label in path)


def topic_paths(tree: Taxonomy) -> list[TopicPath]:
    """Return the key of every topic's path, parents before children."""
    return [path_key(tree.path_of(node.node_id)) for node in tree.walk()]


@dataclass(frozen=True)
class Scenario:
    """A seed taxonomy and the gold one that it should be completed to.

    What gold has and the seed lacks is what must be found. A topic of the seed that gold does not have is known and
    simply has no documents.
    """

    name: str
    gold: Taxonomy
    seed: Taxonomy

    @cached_property
    def removed(self) -> tuple[TopicPath, ...]:
        """The paths of every topic that gold has and the seed lacks, parents before children."""
        kept = set(topic_paths(self.seed))
        return tuple(path for path in topic_paths(self.gold) if path not in kept)

    @cached_property
    def topmost_removed(self) -> tuple[TopicPath, ...]:
        """The removed topics whose parent was kept: each stands for all that went with it."""
        gone = set(self.removed)
        return tuple(path for path in self.removed if path[:-1] not in gone)


def parse_removals(text: str) -> list[TopicPath]:
    """Read `science/space,religion` as the paths of two topics."""
    paths = [tuple(part.strip() for part in item.split("/")) for item in text.split(",") if item.strip()]
    for path in paths:
        if not all(path):
            raise InputError(f"{'/'.join(path)!r} has an empty part. Write paths like 'science/space,religion'.")
    return paths


def remove_topics(gold: Taxonomy, paths: Iterable[Sequence[str]]) -> Taxonomy:
    """Return the gold tree without these topics and all below them; a path inside a removed one is allowed."""
    found: list[str] = []
    by_key = {path_key(gold.path_of(node.node_id)): node.node_id for node in gold.walk()}
    for path in paths:
        node_id = by_key.get(path_key(path))
        if node_id is None:
            known = ["/".join(key) for key in by_key]
            near = difflib.get_close_matches("/".join(path_key(path)), known, n=3, cutoff=0.4) or known[:3]
            raise InputError(f"The gold hierarchy has no topic {'/'.join(path)!r}. Nearest: {', '.join(near)}.")
        found.append(node_id)
    seed = gold
    for node_id in found:
        if node_id in seed:
            seed = seed.without(node_id)
    return seed


def removal_scenario(name: str, gold: Taxonomy, paths: Iterable[Sequence[str]]) -> Scenario:
    """Make the scenario in which these topics must be found."""
    return Scenario(name, gold, remove_topics(gold, paths))


def complete_scenario(gold: Taxonomy, name: str = "complete seed") -> Scenario:
    """Make the scenario in which nothing is missing, so that every novel topic is spurious."""
    return Scenario(name, gold, gold)


def random_removals(
    gold: Taxonomy, n_removals: int, *, rule: RemovalRule, random_state: int, name: str | None = None
) -> Scenario:
    """Make a scenario by removing `n_removals` topics at random.

    `first` takes first-level topics with all below them, `second` takes second-level ones, `both` one first-level topic
    for every four removals (at least one) and second-level ones elsewhere. One first-level topic always stays, and one
    child under every topic that has children, because a seed without a sibling says nothing of the grain wanted.
    """
    rng = np.random.default_rng(random_state)
    n_first = {"first": n_removals, "second": 0, "both": max(1, n_removals // 4)}[rule]
    top = gold.children.get(ROOT_ID, ())
    if n_removals < 1:
        raise InputError(f"{n_removals} removals asked for; ask for at least 1.")
    if n_first >= max(len(top), 1):
        raise InputError(
            f"{n_first} first-level topics to remove, but gold has {len(top)} and one must stay. Ask for fewer."
        )
    removed = _draw(rng, top, n_first)
    spare = _spare_children(gold, [node_id for node_id in top if node_id not in removed], rng)
    if n_removals - n_first > len(spare):
        raise InputError(
            f"{n_removals - n_first} second-level topics to remove, but only {len(spare)} can go with one sibling left "
            "under every topic. Ask for fewer."
        )
    removed += _draw(rng, spare, n_removals - n_first)
    paths = [gold.path_of(node_id) for node_id in removed]
    return removal_scenario(name or f"{rule} {n_removals}, random state {random_state}", gold, paths)


def _spare_children(gold: Taxonomy, parents: Sequence[str], rng: np.random.Generator) -> list[str]:
    """Return the children that may go: all but one, drawn at random, under each parent."""
    spare: list[str] = []
    for parent in parents:
        children = gold.children.get(parent, ())
        kept = _draw(rng, children, min(1, len(children)))
        spare += [child for child in children if child not in kept]
    return spare


def _draw(rng: np.random.Generator, items: Sequence[str], n: int) -> list[str]:
    return [items[i] for i in sorted(rng.choice(len(items), size=n, replace=False))] if n else []


def cap_classes(labels: Sequence[TopicPath], limit: int = CLASS_CAP, *, random_state: int = 0) -> Offsets:
    """Return the rows, ascending, of a sample with at most `limit` documents of each label path.

    The sample depends on the labels' order and the random state alone. A smaller limit gives a subset of what a larger
    one gives, so that results on growing samples can be compared.
    """
    ranks = np.random.default_rng(random_state).permutation(len(labels))
    members: dict[TopicPath, list[int]] = {}
    for row, label in enumerate(labels):
        members.setdefault(path_key(label), []).append(row)
    kept = [sorted(rows, key=lambda row: ranks[row])[:limit] for rows in members.values()]
    return np.sort(np.fromiter((row for rows in kept for row in rows), dtype=np.int64))


def skew_topic(labels: Sequence[TopicPath], path: Sequence[str], n_documents: int, *, random_state: int = 0) -> Offsets:
    """Return the rows, ascending, of all documents but those of one topic, of which only `n_documents` stay.

    The documents of the topic are those labelled with it or with a topic below it. This asks how small a missing topic
    may be and still be found.
    """
    key = path_key(path)
    inside = [row for row, label in enumerate(labels) if path_key(label)[: len(key)] == key]
    if not inside:
        raise InputError(f"No document is labelled {'/'.join(path)!r} or below it; there is nothing to cut.")
    ranks = np.random.default_rng(random_state).permutation(len(labels))
    cut = set(sorted(inside, key=lambda row: ranks[row])[n_documents:])
    return np.fromiter((row for row in range(len(labels)) if row not in cut), dtype=np.int64)
