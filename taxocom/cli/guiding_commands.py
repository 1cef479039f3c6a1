"""What settles most in a minute, and single gestures: split, assign, keywords, note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from taxocom.cli.console import counted, json_option, print_json, printable
from taxocom.cli.curation_commands import decision_options, project_argument, record, topic_argument
from taxocom.cli.leading_commands import id_list, listed
from taxocom.cli.proposal_commands import waiting_cluster
from taxocom.cli.topic_lookup import find_topic
from taxocom.errors import InputError

if TYPE_CHECKING:
    from taxocom.store import Project
    from taxocom.workflow.splitting import By, TopicPart


@click.command()
@project_argument
@click.option("-n", "n", default=10, show_default=True, type=click.IntRange(min=1), help="How many.")
@json_option
def questions(name: str, n: int, as_json: bool) -> None:
    """List the few decisions that would settle most, across the whole tree, and what depends on each."""
    from taxocom.store import open_project
    from taxocom.workflow.questions import questions as questions_of

    with open_project(name) as project:
        found = questions_of(project, n)
    if as_json:
        return print_json([asdict(each) for each in found])
    for each in found:
        click.echo(printable(f"{counted(each.n_documents, 'document'):>16}  {each.said}"))
    if not found:
        click.echo("Nothing is open that would be worth a minute.")
    return None


@click.command()
@project_argument
@topic_argument
@click.option("--into", "n_parts", default=2, show_default=True, type=click.IntRange(2, 6), help="How many parts.")
@click.option(
    "--by",
    type=click.Choice(["words", "meaning"]),
    default="words",
    show_default=True,
    help="What tells its documents apart: their words, or what these mean according to the lexicon.",
)
@click.option("--names", default="", callback=listed, metavar="A,B", help="Names for the parts, in the order shown.")
@click.option("--below", is_flag=True, help="Keep the topic, and make the parts its sub-topics.")
@click.option("--accept", is_flag=True, help="Split it as shown.")
@decision_options
def split(
    name: str,
    topic: str,
    n_parts: int,
    by: By,
    names: tuple[str, ...],
    below: bool,
    accept: bool,
    author: str,
    why: str,
    as_json: bool,
) -> None:
    """Split a topic in two to six: see the terms and documents of each part, and do it with --accept."""
    from taxocom.store import open_project
    from taxocom.workflow.splitting import parts_of, renamed
    from taxocom.workflow.splitting import split as split_as

    with open_project(name) as project:
        tree = project.taxonomy()
        node_id = find_topic(tree, topic).node_id
        parts = renamed(parts_of(project, node_id, n_parts, by), names)
        if accept:
            return record(project, split_as(tree, node_id, parts, below=below), author, why, as_json)
    if as_json:
        return print_json([asdict(part) for part in parts])
    _print_parts(parts)
    click.echo("Nothing is changed yet. Repeat this with --accept to split it so.")
    return None


@click.command()
@project_argument
@topic_argument
@id_list("--documents", "Documents that belong to it.")
@click.option("--search", "query", default="", help="All documents with these words belong to it.")
@click.option("--cluster", default="", metavar="CLUSTER", help="What this cluster of a proposal holds belongs to it.")
@decision_options
def assign(
    name: str,
    topic: str,
    documents: tuple[str, ...],
    query: str,
    cluster: str,
    author: str,
    why: str,
    as_json: bool,
) -> None:
    """Put documents into a topic: some, all that a search finds, or those of a proposed cluster.

    This is one decision. The topic's terms stay as they are.
    """
    from taxocom.expansion.proposals.accepting import join
    from taxocom.store import open_project
    from taxocom.taxonomy.kinds import MoveDocuments
    from taxocom.workflow.shown_documents import document_rows

    if sum(map(bool, (documents, query, cluster))) != 1:
        raise click.UsageError("Give one of --documents, --search and --cluster.")
    with open_project(name) as project:
        node_id = find_topic(project.taxonomy(), topic).node_id
        if cluster:
            decision = join(waiting_cluster(project, cluster).cluster, node_id)
        else:
            document_rows(project, documents)
            decision = MoveDocuments(documents or _found(project, query), node_id)
        record(project, [decision], author, why, as_json)


@click.command()
@project_argument
@topic_argument
@click.option("--add", "more", default="", callback=listed, metavar="A,B", help="Words or phrases to add.")
@click.option("--remove", "fewer", default="", callback=listed, metavar="A,B", help="Keywords to take off.")
@decision_options
def keywords(
    name: str,
    topic: str,
    more: tuple[str, ...],
    fewer: tuple[str, ...],
    author: str,
    why: str,
    as_json: bool,
) -> None:
    """Show the keywords of a topic, add some, or take some off."""
    from taxocom.store import open_project
    from taxocom.taxonomy.kinds import EditKeywords

    with open_project(name) as project:
        node = find_topic(project.taxonomy(), topic)
        if strange := [word for word in fewer if word not in node.keywords]:
            has = ", ".join(node.keywords) or "none"
            raise InputError(f"{strange[0]!r} is no keyword of {node.label!r}. Its keywords: {has}.")
        wanted = tuple(dict.fromkeys(word for word in (*node.keywords, *more) if word not in fewer))
        if more or fewer:
            return record(project, [EditKeywords(node.node_id, wanted)], author, why, as_json)
    if as_json:
        return print_json(list(wanted))
    click.echo(printable(", ".join(wanted) or f"{node.label!r} has no keywords."))
    return None


@click.command()
@project_argument
@topic_argument
@click.argument("text", metavar="[TEXT]", default="")
@decision_options
def note(name: str, topic: str, text: str, author: str, why: str, as_json: bool) -> None:
    """Add an editorial note to a topic; without TEXT show those it has."""
    from taxocom.store import open_project
    from taxocom.taxonomy.kinds import AddNote

    with open_project(name) as project:
        node = find_topic(project.taxonomy(), topic)
        if text:
            return record(project, [AddNote(node.node_id, text)], author, why, as_json)
    if as_json:
        return print_json(list(node.notes))
    click.echo(printable("\n".join(node.notes) or f"{node.label!r} has no notes."))
    return None


def _found(project: Project, query: str) -> tuple[str, ...]:
    from taxocom.workflow.document_search import search

    corpus = project.corpus()
    documents = tuple(corpus.document_ids[int(row)] for row in search(corpus, query))
    if not documents:
        raise InputError(f"No document has {query!r}. Try fewer words, or the singular.")
    return documents


def _print_parts(parts: Sequence[TopicPart]) -> None:
    for number, part in enumerate(parts, 1):
        terms = ", ".join(part.terms)
        click.echo(printable(f"{number}. {part.label}: {counted(len(part.documents), 'document')}; {terms}"))
