"""Who may do what: one table for pages, commands and HTTP, and for the page of the documentation made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["viewer", "contributor", "curator", "admin"]
ROLES: tuple[Role, ...] = ("viewer", "contributor", "curator", "admin")
"""Each may do what those before it may."""


@dataclass(frozen=True)
class Permission:
    """What a role is needed for, in words that end a sentence ("to rename a topic"), and the least role for it."""

    role: Role
    words: str


def _kinds(role: Role, **words: str) -> dict[str, Permission]:
    return {kind: Permission(role, text) for kind, text in words.items()}


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
    **_kinds("viewer", read="see the project and export it"),
    **_kinds(
        "contributor",
        expand="look for missing topics",
        measure="measure quality",
        tag="tag files of texts",
        stop="stop or repeat work",
    ),
    **_kinds(
        "curator",
        texts="read texts, add or take back texts",
        seed="set the seed",
        release="freeze a release",
        vocabularies="keep a vocabulary for look-up",
        copy="copy the project",
        backup="make a backup",
    ),
    **_kinds(
        "admin", webhooks="say where decisions are posted", rename="rename the project", delete="delete the project"
    ),
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
        "a page, a command or over HTTP. Who is not on the list may not even look, where there is sign-in.",
        "",
    ]
    for title, table in (("Decisions", DECISIONS), ("Everything else", ACTIONS)):
        lines += [f"## {title}", "", f"| to … | | {' | '.join(ROLES)} |", f"|---|---|{'---|' * len(ROLES)}"]
        for name, needed in table.items():
            marks = " | ".join("yes" if reaches(role, needed.role) else "–" for role in ROLES)
            lines.append(f"| {needed.words} | `{name}` | {marks} |")
        lines.append("")
    return "\n".join(lines)


def reaches(role: Role, needed: Role) -> bool:
    """Tell whether a role may do what another may."""
    return ROLES.index(role) >= ROLES.index(needed)


if __name__ == "__main__":
    print(as_markdown(), end="")
