"""The people of a project and its rules, as the log of decisions tells them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from taxocom.errors import DecisionError, RoleError
from taxocom.taxonomy.decision_base import Decision
from taxocom.taxonomy.mutable_tree import free_text, one_line
from taxocom.taxonomy.roles import ACTIONS, DECISIONS, Permission, Role, reaches
from taxocom.taxonomy.team_kinds import AssignTopic, CommentOnTopic, GiveRole, SetRule

SIGN_IN = "sign-in"
"""The author of roles that a claim of the sign-in gave; nobody can have this name."""


@dataclass(frozen=True)
class Team:
    """Who has which role, and the rules. Without any role given the project is open: everybody may do everything."""

    roles: Mapping[str, Role] = field(default_factory=dict)
    second_person: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nobody was given a role yet."""
        return not self.roles

    @property
    def admins(self) -> list[str]:
        """Who hands out roles."""
        return [person for person, role in self.roles.items() if role == "admin"]

    def role_of(self, person: str) -> Role | None:
        """Return what a person is here, None for somebody who is not on the list."""
        return "admin" if self.is_open else self.roles.get(person)

    def may(self, person: str, action: str) -> bool:
        """Tell whether a person may do something: an action, or a decision by its kind."""
        role = self.role_of(person)
        return role is not None and reaches(role, _needed(action).role)

    def require(self, person: str, action: str) -> None:
        """Raise a RoleError if a person may not do something, saying who can help."""
        if self.may(person, action):
            return
        needed = _needed(action)
        role = self.role_of(person)
        called = repr(person) if person else "Somebody without a name"
        known = f"has the role {role!r}" if role else "is not on the list of people"
        raise RoleError(
            f"{called} {known} in this project, and it takes the role {needed.role!r} to {needed.words}. "
            f"Nothing was changed. Ask an admin: {', '.join(self.admins)}."
        )

    def refusal(self, person: str, *actions: str) -> str:
        """Return why a person may not do one of several things, as their page tells them; empty if they may do all."""
        for action in actions:
            if not self.may(person, action):
                needed = _needed(action)
                role = self.role_of(person)
                here = f"You are {_article(role)} {role} here" if role else "You are not on the list of people here"
                able = f"{_article(needed.role)} {needed.role}"
                return f"{here}. Only {able} can {needed.words}. Ask an admin: {', '.join(self.admins)}."
        return ""

    def after(self, decision: Decision) -> Team:
        """Return the team after a decision that lasts; one that cannot be carried out is a DecisionError."""
        match decision:
            case GiveRole(person, role):
                return self._with_role(one_line(person, "The person's name"), role)
            case SetRule(holds=holds):
                return replace(self, second_person=holds)
            case CommentOnTopic(text=text):
                if not free_text(text, "The comment"):
                    raise DecisionError("The comment is empty. Type at least one character.")
            case AssignTopic(person=person):
                self._refuse_stranger(person)
            case _:
                raise DecisionError(f"A decision of the kind {decision.kind!r} is not about people.")
        return self

    def _with_role(self, person: str, role: str) -> Team:
        if person == SIGN_IN:
            raise DecisionError(f"{SIGN_IN!r} is the name of what gives roles at the sign-in; no person can have it.")
        roles: dict[str, Role] = {name: given for name, given in self.roles.items() if name != person}
        if role != "none":
            roles[person] = role  # type: ignore[assignment]  # what is not "none" is a role
        elif person not in self.roles:
            raise DecisionError(f"{person!r} is not on the list of people.")
        if "admin" not in roles.values():
            raise DecisionError(
                "The project would be left without an admin, and nobody could hand out roles any more. "
                "Make somebody an admin first."
            )
        return replace(self, roles=MappingProxyType(roles))

    def _refuse_stranger(self, person: str) -> None:
        if person and not self.is_open and person not in self.roles:
            raise DecisionError(f"{person!r} is not on the list of people. Choose one of {', '.join(self.roles)}.")


def _article(role: str) -> str:
    return "an" if role == "admin" else "a"


def _needed(action: str) -> Permission:
    return ACTIONS[action] if action in ACTIONS else DECISIONS[action]
