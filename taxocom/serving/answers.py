"""What each address answers: a project of the store as plain data. What writes a decision is in `publishing`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from taxocom.errors import InputError, StoreError
from taxocom.interchange.base.context import DEFAULT_BASE
from taxocom.interchange.skos.skos_writing import uri_of
from taxocom.serving.asking import Asked, Plain
from taxocom.serving.refusals import RefusalError
from taxocom.store import Project, list_projects
from taxocom.store.projects.document_places import document_places
from taxocom.store.projects.exporting import release_attachments
from taxocom.store.projects.tagged_files import TaggingWishes, tag_documents
from taxocom.store.projects.text_tagger import LEAST
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.input.documents import Document
from taxocom.text.terms.vocabulary import display
from taxocom.workflow.changes_since import changes_since, moment_of

_MOST_TERMS = 20


def projects(asked: Asked) -> Plain:
    """List the projects that can be opened; to a person those that they may see."""
    found = [each for each in list_projects() if not each.problem]
    if asked.person:
        found = [each for each in found if asked.projects.project(each.path.name).team().may(asked.person, "read")]
    return {
        "projects": [
            {"name": each.name, "id": each.path.name, "changed_at": each.changed_at, "decisions": each.n_decisions}
            for each in found
        ]
    }


def concepts(asked: Asked) -> Plain:
    """List topics in tree order, a page at a time: all, those below one, or those whose names hold a text."""
    tree, base = _tree(asked), asked.text("base")
    wanted, under = asked.text("q").casefold(), asked.text("under")
    inside = list(tree.walk()) if not under else list(tree.subtree_of(_topic(tree, under).node_id))[1:]
    found = [node for node in inside if _is_shown(tree, node) and _is_named(node, wanted)]
    first, size = asked.number("offset"), asked.number("limit")
    shown = found[first : first + size]
    return {
        "title": tree.root.label,
        "language": tree.language,
        "decisions": asked.project.sequence,
        "total": len(found),
        "offset": first,
        "concepts": [_concept(tree, node, base) for node in shown],
    }


def concept(asked: Asked) -> Plain:
    """Return one topic by its id."""
    tree = _tree(asked)
    return _concept(tree, _topic(tree, asked.text("id")), asked.text("base"))


def changes(asked: Asked) -> Plain:
    """Tell what changed since a day: topics added, renamed, moved, merged, removed, edited, and who decided it."""
    try:
        found = changes_since(asked.project, moment_of(asked.text("since")))
    except InputError as error:
        raise RefusalError(400, f"since: {error}") from error
    return {
        "since": found.since.isoformat(),
        "decisions_before": found.first,
        "decisions_now": found.last,
        "difference": found.difference.to_dict(),
        "decisions": [
            {
                "sequence": entry.logged.sequence,
                "at": entry.logged.at,
                "author": entry.logged.author,
                "kind": entry.logged.decision.kind,
                "summary": entry.summary,
                "why": entry.logged.why,
                "in_force": entry.in_force,
            }
            for entry in found.decisions
        ],
    }


def tag(asked: Asked) -> Plain:
    """Give texts the topics of a project; they are not kept."""
    documents = list(_texts(asked))
    wishes = _wishes(asked.body)
    release = asked.text("release") or None
    project = asked.project
    if release:
        _refuse_unknown_release(project, release)
    tagger = asked.projects.tagger(project, release)
    tagged = tag_documents(tagger, documents, wishes)
    origin = tagger.origin
    return {
        "tagger": {"project": origin.project, "release": origin.release, "decisions": origin.decisions},
        "texts": [text.to_dict(with_terms=bool(wishes.n_terms)) for text in tagged],
    }


def _tree(asked: Asked) -> Taxonomy:
    """Return the tree that is asked for, with its numbers of documents."""
    project, release = asked.project, asked.text("release")
    if release:
        _refuse_unknown_release(project, release)
        frozen = project.release(release)
        return release_attachments(project, frozen).counted(frozen.taxonomy)
    if not project.has_corpus:
        return project.taxonomy()
    places = document_places(project)
    return places.tree.with_counts(places.counts())


def _refuse_unknown_release(project: Project, name: str) -> None:
    try:
        project.release(name)
    except StoreError as error:
        raise RefusalError(404, str(error)) from error


def _topic(tree: Taxonomy, node_id: str) -> TopicNode:
    if node_id not in tree or not _is_shown(tree, tree[node_id]):
        raise RefusalError(404, f"There is no topic with the id {node_id!r:.120}.")
    return tree[node_id]


def _is_shown(tree: Taxonomy, node: TopicNode) -> bool:
    # What nobody has approved is no part of the vocabulary, and leads to nothing that is.
    above = (*tree.ancestors_of(node.node_id), node.node_id)
    return all(each == ROOT_ID or tree[each].status == "approved" for each in above)


def _is_named(node: TopicNode, wanted: str) -> bool:
    return not wanted or any(wanted in name.casefold() for name in (node.label, *node.alt_labels))


def _concept(tree: Taxonomy, node: TopicNode, base: str) -> Plain:
    below = [child for child in tree.children_of(node.node_id) if _is_shown(tree, child)]
    return {
        "id": node.node_id,
        "uri": uri_of(node, base or DEFAULT_BASE),
        "label": node.label,
        "path": list(tree.path_of(node.node_id)),
        "broader": tree.parent_of(node.node_id),
        "narrower": [child.node_id for child in below],
        "alt_labels": list(node.alt_labels),
        "notation": node.notation,
        "definition": node.definition,
        "scope_note": node.scope_note,
        "keywords": [display(term) for term in node.keywords],
        "documents": node.n_documents,
    }


def _texts(asked: Asked) -> Iterator[Document]:
    given = asked.body.get("texts")
    if not isinstance(given, list) or not given:
        raise RefusalError(400, 'Send the texts as {"texts": ["…", …]}.')
    if len(given) > asked.limits.texts:
        raise RefusalError(413, f"{len(given):,} texts were sent; at most {asked.limits.texts:,} are tagged at once.")
    for number, each in enumerate(given):
        yield _document(each, number)


def _document(given: Any, number: int) -> Document:
    fields: Mapping[str, Any] = {"text": given} if isinstance(given, str) else given
    if not isinstance(given, (str, dict)) or not isinstance(fields.get("text"), str):
        raise RefusalError(400, f'texts[{number}] must be a text, or {{"id": "…", "title": "…", "text": "…"}}.')
    for name in ("id", "title"):
        if not isinstance(fields.get(name, ""), str):
            raise RefusalError(400, f"texts[{number}].{name} must be a text.")
    return Document(fields.get("id", str(number)), fields["text"], fields.get("title", ""))


def _wishes(body: Mapping[str, Any]) -> TaggingWishes:
    least, primary, terms = body.get("least", LEAST), body.get("primary", False), body.get("terms", 0)
    if isinstance(least, bool) or not isinstance(least, (int, float)) or not 0 < least <= 1:
        raise RefusalError(400, "least must be a number above 0 and at most 1: how probable a topic must be.")
    if not isinstance(primary, bool):
        raise RefusalError(400, "primary must be true or false: the likeliest topic alone.")
    if isinstance(terms, bool) or not isinstance(terms, int) or not 0 <= terms <= _MOST_TERMS:
        raise RefusalError(400, f"terms must be a whole number from 0 to {_MOST_TERMS}: how many speak for each topic.")
    return TaggingWishes(float(least), primary, terms)
