"""What a vocabulary says beyond its tree: links, second parents, matches, languages, notations, collections."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from taxocom.cli.console import counted, json_option, print_json, print_table
from taxocom.cli.curation_commands import decision_options, project_argument, record, topic_argument
from taxocom.cli.topic_lookup import author_option, find_topic

no_longer_option = click.option("--no-longer", is_flag=True, help="Remove the link.")


@click.command()
@project_argument
@topic_argument
@click.argument("other", metavar="OTHER_TOPIC")
@no_longer_option
@decision_options
def relate(name: str, topic: str, other: str, no_longer: bool, author: str, why: str, as_json: bool) -> None:
    """Say that two topics are related."""
    from taxocom.store import open_project
    from taxocom.taxonomy.vocabulary_kinds import RelateTopics

    with open_project(name) as project:
        tree = project.taxonomy()
        ends = find_topic(tree, topic).node_id, find_topic(tree, other).node_id
        record(project, [RelateTopics(*ends, holds=not no_longer)], author, why, as_json)


@click.command("also-under")
@project_argument
@topic_argument
@click.argument("other", metavar="SECOND_PARENT")
@no_longer_option
@decision_options
def also_under(name: str, topic: str, other: str, no_longer: bool, author: str, why: str, as_json: bool) -> None:
    """Put a topic under a second parent as well; its place in the tree stays."""
    from taxocom.store import open_project
    from taxocom.taxonomy.vocabulary_kinds import LinkBroader

    with open_project(name) as project:
        tree = project.taxonomy()
        ends = find_topic(tree, topic).node_id, find_topic(tree, other).node_id
        record(project, [LinkBroader(*ends, holds=not no_longer)], author, why, as_json)


@click.command()
@project_argument
@topic_argument
@click.argument("uri")
@click.option("--how", type=click.Choice(["exact", "close", "broad", "narrow", "related"]), default="exact")
@no_longer_option
@decision_options
def match(name: str, topic: str, uri: str, how: str, no_longer: bool, author: str, why: str, as_json: bool) -> None:
    """Say which concept of another vocabulary a topic matches; `look-up` finds its URI."""
    from taxocom.store import open_project
    from taxocom.taxonomy.vocabulary_kinds import MatchConcept

    with open_project(name) as project:
        node_id = find_topic(project.taxonomy(), topic).node_id
        record(project, [MatchConcept(node_id, how, uri, holds=not no_longer)], author, why, as_json)  # type: ignore[arg-type]  # click has checked


@click.command()
@project_argument
@topic_argument
@click.argument("language")
@click.option(
    "--label", default="", help="Its name in this language; without one, everything in this language is removed."
)
@click.option("--other", "others", multiple=True, help="Another name in this language; may be given several times.")
@click.option("--definition", default="", help="Its definition in this language.")
@decision_options
def words(
    name: str,
    topic: str,
    language: str,
    label: str,
    others: tuple[str, ...],
    definition: str,
    author: str,
    why: str,
    as_json: bool,
) -> None:
    """Set the name of a topic in another language, such as `de`."""
    from taxocom.store import open_project
    from taxocom.taxonomy.vocabulary_kinds import EditWords

    with open_project(name) as project:
        node_id = find_topic(project.taxonomy(), topic).node_id
        record(project, [EditWords(node_id, language, label, others, definition)], author, why, as_json)


@click.command()
@project_argument
@topic_argument
@click.argument("text", default="")
@decision_options
def notation(name: str, topic: str, text: str, author: str, why: str, as_json: bool) -> None:
    """Set the notation of a topic; without a text, remove it."""
    from taxocom.store import open_project
    from taxocom.taxonomy.vocabulary_kinds import EditNotation

    with open_project(name) as project:
        record(project, [EditNotation(find_topic(project.taxonomy(), topic).node_id, text)], author, why, as_json)


@click.command()
@project_argument
@click.argument("label", metavar="COLLECTION")
@click.argument("topics", metavar="[TOPIC]...", nargs=-1)
@decision_options
def collect(name: str, label: str, topics: tuple[str, ...], author: str, why: str, as_json: bool) -> None:
    """Make a collection of topics, or replace its members; without topics, remove it."""
    from taxocom.store import open_project
    from taxocom.taxonomy.vocabulary_kinds import EditCollection
    from taxocom.taxonomy.vocabulary_sayings import collection_key

    with open_project(name) as project:
        tree = project.taxonomy()
        members = tuple(find_topic(tree, topic).node_id for topic in topics)
        record(project, [EditCollection(collection_key(tree, label), label, members)], author, why, as_json)


@click.command()
@project_argument
@topic_argument
@click.option("--replaced-by", metavar="TOPIC", help="The topic to use instead.")
@decision_options
def deprecate(name: str, topic: str, replaced_by: str | None, author: str, why: str, as_json: bool) -> None:
    """Take a topic out of the tree and keep it known as deprecated; its sub-topics move up."""
    from taxocom.store import open_project
    from taxocom.taxonomy.vocabulary_kinds import DeprecateTopic

    with open_project(name) as project:
        tree = project.taxonomy()
        instead = find_topic(tree, replaced_by).node_id if replaced_by else ""
        record(project, [DeprecateTopic(find_topic(tree, topic), instead)], author, why, as_json)


@click.command("keep-vocabulary")
@project_argument
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@author_option
def keep_vocabulary(name: str, file: Path, author: str) -> None:
    """Keep a SKOS file with a project, so that its concepts can be looked up."""
    from taxocom.store import open_project
    from taxocom.workflow.other_vocabularies import keep_vocabulary

    with open_project(name) as project:
        n_concepts = keep_vocabulary(project, file.read_bytes(), file.name, by=author)
    click.echo(f"Kept {file.name}: {counted(n_concepts, 'concept')}.")


@click.command("look-up")
@project_argument
@click.argument("text")
@json_option
def look_up(name: str, text: str, as_json: bool) -> None:
    """Find concepts by their names in the vocabularies that are kept with a project."""
    from taxocom.store import open_project
    from taxocom.workflow.other_vocabularies import look_up

    with open_project(name) as project:
        found = look_up(project, text)
    if as_json:
        return print_json([asdict(concept) for concept in found])
    rows = ([concept.label, concept.path, concept.vocabulary, concept.uri] for concept in found)
    return print_table(["concept", "path", "vocabulary", "uri"], rows)
