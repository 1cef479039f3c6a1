"""What is decided about the people of a project and said among them: no undo takes it back, no tree changes by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from taxocom.taxonomy.decision_base import Decision, Topics, name_of

GivenRole = Literal["viewer", "contributor", "curator", "admin", "none"]
Rule = Literal["second_person"]


@dataclass(frozen=True)
class GiveRole(Decision):
    """Say what a person may do in the project from now on; `none` takes them off the list."""

    lasts: ClassVar[bool] = True
    person: str
    role: GivenRole

    def summary(self, tree: Topics) -> str:  # noqa: ARG002  # about a person, not about the tree
        """Say who is what now."""
        if self.role == "none":
            return f"Took {self.person} off the list of people"
        return f"Made {self.person} {'an' if self.role == 'admin' else 'a'} {self.role}"


@dataclass(frozen=True)
class SetRule(Decision):
    """Let a rule of the project hold, or hold no longer."""

    lasts: ClassVar[bool] = True
    rule: Rule
    holds: bool

    def summary(self, tree: Topics) -> str:  # noqa: ARG002  # about the project, not about the tree
        """Say which rule holds now."""
        return "Approval needs a second person" if self.holds else "Approval needs one person"


@dataclass(frozen=True)
class CommentOnTopic(Decision):
    """Say something about a topic to the others; it is kept even when the topic is gone."""

    lasts: ClassVar[bool] = True
    node_id: str
    text: str

    def summary(self, tree: Topics) -> str:
        """Say what was said, and about what."""
        return f"Commented on {name_of(tree, self.node_id)}: {self.text}"


@dataclass(frozen=True)
class AssignTopic(Decision):
    """Ask a person to see to a topic; nobody's name takes the task back."""

    lasts: ClassVar[bool] = True
    node_id: str
    person: str = ""

    def summary(self, tree: Topics) -> str:
        """Say who is asked to see to what."""
        called = name_of(tree, self.node_id)
        return f"Asked {self.person} to see to {called}" if self.person else f"Nobody has to see to {called} any more"
