"""What changed between two versions of a taxonomy, as data and as a change log that people read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from taxocom.interchange.base.markdown_escapes import plain
from taxocom.taxonomy.tree import Taxonomy, TopicNode

Path = tuple[str, ...]
# What a person would call a change of the topic itself; the label and the place have lists of their own.
_EDITED = tuple(field.name for field in fields(TopicNode) if field.name not in ("node_id", "label"))
_WORDS = {"alt_labels": "other names", "scope_note": "scope note", "n_documents": "number of documents",
          "center_term": "center term", "properties": "carried statements"}  # fmt: skip


@dataclass(frozen=True)
class TopicPlace:
    """A topic where it stands or stood."""

    node_id: str
    path: Path


@dataclass(frozen=True)
class RenamedTopic:
    """A topic with another name than before."""

    node_id: str
    path: Path
    old_label: str
    new_label: str


@dataclass(frozen=True)
class MovedTopic:
    """A topic under another parent than before; what is below it moved along and is not listed."""

    node_id: str
    label: str
    old_path: Path
    new_path: Path


@dataclass(frozen=True)
class MergedTopic:
    """A topic that is gone, and whose name another topic has taken over."""

    node_id: str
    path: Path
    into_id: str
    into_path: Path


@dataclass(frozen=True)
class EditedTopic:
    """A topic whose texts, keywords or numbers changed."""

    node_id: str
    path: Path
    fields: tuple[str, ...]


@dataclass(frozen=True)
class TaxonomyChange:
    """The difference between two taxonomies; topics are the same if their ids are."""

    old_title: str
    new_title: str
    old_language: str
    new_language: str
    added: tuple[TopicPlace, ...] = ()
    renamed: tuple[RenamedTopic, ...] = ()
    moved: tuple[MovedTopic, ...] = ()
    merged: tuple[MergedTopic, ...] = ()
    removed: tuple[TopicPlace, ...] = ()
    edited: tuple[EditedTopic, ...] = ()
    reordered: tuple[TopicPlace, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the two taxonomies are the same."""
        parts = (self.added, self.renamed, self.moved, self.merged, self.removed, self.edited, self.reordered)
        same_frame = (self.old_title, self.old_language) == (self.new_title, self.new_language)
        return same_frame and not any(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as plain data."""
        return asdict(self)

    def to_markdown(self, old_name: str = "before", new_name: str = "now") -> str:
        """Return a change log, the most telling changes first."""
        lines = [f"# {plain(self.new_title)}: {plain(old_name)} → {plain(new_name)}", ""]
        if self.is_empty:
            return "\n".join([*lines, "Nothing changed.", ""])
        if self.old_title != self.new_title:
            lines += [f"The title was {plain(self.old_title)}.", ""]
        if self.old_language != self.new_language:
            lines += [f"The language was {plain(self.old_language)} and is {plain(self.new_language)}.", ""]
        for title, entries in self._sections():
            if entries:
                lines += [f"## {title} ({len(entries)})", "", *(f"- {entry}" for entry in entries), ""]
        return "\n".join(lines)

    def _sections(self) -> Iterator[tuple[str, Sequence[str]]]:
        yield "Added", [_shown(topic.path) for topic in self.added]
        yield "Renamed", [f"{plain(t.old_label)} → **{plain(t.new_label)}** ({_shown(t.path)})" for t in self.renamed]
        yield "Moved", [f"{plain(t.label)}: {_shown(t.old_path)} → {_shown(t.new_path)}" for t in self.moved]
        yield "Merged", [f"{_shown(t.path)} into **{_shown(t.into_path)}**" for t in self.merged]
        yield "Removed", [_shown(topic.path) for topic in self.removed]
        yield "Edited", [f"{_shown(t.path)}: {', '.join(_WORDS.get(n, n) for n in t.fields)}" for t in self.edited]
        yield "Reordered", [f"the topics under {_shown(topic.path)}" for topic in self.reordered]


def compare(old: Taxonomy, new: Taxonomy) -> TaxonomyChange:
    """Tell what happened between two versions, topics in the order of the newer tree."""
    kept = [node for node in new.walk() if node.node_id in old]
    merged = tuple(_merged(old, new))
    gone_by_merging = {topic.node_id for topic in merged}
    return TaxonomyChange(
        old.root.label,
        new.root.label,
        old.language,
        new.language,
        added=tuple(_place(new, node) for node in new.walk() if node.node_id not in old),
        renamed=tuple(
            RenamedTopic(node.node_id, new.path_of(node.node_id), old[node.node_id].label, node.label)
            for node in kept
            if old[node.node_id].label != node.label
        ),
        moved=tuple(
            MovedTopic(node.node_id, node.label, old.path_of(node.node_id), new.path_of(node.node_id))
            for node in kept
            if old.parent_of(node.node_id) != new.parent_of(node.node_id)
        ),
        merged=merged,
        removed=tuple(
            _place(old, node) for node in old.walk() if node.node_id not in new and node.node_id not in gone_by_merging
        ),
        edited=tuple(
            EditedTopic(node.node_id, new.path_of(node.node_id), changed)
            for node in (new.root, *kept)
            if (changed := _edited(old[node.node_id], node))
        ),
        reordered=tuple(_place(new, new[node_id]) for node_id in _reordered(old, new)),
    )


def _place(tree: Taxonomy, node: TopicNode) -> TopicPlace:
    return TopicPlace(node.node_id, tree.path_of(node.node_id))


def _edited(before: TopicNode, now: TopicNode) -> tuple[str, ...]:
    changed = [name for name in _EDITED if getattr(before, name) != getattr(now, name)]
    # A rename leaves the old name behind; that is not a change of its own.
    if changed == ["alt_labels"] and set(now.alt_labels) ^ set(before.alt_labels) <= {before.label, now.label}:
        return ()
    return tuple(changed)


def _merged(old: Taxonomy, new: Taxonomy) -> Iterator[MergedTopic]:
    taken_over: dict[str, str] = {}
    for node in new.walk():
        before = set(old[node.node_id].alt_labels) | {old[node.node_id].label} if node.node_id in old else set()
        for name in node.alt_labels:
            if name not in before:
                taken_over.setdefault(name.casefold(), node.node_id)
    for node in old.walk():
        into_id = taken_over.get(node.label.casefold())
        if node.node_id not in new and into_id is not None:
            yield MergedTopic(node.node_id, old.path_of(node.node_id), into_id, new.path_of(into_id))


def _reordered(old: Taxonomy, new: Taxonomy) -> Iterator[str]:
    for parent_id, below in new.children.items():
        earlier = old.children.get(parent_id, ())
        both = set(below).intersection(earlier)
        if [child for child in earlier if child in both] != [child for child in below if child in both]:
            yield parent_id


def _shown(path: Path) -> str:
    return " / ".join(plain(label) for label in path) if path else "the root"
