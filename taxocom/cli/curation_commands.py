"""What a curator decides: rename, merge, move, remove, undo, redo. Decisions are appended, never edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from taxocom.cli.console import json_option, print_json, printable
from taxocom.cli.topic_lookup import author_option, find_topic

if TYPE_CHECKING:
    from taxocom.store import Project
    from taxocom.taxonomy.decisions import Decision

Command = TypeVar("Command", bound=Callable[..., Any])

project_argument = click.argument("name", metavar="PROJECT")
topic_argument = click.argument("topic", metavar="TOPIC")
why_option = click.option("--why", default="", help="The reason, kept with the decision.")


def decision_options(command: Command) -> Command:
    """Give a command what every decision has: who, why, and JSON for scripts."""
    decorated: Any = command
    for option in (json_option, author_option, why_option):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]  # click's decorators keep the function


@click.command()
@project_argument
@topic_argument
@click.argument("label", metavar="NEW_NAME")
@decision_options
def rename(name: str, topic: str, label: str, author: str, why: str, as_json: bool) -> None:
    """Give a topic another name; the old one stays as an alternative.

    TOPIC is a path (politics/brexit), a name that only one topic has, or an id; the root's name is the title.
    """
    from taxocom.store import open_project
    from taxocom.taxonomy.kinds import RenameTaxonomy, RenameTopic
    from taxocom.taxonomy.tree import ROOT_ID

    with open_project(name) as project:
        node = find_topic(project.taxonomy(), topic)
        decision = RenameTaxonomy(label) if node.node_id == ROOT_ID else RenameTopic(node.node_id, label)
        record(project, [decision], author, why, as_json)


@click.command()
@project_argument
@click.argument("topics", metavar="TOPIC...", nargs=-1, required=True)
@click.option("--into", required=True, metavar="TOPIC", help="The topic that stays.")
@decision_options
def merge(name: str, topics: tuple[str, ...], into: str, author: str, why: str, as_json: bool) -> None:
    """Merge topics into one: children, keywords and anchors join, old names become alternatives."""
    from taxocom.store import open_project
    from taxocom.taxonomy.kinds import MergeTopics

    with open_project(name) as project:
        tree = project.taxonomy()
        merged = tuple(find_topic(tree, topic).node_id for topic in topics)
        record(project, [MergeTopics(find_topic(tree, into).node_id, merged)], author, why, as_json)


@click.command()
@project_argument
@topic_argument
@click.option("--under", required=True, metavar="TOPIC", help="The new parent; / is the root.")
@click.option("--position", type=click.IntRange(min=1), help="Its place among its siblings, from 1.")
@decision_options
def move(name: str, topic: str, under: str, position: int | None, author: str, why: str, as_json: bool) -> None:
    """Put a topic, with all below it, under another parent or at another place."""
    from taxocom.store import open_project
    from taxocom.taxonomy.kinds import MoveTopic

    with open_project(name) as project:
        tree = project.taxonomy()
        place = None if position is None else position - 1
        decision = MoveTopic(find_topic(tree, topic).node_id, find_topic(tree, under).node_id, place)
        record(project, [decision], author, why, as_json)


@click.command()
@project_argument
@topic_argument
@click.option("--keep-children", is_flag=True, help="Move its sub-topics up into its place.")
@decision_options
def remove(name: str, topic: str, keep_children: bool, author: str, why: str, as_json: bool) -> None:
    """Take a topic out of the tree."""
    from taxocom.store import open_project
    from taxocom.taxonomy.kinds import RemoveTopic

    with open_project(name) as project:
        node = find_topic(project.taxonomy(), topic)
        record(project, [RemoveTopic(node.node_id, keep_children)], author, why, as_json)


@click.command()
@project_argument
@click.option("-n", "n", default=1, type=click.IntRange(min=1), help="How many decisions.", show_default=True)
@decision_options
def undo(name: str, n: int, author: str, why: str, as_json: bool) -> None:
    """Take back the last decisions."""
    from taxocom.store import open_project
    from taxocom.taxonomy.kinds import Undo

    with open_project(name) as project:
        record(project, [Undo(n)], author, why, as_json)


@click.command()
@project_argument
@click.option("-n", "n", default=1, type=click.IntRange(min=1), help="How many decisions.", show_default=True)
@decision_options
def redo(name: str, n: int, author: str, why: str, as_json: bool) -> None:
    """Put back decisions that were undone."""
    from taxocom.store import open_project
    from taxocom.taxonomy.kinds import Redo

    with open_project(name) as project:
        record(project, [Redo(n)], author, why, as_json)


@click.command()
@project_argument
@json_option
def history(name: str, as_json: bool) -> None:
    """Show what was decided, by whom and why, oldest first; what was undone is marked."""
    from taxocom.store import open_project

    with open_project(name) as project:
        entries = project.history()
    if as_json:
        return print_json([{**e.logged.to_dict(), "summary": e.summary, "in_force": e.in_force} for e in entries])
    for entry in entries:
        logged = entry.logged
        mark = "" if entry.in_force else "  (undone)"
        why = f"  ({logged.why})" if logged.why else ""
        when = logged.at[:16].replace("T", " ")
        click.echo(printable(f"{logged.sequence:4d}  {when}  {logged.author}  {entry.summary}{why}{mark}"))
    return None


def record(project: Project, decisions: Sequence[Decision], author: str, why: str, as_json: bool) -> None:
    """Append decisions, all or none, and say what they did."""
    before = project.sequence
    project.record_all(decisions, author=author, why=why)
    entries = project.history(after=before)
    if as_json:
        print_json([{**entry.logged.to_dict(), "summary": entry.summary} for entry in entries])
    else:
        for entry in entries:
            click.echo(printable(f"{entry.logged.sequence}: {entry.summary}."))
