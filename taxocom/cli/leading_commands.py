"""What a person knows and the machine does not: a topic that is missing, and which documents belong to a topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from taxocom.cli.console import counted, print_json, printable
from taxocom.cli.curation_commands import Command, decision_options, project_argument, record, topic_argument
from taxocom.cli.topic_lookup import find_topic
from taxocom.errors import InputError

if TYPE_CHECKING:
    from taxocom.taxonomy.tree import Taxonomy
    from taxocom.workflow.missing_topic import MissedTopic, TopicCard
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
@click.option("--words", multiple=True, metavar="A,B", help="Words or phrases that its documents use.")
@click.option("--documents", multiple=True, metavar="ID,…", help="Documents about it.")
@click.option("--not", multiple=True, metavar="ID,…", help="Documents that are not about it.")
@click.option(
    "--ask", type=click.IntRange(min=0), default=0, help="List this many documents to judge, the most useful first."
)
@click.option("--accept", is_flag=True, help="Add the topic with its documents.")
@decision_options
def add(
    name: str,
    labels: tuple[str, ...],
    under: str,
    ask: int,
    accept: bool,
    author: str,
    why: str,
    as_json: bool,
    **told: tuple[str, ...],
) -> None:
    """Name a missing topic: see what it would hold, and add it with --accept.

    A name is enough; words and documents help. If several topics are missing in one place, name them together: what you
    say about one teaches the others too. With several names, say which you mean: --documents "golf=12" --not "golf=7".
    Nothing changes without --accept.
    """
    from taxocom.store import open_project
    from taxocom.workflow.missing_topic import MissedTopic, ask_about, missing_topic
    from taxocom.workflow.told_together import decisions_of, told_together

    with open_project(name) as project:
        tree = project.taxonomy()
        parent_id = find_topic(tree, under).node_id
        wishes = _told(told_together(labels, parent_id) or [MissedTopic(parent_id=parent_id)], told)
        cards = [missing_topic(project, wish) for wish in wishes]
        if accept:
            return record(project, decisions_of(cards), author, why, as_json)
        asked = [ask_about(project, wish, ask) if ask else [] for wish in wishes]
        if as_json:
            rows = [
                {**asdict(card), "ask": [asdict(each) for each in of_it]}
                for card, of_it in zip(cards, asked, strict=True)
            ]
            return print_json(rows if len(rows) > 1 else rows[0])
        for card, of_it in zip(cards, asked, strict=True):
            _print_card(card, tree)
            _print_documents("To judge, most telling first", of_it)
        it = "the topics" if len(cards) > 1 else "the topic"
        click.echo(f"Nothing is changed yet. Repeat this with --accept to add {it}.")
    return None


@click.command()
@project_argument
@topic_argument
@id_list("--yes", "Documents that belong to the topic.")
@id_list("--no", "Documents that do not.")
@click.option("--to", default="", metavar="TOPIC", help="Where those go; otherwise to the likeliest other topic.")
@click.option(
    "--ask", type=click.IntRange(min=0), default=0, help="List this many documents to judge, the most useful first."
)
@click.option("--move", is_flag=True, help="Move the documents that the topic would now gain or lose.")
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
    """Teach a topic by example: these documents belong to it, those do not. It shows what would move."""
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


def _told(wishes: Sequence[MissedTopic], told: Mapping[str, Sequence[str]]) -> list[MissedTopic]:
    """Return topics with the words and documents that were given for each."""
    from taxocom.workflow.told_together import together

    given = {option: _by_name([each.label for each in wishes], f"--{option}", told[option]) for option in told}
    return together(
        [
            replace(each, words=given["words"][at], documents=given["documents"][at]).with_answers((), given["not"][at])
            for at, each in enumerate(wishes)
        ]
    )


def _by_name(labels: Sequence[str], option: str, values: Sequence[str]) -> list[tuple[str, ...]]:
    """Read the values of an option: lists with commas; where there are several topics, each after NAME=."""
    found: list[list[str]] = [[] for _ in labels]
    names = {label.casefold(): at for at, label in enumerate(labels)}
    for value in values:
        label, equals, rest = value.partition("=")
        at = names.get(" ".join(label.split()).casefold()) if equals else None
        if at is None and len(labels) > 1:
            raise InputError(f'{option} {value!r} does not say which topic is meant. Write {option} "{labels[0]}=…".')
        found[at or 0] += (value if at is None else rest).split(",")
    return [tuple(dict.fromkeys(part.strip() for part in parts if part.strip())) for parts in found]


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
