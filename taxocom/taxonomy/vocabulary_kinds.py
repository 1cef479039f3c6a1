"""What is decided about a vocabulary beyond its tree: links, matches, other languages, notations, collections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from taxocom.taxonomy.decision_base import Decision, Topics, name_of
from taxocom.taxonomy.tree import TopicNode

Match = Literal["exact", "close", "broad", "narrow", "related"]


@dataclass(frozen=True)
class RelateTopics(Decision):
    """Say that two topics are related, in both directions, or (with `holds` false) that they are not."""

    node_id: str
    other_id: str
    holds: bool = True

    def summary(self, tree: Topics) -> str:
        """Say what is related to what."""
        verb = "Related" if self.holds else "No longer related"
        return f"{verb} {name_of(tree, self.node_id)} and {name_of(tree, self.other_id)}"


@dataclass(frozen=True)
class LinkBroader(Decision):
    """Say that a topic is also under another one than its parent: a link, the tree stays a tree."""

    node_id: str
    other_id: str
    holds: bool = True

    def summary(self, tree: Topics) -> str:
        """Say what is also under what."""
        verb = "is also under" if self.holds else "is no longer also under"
        return f"{name_of(tree, self.node_id)} {verb} {name_of(tree, self.other_id)}"


@dataclass(frozen=True)
class MatchConcept(Decision):
    """Say how a topic matches a concept of another vocabulary, by its URI; `name` is what that concept is called."""

    node_id: str
    how: Match
    uri: str
    name: str = ""
    holds: bool = True

    def summary(self, tree: Topics) -> str:
        """Say what matches what."""
        called = f"{self.name!r} ({self.uri})" if self.name else self.uri
        verb = f"has {called} as {self.how} match" if self.holds else f"no longer has {called} as {self.how} match"
        return f"{name_of(tree, self.node_id)} {verb}"


@dataclass(frozen=True)
class EditWords(Decision):
    """Replace the name, other names and definition of a topic in a language other than the tree's; empty removes."""

    node_id: str
    language: str
    label: str = ""
    alt_labels: tuple[str, ...] = ()
    definition: str = ""

    def summary(self, tree: Topics) -> str:
        """Say what the topic is called in which language."""
        called = f"is {self.label!r}" if self.label else "has no name"
        return f"{name_of(tree, self.node_id)} {called} in the language {self.language}"


@dataclass(frozen=True)
class EditNotation(Decision):
    """Write, change or (with an empty text) take back the notation of a topic."""

    node_id: str
    notation: str

    def summary(self, tree: Topics) -> str:
        """Say what the notation is now."""
        return f"Set the notation of {name_of(tree, self.node_id)} to {self.notation or 'none'}"


@dataclass(frozen=True)
class EditCollection(Decision):
    """Make a collection of topics, or replace its name and members; one without members is gone."""

    collection_id: str
    label: str
    members: tuple[str, ...]

    def summary(self, tree: Topics) -> str:
        """Say what the collection holds."""
        if not self.members:
            return f"Removed the collection {self.label!r}"
        return f"The collection {self.label!r} holds {', '.join(name_of(tree, each) for each in self.members)}"


@dataclass(frozen=True)
class DeprecateTopic(Decision):
    """A topic leaves the tree and stays known as deprecated, with what replaces it; its sub-topics move up.

    It carries the topic as it was, so that it can follow a merge, after which the topic itself is gone.
    """

    node: TopicNode
    replaced_by: str = ""

    def summary(self, tree: Topics) -> str:
        """Say what is deprecated, and what replaces it."""
        instead = f", replaced by {name_of(tree, self.replaced_by)}" if self.replaced_by else ""
        return f"Deprecated {self.node.label!r}{instead}"
