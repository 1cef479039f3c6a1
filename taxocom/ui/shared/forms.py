"""Forms that lose nothing: text stays in its field until it is stored, and every click on a button is heard once.

Streamlit's own fields are emptied by a new key or by the click itself, before anybody knows whether what was typed is
stored; and the click is lost if another run begins first. Ours keep the text in the browser until they are answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from taxocom.ui.frontend.events import shown
from taxocom.ui.widgets import form_component


@dataclass(frozen=True)
class Field:
    """One field: a line, a text of some rows, a choice by value and label, or a tick. `value` is what is stored."""

    name: str
    label: str
    value: str | bool = ""
    kind: Literal["line", "text", "choice", "tick"] = "line"
    options: Mapping[str, str] = field(default_factory=dict)
    placeholder: str = ""
    rows: int = 2
    longest: int | None = None
    half: bool = False
    required: bool = False


@dataclass(frozen=True)
class Button:
    """One button; the first of a form is also pressed by the Enter key. `refused` says why this person may not."""

    name: str
    label: str
    primary: bool = False
    help: str = ""
    refused: str = ""


@dataclass(frozen=True)
class Part:
    """Some fields with their buttons. With a `label` it is folded behind a button of that name, until it is opened.

    `refused` says why this person may not send it; then its fields can be read and not typed into.
    """

    name: str
    fields: Sequence[Field]
    buttons: Sequence[Button]
    label: str = ""
    says: str = ""
    layout: Literal["plain", "framed", "line"] = "plain"
    disabled: bool = False
    refused: str = ""


@dataclass(frozen=True)
class Submitted:
    """What a person sent: the part and button, what every field of it held, and which fields they had typed into."""

    part: str
    button: str
    values: Mapping[str, Any]
    changed: frozenset[str]

    def text(self, name: str) -> str:
        """Return what a field held, without spaces around it."""
        return str(self.values[name]).strip()

    def words(self, name: str) -> tuple[str, ...]:
        """Return what a field held, parted at its commas."""
        return tuple(word.strip() for word in str(self.values[name]).split(",") if word.strip())


def form(key: str, *parts: Part, on_submit: Callable[[Submitted], None]) -> None:
    """Show a form; `on_submit` gets what was sent, before the page runs. What it raises leaves the text where it is.

    `key` names what the form is about (a topic, a project) and must not change while somebody may be typing.
    """

    def handle(sent: Mapping[str, Any]) -> None:
        on_submit(Submitted(sent["part"], sent["button"], sent["values"], frozenset(sent["changed"])))

    data = {"key": key, "parts": [asdict(part) for part in parts]}
    shown(form_component, data, key=key, event="submit", handle=handle)
