"""The form of what is sent and answered, as JSON Schema: the description of the interface is made of it."""

from __future__ import annotations

from typing import Any

Shape = dict[str, Any]

TEXT: Shape = {"type": "string"}
WHOLE: Shape = {"type": "integer", "minimum": 0}
YES_NO: Shape = {"type": "boolean"}


def listed(items: Shape, about: str = "") -> Shape:
    """Return the form of a list."""
    return {"type": "array", "items": items} | ({"description": about} if about else {})


def thing(**fields: Shape) -> Shape:
    """Return the form of an object with these fields, all of them always there."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def said(shape: Shape, about: str) -> Shape:
    """Return a form with a sentence that says what it holds."""
    return {**shape, "description": about}


def or_null(shape: Shape) -> Shape:
    """Return a form that may hold nothing."""
    return {**shape, "type": [shape["type"], "null"]}


ERROR = thing(error=said(TEXT, "What is wrong and what to do about it."))
PATH = listed(TEXT, "Names from the top down to the topic.")

PROJECTS = thing(
    projects=listed(
        thing(
            name=TEXT,
            id=said(TEXT, "It stays when the project is renamed; addresses take either."),
            changed_at=TEXT,
            decisions=WHOLE,
        )
    )
)

CONCEPT = thing(
    id=TEXT,
    uri=said(TEXT, "As in the SKOS export."),
    label=TEXT,
    path=PATH,
    broader=said(or_null(TEXT), 'The id of the topic above; "root" for those at the top.'),
    narrower=listed(TEXT, "The ids of the topics directly below."),
    alt_labels=listed(TEXT),
    notation=TEXT,
    definition=TEXT,
    scope_note=TEXT,
    keywords=listed(TEXT),
    documents=said(or_null(WHOLE), "How many texts of the project it has, with those of the topics below."),
)

CONCEPTS = thing(
    title=TEXT,
    language=TEXT,
    decisions=said(WHOLE, "How many decisions the project has: the number changes when the tree may have changed."),
    total=said(WHOLE, "How many topics were found, on all pages."),
    offset=WHOLE,
    concepts=listed({"$ref": "#/components/schemas/Concept"}),
)

_PLACE = thing(node_id=TEXT, path=PATH)
CHANGES = thing(
    since=TEXT,
    decisions_before=WHOLE,
    decisions_now=WHOLE,
    difference=thing(
        old_title=TEXT,
        new_title=TEXT,
        old_language=TEXT,
        new_language=TEXT,
        added=listed(_PLACE),
        renamed=listed(thing(node_id=TEXT, path=PATH, old_label=TEXT, new_label=TEXT)),
        moved=listed(thing(node_id=TEXT, label=TEXT, old_path=PATH, new_path=PATH)),
        merged=listed(thing(node_id=TEXT, path=PATH, into_id=TEXT, into_path=PATH)),
        removed=listed(_PLACE),
        edited=listed(thing(node_id=TEXT, path=PATH, fields=listed(TEXT))),
        reordered=listed(_PLACE),
    ),
    decisions=listed(
        thing(sequence=WHOLE, at=TEXT, author=TEXT, kind=TEXT, summary=TEXT, why=TEXT, in_force=YES_NO),
        "Oldest first; those that were undone since are not in force.",
    ),
)

_SENT_TEXT: Shape = {
    "type": "object",
    "properties": {"id": TEXT, "title": TEXT, "text": TEXT},
    "required": ["text"],
}
TO_TAG: Shape = {
    "type": "object",
    "properties": {
        "texts": {"type": "array", "minItems": 1, "items": {"oneOf": [TEXT, _SENT_TEXT]}},
        "least": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1,
            "default": 0.3,
            "description": "How probable a topic must be to be named.",
        },
        "primary": {"type": "boolean", "default": False, "description": "Name the likeliest topic alone."},
        "terms": {
            "type": "integer",
            "minimum": 0,
            "maximum": 20,
            "default": 0,
            "description": "How many terms that speak for each topic to name.",
        },
    },
    "required": ["texts"],
}

_TAG: Shape = {
    "type": "object",
    "properties": {"id": TEXT, "path": PATH, "probability": {"type": "number"}, "terms": listed(TEXT)},
    "required": ["id", "path", "probability"],
}
TAGGED = thing(
    tagger=thing(project=TEXT, release=TEXT, decisions=WHOLE),
    texts=listed(
        thing(
            id=said(TEXT, "As sent; else its number in what was sent, from 0."),
            topics=listed(_TAG),
            fits_nowhere=said(YES_NO, "No topic of the tree fits it well."),
        )
    ),
)

RELEASES = thing(
    releases=listed(thing(name=TEXT, at=TEXT, author=TEXT, note=TEXT, decisions=WHOLE, topics=WHOLE)),
    formats=listed(TEXT, "What may stand in the place of {format}."),
)
TO_DECIDE: Shape = {
    "type": "object",
    "properties": {
        "decisions": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "properties": {"kind": TEXT}, "required": ["kind"]},
            "description": "As `taxocom history --json` shows them.",
        },
        "why": {**TEXT, "default": ""},
        "expected": said(WHOLE, "How many decisions there were when the person looked; later ones may be in the way."),
    },
    "required": ["decisions"],
}
DECIDED = thing(recorded=listed(thing(sequence=WHOLE, summary=TEXT)))

NAMED = {"Projects": PROJECTS, "Concept": CONCEPT, "Concepts": CONCEPTS, "Changes": CHANGES, "ToTag": TO_TAG}
NAMED |= {"Releases": RELEASES, "ToDecide": TO_DECIDE, "Decided": DECIDED}
NAMED |= {"Tagged": TAGGED, "Error": ERROR}
