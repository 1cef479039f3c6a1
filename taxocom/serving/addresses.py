"""Every address of the HTTP interface, once: the server and its description are both made of this table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from taxocom.interchange.base.context import DEFAULT_BASE
from taxocom.serving import answers, publishing
from taxocom.serving.asking import Asked, File, Parameter, Plain


@dataclass(frozen=True)
class Address:
    """An address, what it takes, and what answers it.

    `answer_shape` and `body_shape` name forms of `shapes`; without the first the answer is a file of `media_type`. Work
    of one with `in_line` uses every core there is, so one is done at a time.
    """

    path: str
    about: str
    answer: Callable[[Asked], Plain | File]
    answer_shape: str = ""
    parameters: tuple[Parameter, ...] = ()
    method: Literal["GET", "POST"] = "GET"
    body_shape: str = ""
    in_line: bool = False
    media_type: str = "application/json"


_PROJECT = Parameter("project", "The name of a project, or its id.", "path", required=True)
_RELEASE = Parameter("release", "The name of a release: the tree as it was frozen, instead of the present one.")
_BASE = Parameter("base", f"What URIs start with, as in the SKOS export; {DEFAULT_BASE} if not said.")

ADDRESSES = (
    Address("/projects", "The projects of this server.", answers.projects, "Projects"),
    Address(
        "/projects/{project}/concepts",
        "The approved topics of a project, in the order of the tree, a page at a time.",
        answers.concepts,
        "Concepts",
        (
            _PROJECT,
            Parameter("q", "Only topics with this text in one of their names."),
            Parameter("under", "Only topics below the one with this id."),
            Parameter("offset", "How many to leave out at the beginning.", kind="integer", default=0),
            Parameter("limit", "How many to return.", kind="integer", default=100, least=1, most=1000),
            _RELEASE,
            _BASE,
        ),
    ),
    Address(
        "/projects/{project}/concepts/{id}",
        "One topic.",
        answers.concept,
        "Concept",
        (_PROJECT, Parameter("id", "The id of the topic.", "path", required=True), _RELEASE, _BASE),
    ),
    Address(
        "/projects/{project}/changes",
        "What changed since a day: the difference, and the decisions that made it.",
        answers.changes,
        "Changes",
        (_PROJECT, Parameter("since", "A day (2026-11-18) or a moment (2026-11-18T09:30:00Z).", required=True)),
    ),
    Address(
        "/projects/{project}/feed.atom",
        "The newest decisions as an Atom feed, for a feed reader.",
        publishing.feed,
        parameters=(_PROJECT,),
        media_type="application/atom+xml",
    ),
    Address(
        "/projects/{project}/releases",
        "The releases of a project, oldest first, and the formats that each can be had in.",
        publishing.releases,
        "Releases",
        (_PROJECT,),
    ),
    Address(
        "/projects/{project}/releases/{release}/{format}",
        "A release in a format: its SKOS, its documents. The address stays as long as the project.",
        publishing.release_file,
        parameters=(
            _PROJECT,
            Parameter("release", "The name of the release.", "path", required=True),
            Parameter("format", "A format that /releases names, such as turtle.", "path", required=True),
            _BASE,
        ),
        media_type="*/*",
    ),
    Address(
        "/projects/{project}/decisions",
        "Record decisions, all or none, as the person whose token is shown (`taxocom token`).",
        publishing.decide,
        "Decided",
        (_PROJECT,),
        method="POST",
        body_shape="ToDecide",
    ),
    Address(
        "/projects/{project}/tag",
        "Give texts the topics of a project. They are not kept. The first time takes longer: a tagger is made.",
        answers.tag,
        "Tagged",
        (_PROJECT, _RELEASE),
        method="POST",
        body_shape="ToTag",
        in_line=True,
    ),
)
