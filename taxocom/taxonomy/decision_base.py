"""What all kinds of decisions have in common: a name in files, plain data, a sentence in the history."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from taxocom.errors import InputError
from taxocom.taxonomy.codec import from_plain, to_plain
from taxocom.taxonomy.tree import TopicNode


class Topics(Protocol):
    """Anything that knows its topics by id: a tree, or a tree in the making."""

    @property
    def nodes(self) -> Mapping[str, TopicNode]:
        """The topics by id."""


@dataclass(frozen=True)
class Decision:
    """One thing a person decided. `kind` names it in files; a changed meaning gets a new kind, never an old one.

    What `lasts` is about the people and not about the tree: an undo passes over it. What `waits` makes a draft of the
    approved topic that it changes; the log says so where approval needs a second person.
    """

    kind: ClassVar[str] = ""
    lasts: ClassVar[bool] = False
    waits: bool = field(default=False, kw_only=True)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.kind = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        _KINDS[cls.kind] = cls

    def summary(self, tree: Topics) -> str:
        """Say in one sentence what was decided; `tree` is the one that the decision was made on."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with a "kind" field, for JSON."""
        return {"kind": self.kind, **to_plain(self)}

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "decision") -> Decision:
        """Read a decision of any kind; an unknown kind or field is an InputError."""
        if not isinstance(data, Mapping) or not isinstance(data.get("kind"), str):
            raise InputError(f'{where}: a decision needs a "kind", one of {", ".join(sorted(_KINDS))}.')
        kind = data["kind"]
        if kind not in _KINDS:
            raise InputError(f"{where}: unknown kind of decision {kind!r}. Known kinds: {', '.join(sorted(_KINDS))}.")
        return from_plain(_KINDS[kind], {k: v for k, v in data.items() if k != "kind"}, f"{where} ({kind})")


_KINDS: dict[str, type[Decision]] = {}


def known_kinds() -> list[str]:
    """Return the name of every kind of decision."""
    return sorted(_KINDS)


def lasting_kinds() -> list[str]:
    """Return the kinds that are about people, and that a seed may be replaced under."""
    return [kind for kind in known_kinds() if _KINDS[kind].lasts]


def name_of(tree: Topics, node_id: str) -> str:
    """Return the name of a topic as a sentence has it."""
    node = tree.nodes.get(node_id)
    return repr(node.label) if node else f"an unknown topic ({node_id})"


def names_of(tree: Topics, node_ids: Sequence[str]) -> str:
    """Return the names of topics as a sentence has them."""
    return listed([name_of(tree, node_id) for node_id in node_ids])


def listed(names: Sequence[str], n_more: int = 0) -> str:
    """Join names with commas and an "and"; `n_more` are only counted."""
    if n_more > 0:
        return ", ".join(names) + f" and {n_more} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
