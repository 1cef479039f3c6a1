"""Who may do what: one table for pages, commands and HTTP, and for the page of the documentation made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["viewer", "contributor", "curator", "admin"]
ROLES: tuple[Role, ...] = ("viewer", "contributor", "curator", "admin")
"""Each may do what those before it may."""
Way = Literal["page", "command", "HTTP"]


@dataclass(frozen=True)
class Permission:
    """The least role for something, what it is ("to rename a topic"), and the ways to do it."""

    role: Role
    words: str
    ways: tuple[Way, ...] = ("page", "command")


def _kinds(role: Role, **words: str) -> dict[str, Permission]:
    return {kind: Permission(role, text, ("page", "command", "HTTP")) for kind, text in words.items()}


DECISIONS: Mapping[str, Permission] = {
    **_kinds(
        "contributor",
        comment_on_topic="comment on a topic",
        suggest_topic="suggest a topic",
    ),
    **_kinds(
        "curator",
        accept_topic="accept a proposed topic",
        add_topic="add a topic",
        reject_topic="reject a proposed topic",
        name_cluster="name a proposed topic",
        defer="leave a proposed topic for later",
        rename_topic="rename a topic",
        rename_taxonomy="rename the taxonomy",
        merge_topics="merge topics",
        split_topic="split a topic",
        move_topic="move a topic",
        remove_topic="remove a topic",
        move_terms="move terms",
        move_document="move a document",
        move_documents="move documents",
        judge_documents="judge documents",
        edit_keywords="change keywords",
        edit_alt_labels="change other names",
        edit_definition="change a definition",
        edit_scope_note="change a scope note",
        edit_properties="change what a topic carries along from elsewhere",
        add_note="add an editorial note",
        set_status="approve a topic or make it a draft",
        deprecate_topic="deprecate a topic",
        relate_topics="relate topics",
        link_broader="put a topic under a second one",
        match_concept="match a concept of another vocabulary",
        edit_words="name a topic in another language",
        edit_notation="change a notation",
        edit_collection="change a collection",
        assign_topic="ask somebody to see to a topic",
        undo="undo",
        redo="redo",
    ),
    **_kinds("admin", give_role="hand out roles", set_rule="change the rules of the project"),
}
"""The least role for every kind of decision."""

ACTIONS: Mapping[str, Permission] = {
    "read": Permission("viewer", "see the project and export it", ("page", "command", "HTTP")),
    "expand": Permission("contributor", "look for missing topics"),
    "measure": Permission("contributor", "measure quality", ("page",)),
    "tag": Permission("contributor", "tag files of texts", ("page",)),
    "stop": Permission("contributor", "stop or repeat work"),
    "texts": Permission("curator", "read texts, add or take back texts"),
    "seed": Permission("curator", "set the seed", ("page",)),
    "release": Permission("curator", "freeze a release"),
    "vocabularies": Permission("curator", "keep a vocabulary for look-up"),
    "copy": Permission("curator", "copy the project"),
    "backup": Permission("curator", "make a backup"),
    "webhooks": Permission("admin", "say where decisions are posted", ("command",)),
    "rename": Permission("admin", "rename the project"),
    "delete": Permission("admin", "delete the project"),
}
"""The least role for everything that a person does to a project besides deciding."""

JOBS: Mapping[str, str] = {
    "expand": "expand",
    "expand-level": "expand",
    "map": "expand",
    "evaluate": "measure",
    "stability": "measure",
    "tag": "tag",
    "index": "texts",
    "append": "texts",
    "take-back": "texts",
    "read-again": "texts",
}
"""What starting each kind of work is to the table above; work of another kind counts as `texts`."""


def as_markdown() -> str:
    """Return the page of the documentation that shows the table."""
    lines = [
        "# Who may do what",
        "",
        "Written from `taxocom/taxonomy/roles.py` by `python -m taxocom.taxonomy.roles`; a test holds them equal.",
        "",
        "A project without a list of people is open: whoever reaches it may do everything. It has a list from the",
        "moment somebody is made its admin, and from then on the store asks this table, whether the wish comes from",
        "a page, a command or over HTTP. Who is not on the list may not even look. On a page, a button that somebody",
        "may not use is grey and says why.",
        "",
        "Every decision can be made on a page, by `taxocom decide` and over HTTP. Over HTTP people read, decide,",
        "and have texts tagged (which keeps nothing), and that is all: work (expanding, measuring, reading texts),",
        "releases and settings have no address there.",
        "",
    ]
    lines += _table("Decisions", DECISIONS)
    lines += _table("Everything else", ACTIONS, with_ways=True)
    return "\n".join(lines)


def _table(title: str, table: Mapping[str, Permission], *, with_ways: bool = False) -> list[str]:
    columns = [*ROLES, *(["where"] if with_ways else [])]
    lines = [f"## {title}", "", f"| to … | | {' | '.join(columns)} |", f"|---|---|{'---|' * len(columns)}"]
    for name, needed in table.items():
        marks = ["yes" if reaches(role, needed.role) else "–" for role in ROLES]
        marks += [", ".join(needed.ways)] if with_ways else []
        lines.append(f"| {needed.words} | `{name}` | {' | '.join(marks)} |")
    return [*lines, ""]


def reaches(role: Role, needed: Role) -> bool:
    """Tell whether a role may do what another may."""
    return ROLES.index(role) >= ROLES.index(needed)


if __name__ == "__main__":
    print(as_markdown(), end="")
