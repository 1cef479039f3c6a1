"""What a request asks for, read and checked: parameters by the table of addresses, a body of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from taxocom.interchange.base.source import bounded_json
from taxocom.serving.limits import Limits
from taxocom.serving.open_projects import OpenProjects
from taxocom.serving.refusals import RefusalError
from taxocom.store import Project

Plain = dict[str, Any]
Kind = Literal["string", "integer"]


@dataclass(frozen=True)
class Parameter:
    """Something that an address takes: in its path, or behind its question mark."""

    name: str
    about: str
    place: Literal["path", "query"] = "query"
    kind: Kind = "string"
    default: str | int | None = None
    required: bool = False
    least: int | None = None
    most: int | None = None

    def read(self, text: str | None) -> str | int | None:
        """Return what was given for it, checked, or its default."""
        if text is None or text == "":
            if self.required:
                raise RefusalError(400, f"{self.name} is missing: {self.about}")
            return self.default
        if self.kind == "string":
            return text
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise RefusalError(400, f"{self.name} is {text[:40]!r}; it must be a whole number.")
        number = int(text)
        if (self.least is not None and number < self.least) or (self.most is not None and number > self.most):
            raise RefusalError(400, f"{self.name} is {number}; it must lie between {self.least} and {self.most}.")
        return number


@dataclass(frozen=True)
class File:
    """An answer that is no JSON of ours: a document as it is, with its media type."""

    data: bytes
    media_type: str


@dataclass(frozen=True)
class Asked:
    """A request that was let in: what it asks for, and what there is to answer from."""

    projects: OpenProjects
    limits: Limits
    given: Mapping[str, str | int | None]
    body: Plain = field(default_factory=dict)
    person: str = ""

    def text(self, name: str) -> str:
        """Return a parameter that is a text, empty if it was not given."""
        return str(self.given.get(name) or "")

    def number(self, name: str) -> int:
        """Return a parameter that is a number."""
        return int(self.given.get(name) or 0)

    @property
    def project(self) -> Project:
        """The project that the address names; a person's token opens those that the person may see."""
        found = self.projects.project(self.text("project"))
        if self.person:
            found.require("read", self.person)
        return found


def read_body(data: bytes) -> Plain:
    """Read a body of JSON, which must be an object."""
    try:
        found = bounded_json(data.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, ValueError) as error:
        raise RefusalError(400, "What was sent is no JSON in UTF-8.") from error
    if not isinstance(found, dict):
        raise RefusalError(400, "What was sent must be a JSON object.")
    return found
