"""What a person knows and the machine does not: a topic that is missing, and which documents belong to a topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from taxocom.cli.console import counted, print_json, printable
from taxocom.cli.curation_commands import Command, decision_options, project_argument, record, topic_argument
from taxocom.cli.topic_lookup import find_topic
from taxocom.errors import InputError

if TYPE_CHECKING:
    from taxocom.store import Project
    from taxocom.taxonomy.tree import Taxonomy
    from taxocom.workflow.missing_topic import TopicCard
    from taxocom.workflow.shown_documents import ShownDocument
    from taxocom.workflow.teaching import TopicLesson

_SENTENCE = 160


def listed(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, ...]:
    """Read a list with commas."""
    return tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))


def id_list(name: str, told: str) -> Callable[[Command], Command]:
    """Give a command an option that takes ids of documents."""
    return click.option(name, default="", callback=listed, metavar="ID,…", help=told)


@click.command()
@project_argument
@click.argument("labels", metavar="[NAME]...", nargs=-1)
@click.option(
    "--under", default="/", metavar="TOPIC", help="The topic it goes under; / is the root.", show_default=True
)
@click.option("--words", default="", callback=listed, metavar="A,B", help="Words or phrases that its documents use.")
@id_list("--documents", "Documents that are of it.")
@id_list("--not", "Documents that are not of it.")
@click.option(
    "--ask", type=click.IntRange(min=0), default=0, help="List so many documents to judge, most telling first."
)
@click.option("--accept", is_flag=True, help="Add the topic with its documents.")
@decision_options
def add(
    name: str,
    labels: tuple[str, ...],
    under: str,
    words: tuple[str, ...],
    documents: tuple[str, ...],
    ask: int,
    accept: bool,
    author: str,
    why: str,
    as_json: bool,
    **more: tuple[str, ...],
) -> None:
    """Tell of a topic that is missing: see what it would hold, and add it with --accept.

    A name is enough; words and documents make it surer. Several names of one place are best told at once: each is told
    from the others then. Nothing changes without --accept.
    """
    from taxocom.store import open_project
    from taxocom.workflow.missing_topic import MissedTopic, ask_about, missing_topic

    with open_project(name) as project:
        tree = project.taxonomy()
        parent_id = find_topic(tree, under).node_id
        if len(labels) > 1:
            if words or documents or more["not"] or ask:
                raise InputError("Words, documents and answers are told of one topic at a time. Give one name.")
            return _add_all(project, labels, parent_id, accept, (author, why, as_json))
        wish = MissedTopic("".join(labels), words, parent_id, documents).with_answers((), more["not"])
        card = missing_topic(project, wish)
        if accept:
            return record(project, card.decisions(), author, why, as_json)
        asked = ask_about(project, wish, ask) if ask else []
        if as_json:
            return print_json({**asdict(card), "ask": [asdict(each) for each in asked]})
        _print_card(card, tree)
        _print_documents("To judge, most telling first", asked)
        click.echo("Nothing is changed yet. Repeat this with --accept to add the topic.")
    return None


@click.command()
@project_argument
@topic_argument
@id_list("--yes", "Documents that belong to the topic.")
@id_list("--no", "Documents that do not.")
@click.option("--to", default="", metavar="TOPIC", help="Where those go; otherwise to the likeliest other topic.")
@click.option(
    "--ask", type=click.IntRange(min=0), default=0, help="List so many documents to judge, most telling first."
)
@click.option("--move", is_flag=True, help="Let the documents move that would come or go by what it learnt.")
@decision_options
def teach(
    name: str,
    topic: str,
    yes: tuple[str, ...],
    no: tuple[str, ...],
    to: str,
    ask: int,
    move: bool,
    author: str,
    why: str,
    as_json: bool,
) -> None:
    """Teach a topic by example: these documents belong to it, those do not. It says what would move then."""
    from taxocom.store import open_project
    from taxocom.workflow.teaching import answers, ask_about_topic, topic_lesson

    with open_project(name) as project:
        tree = project.taxonomy()
        node_id = find_topic(tree, topic).node_id
        before = project.sequence
        if yes or no:
            other = find_topic(tree, to).node_id if to else None
            project.record(answers(project, node_id, yes, no, other=other), author=author, why=why)
        lesson = topic_lesson(project, node_id)
        if move and lesson.decisions():
            project.record_all(lesson.decisions(), author=author, why=why)
        n_recorded = project.sequence - before
        asked = ask_about_topic(project, node_id, ask) if ask else []
        if as_json:
            return print_json({**asdict(lesson), "recorded": n_recorded, "ask": [asdict(each) for each in asked]})
        _print_lesson(lesson, tree, is_moved=move)
        if n_recorded:
            click.echo(f"Recorded. Take it back: taxocom undo {name} -n {n_recorded}")
        _print_documents("To judge, most telling first", asked)
    return None


def _add_all(project: Project, labels: Sequence[str], parent_id: str, accept: bool, how: tuple[str, str, bool]) -> None:
    """Show the cards of several topics of one place, or add them."""
    from taxocom.workflow.missing_topic import decisions_of, missing_topic, told_together

    cards = [missing_topic(project, wish) for wish in told_together(labels, parent_id)]
    if accept:
        return record(project, decisions_of(cards), *how)
    if how[-1]:
        return print_json([asdict(card) for card in cards])
    for card in cards:
        _print_card(card, project.taxonomy())
    click.echo("Nothing is changed yet. Repeat this with --accept to add the topics.")
    return None


def _print_card(card: TopicCard, tree: Taxonomy) -> None:
    where = "/".join([*tree.path_of(card.wish.parent_id), card.node.label or "(no name yet)"])
    click.echo(printable(f"{where}: would hold {counted(len(card.documents), 'document')}."))
    if card.sources:
        click.echo(
            printable("From " + ", ".join(f"{each.label} ({each.n_documents:,})" for each in card.sources) + ".")
        )
    click.echo(f"{counted(card.n_saying, 'document')} in the corpus say its name or one of its words.")
    if card.terms:
        click.echo(printable(f"Telling terms: {', '.join(card.terms)}."))
    if card.fits_under:
        click.echo(printable(f"Most of them are under {tree[card.fits_under].label!r} now; it may belong there."))
    for said in (*(near.said for near in card.near), *card.remarks):
        click.echo(printable(said))
    _print_documents("Typical", card.typical)
    _print_documents("Doubtful", card.doubtful)


def _print_lesson(lesson: TopicLesson, tree: Taxonomy, *, is_moved: bool) -> None:
    click.echo(f"Learnt from {counted(lesson.n_yes, 'document')} with yes and {lesson.n_no:,} with no.")
    verb = "moved" if is_moved else "would move"
    for move in (*lesson.come, *lesson.go):
        start, end = (("/".join(tree.path_of(each)) or "no topic") for each in (move.from_id, move.to_id))
        click.echo(printable(f"{counted(len(move.documents), 'document')} {verb} from {start} to {end}."))
    if (lesson.come or lesson.go) and not is_moved:
        click.echo("Repeat this with --move to let them.")


def _print_documents(title: str, documents: Sequence[ShownDocument]) -> None:
    if documents:
        click.echo(f"{title}:")
    for each in documents:
        now = f" [{each.topic}]" if each.topic else ""
        said = " ".join(each.sentence.split())[:_SENTENCE]
        click.echo(printable(f"  {each.document_id}  {each.title}{now}  {said}"))
