"""How others follow a vocabulary and take part: a feed, releases at addresses that stay, decisions of a person."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from taxocom.errors import ExportError, InputError, StoreError
from taxocom.interchange.base.context import DEFAULT_BASE
from taxocom.interchange.formats import FORMATS, export
from taxocom.serving.asking import Asked, File, Plain
from taxocom.serving.refusals import RefusalError
from taxocom.store.projects.exporting import export_of
from taxocom.taxonomy.decisions import Decision, HistoryEntry

_ATOM = "http://www.w3.org/2005/Atom"
_NEWEST = 50
_MOST_AT_ONCE = 100


def feed(asked: Asked) -> File:
    """Tell the newest decisions as an Atom feed, the newest first."""
    project = asked.project
    entries = project.history()[-_NEWEST:][::-1]
    root = Element("feed", xmlns=_ATOM)
    _texts(root, id=f"urn:taxocom:project:{project.project_id}", title=f"{project.name}: decisions")
    SubElement(root, "updated").text = entries[0].logged.at if entries else project.created_at
    for entry in entries:
        _entry(root, project.project_id, entry)
    data = b'<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="utf-8")
    return File(data, "application/atom+xml")


def releases(asked: Asked) -> Plain:
    """List the releases with the formats that each can be had in."""
    return {
        "releases": [
            {
                "name": each.name,
                "at": each.at,
                "author": each.author,
                "note": each.note,
                "decisions": each.sequence,
                "topics": len(each.taxonomy),
            }
            for each in asked.project.releases()
        ],
        "formats": list(FORMATS),
    }


def release_file(asked: Asked) -> File:
    """Return a release in a format; it is what it was when it was frozen."""
    name, format_name = asked.text("release"), asked.text("format")
    if format_name not in FORMATS:
        raise RefusalError(404, f"There is no format {format_name[:40]!r}. There are: {', '.join(FORMATS)}.")
    project = asked.project
    try:
        project.release(name)
    except StoreError as error:
        raise RefusalError(404, str(error)) from error
    try:
        exported = export_of(project, release=name, base_uri=asked.text("base") or DEFAULT_BASE)
        data = export(exported.taxonomy, format_name, exported.context)
    except ExportError as error:
        raise RefusalError(400, str(error)) from error
    return File(data, FORMATS[format_name].media_type)


def decide(asked: Asked) -> Plain:
    """Record decisions as the person whose token was shown; the store asks what their role lets them do."""
    if not asked.person:
        raise RefusalError(
            403, "The token of the server is nobody's, so it decides nothing. Ask for one: taxocom token"
        )
    given, why, expected = (asked.body.get(name) for name in ("decisions", "why", "expected"))
    if not isinstance(given, list) or not 0 < len(given) <= _MOST_AT_ONCE:
        raise RefusalError(400, f"decisions: give a list of 1 to {_MOST_AT_ONCE} decisions.")
    if not isinstance(why, str | None) or not isinstance(expected, int | None) or isinstance(expected, bool):
        raise RefusalError(400, "why has to be a text, and expected a whole number.")
    try:
        decisions = [Decision.from_dict(each, f"decision {n}") for n, each in enumerate(given, 1)]
    except InputError as error:
        raise RefusalError(400, str(error)) from error
    project = asked.project
    logged = project.record_all(decisions, author=asked.person, why=why or "", expected=expected)
    told = {entry.logged.sequence: entry.summary for entry in project.history(logged[0].sequence - 1)}
    return {"recorded": [{"sequence": each.sequence, "summary": told[each.sequence]} for each in logged]}


def _entry(root: Element, project_id: str, entry: HistoryEntry) -> None:
    logged = entry.logged
    shown = SubElement(root, "entry")
    undone = "" if entry.in_force else " (undone)"
    _texts(shown, id=f"urn:taxocom:project:{project_id}:{logged.sequence}", title=entry.summary + undone)
    SubElement(shown, "updated").text = logged.at
    SubElement(SubElement(shown, "author"), "name").text = _clean(logged.author or "somebody")
    SubElement(shown, "category", term=logged.decision.kind)
    if logged.why:
        SubElement(shown, "summary").text = _clean(logged.why)


def _texts(parent: Element, **said: str) -> None:
    for name, text in said.items():
        SubElement(parent, name).text = _clean(text)


def _clean(text: str) -> str:
    # XML cannot hold control characters, whatever people typed as a reason.
    return "".join(letter for letter in text if letter.isprintable() or letter in "\n\t")
