"""A team's vocabulary: who may do what, what is suggested, said and waits, and who did what when."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, TextIO

import click

from taxocom.cli.console import json_option, print_json, print_table, printable
from taxocom.cli.curation_commands import decision_options, project_argument, record, topic_argument
from taxocom.cli.topic_lookup import author_option, find_topic
from taxocom.errors import InputError

if TYPE_CHECKING:
    from taxocom.store import Project

_ROLES = ("viewer", "contributor", "curator", "admin", "none")


@click.command()
@project_argument
@json_option
def people(name: str, as_json: bool) -> None:
    """List who may do what in a project, and its rules. A project without such a list is open to everybody."""
    from taxocom.store import open_project

    with open_project(name) as project:
        team = project.team()
    if as_json:
        return print_json({"roles": dict(team.roles), "second_person": team.second_person})
    if team.is_open:
        click.echo("The project is open: nobody was given a role, so everybody may do everything.")
    else:
        print_table(["person", "role"], team.roles.items())
    return click.echo(f"Approval needs {'a second person' if team.second_person else 'one person'}.")


@click.command()
@project_argument
@click.argument("person")
@click.argument("given", metavar="ROLE", type=click.Choice(_ROLES))
@decision_options
def role(name: str, person: str, given: str, author: str, why: str, as_json: bool) -> None:
    """Say what a person may do: viewer, contributor, curator, admin, or none to take them off the list.

    The first role of a project must be that of an admin.
    """
    from taxocom.store import open_project
    from taxocom.taxonomy.team_kinds import GiveRole

    with open_project(name) as project:
        record(project, [GiveRole(person, given)], author, why, as_json)  # type: ignore[arg-type]  # click has checked


@click.command("second-person")
@project_argument
@click.argument("holds", type=click.Choice(["on", "off"]))
@decision_options
def second_person(name: str, holds: str, author: str, why: str, as_json: bool) -> None:
    """Require a second person for approval, or not: what one person adds is then a draft until another approves it."""
    from taxocom.store import open_project
    from taxocom.taxonomy.team_kinds import SetRule

    with open_project(name) as project:
        record(project, [SetRule("second_person", holds == "on")], author, why, as_json)


@click.command()
@project_argument
@topic_argument
@click.argument("text")
@decision_options
def comment(name: str, topic: str, text: str, author: str, why: str, as_json: bool) -> None:
    """Comment on a topic."""
    from taxocom.store import open_project
    from taxocom.taxonomy.team_kinds import CommentOnTopic

    with open_project(name) as project:
        record(project, [CommentOnTopic(find_topic(project.taxonomy(), topic).node_id, text)], author, why, as_json)


@click.command()
@project_argument
@click.argument("label", metavar="NAME")
@click.option("--under", default="/", metavar="TOPIC", help="The topic above it.", show_default="the root")
@decision_options
def suggest(name: str, label: str, under: str, author: str, why: str, as_json: bool) -> None:
    """Suggest a topic; it waits in the tree for a curator."""
    from taxocom.store import open_project
    from taxocom.taxonomy.kinds import SuggestTopic
    from taxocom.taxonomy.tree import TopicNode, topic_id

    with open_project(name) as project:
        parent = find_topic(project.taxonomy(), under).node_id
        node = TopicNode(topic_id("suggested", parent, label, str(project.sequence)), label)
        record(project, [SuggestTopic(parent, node)], author, why, as_json)


@click.command()
@project_argument
@topic_argument
@click.argument("state", type=click.Choice(["approved", "draft", "suggested", "rejected"]))
@decision_options
def state(name: str, topic: str, state: str, author: str, why: str, as_json: bool) -> None:
    """Approve a topic, make it a draft or a suggestion again, or reject it."""
    from taxocom.store import open_project
    from taxocom.taxonomy.kinds import SetStatus

    with open_project(name) as project:
        node = find_topic(project.taxonomy(), topic)
        record(project, [SetStatus(node.node_id, state)], author, why, as_json)  # type: ignore[arg-type]  # click has checked


@click.command()
@project_argument
@topic_argument
@click.option("--to", "person", default="", help="Who should look at it; without a name, the task is taken back.")
@decision_options
def ask(name: str, topic: str, person: str, author: str, why: str, as_json: bool) -> None:
    """Ask somebody to look at a topic."""
    from taxocom.store import open_project
    from taxocom.taxonomy.team_kinds import AssignTopic

    with open_project(name) as project:
        record(project, [AssignTopic(find_topic(project.taxonomy(), topic).node_id, person)], author, why, as_json)


@click.command()
@project_argument
@click.option("--all", "everybody", is_flag=True, help="Show what waits for anybody.")
@author_option
@json_option
def tasks(name: str, everybody: bool, author: str, as_json: bool) -> None:
    """List what waits for you: topics to approve, and those you were asked to look at."""
    from taxocom.store import open_project
    from taxocom.workflow import teamwork

    with open_project(name) as project:
        found = teamwork.tasks(project) if everybody else teamwork.tasks_of(project, author)
    if as_json:
        return print_json([asdict(task) for task in found])
    return print_table(
        ["topic", "state", "by", "when", "for"],
        ([task.label, task.state, task.author, task.at[:16].replace("T", " "), task.assignee] for task in found),
    )


@click.command()
@project_argument
@click.argument("file", type=click.File("r", encoding="utf-8"), default="-")
@decision_options
def decide(name: str, file: TextIO, author: str, why: str, as_json: bool) -> None:
    """Record decisions from a JSON file or standard input, all or none: one object with a "kind", or a list of them.

    `taxocom history --json` shows what each kind looks like.
    """
    from taxocom.store import open_project
    from taxocom.taxonomy.decisions import Decision

    try:
        plain = json.load(file)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file.name}: this is no JSON ({printable(str(error))[:100]}).") from error
    listed = plain if isinstance(plain, list) else [plain]
    decisions = [Decision.from_dict(each, f"{file.name}, decision {n}") for n, each in enumerate(listed, 1)]
    with open_project(name) as project:
        record(project, decisions, author, why, as_json)


def find_once_known(project: Project, topic: str) -> str:
    """Return the id of a topic that somebody means, or of one that is gone and that the log names by this id."""
    from taxocom.workflow.teamwork import topics_of

    if any(topic in topics_of(entry) for entry in project.log()):
        return topic
    return find_topic(project.taxonomy(), topic).node_id


@click.command()
@project_argument
@click.option("--person", default="", help="Only what this person did.")
@click.option("--topic", default="", metavar="TOPIC", help="Only entries about this topic.")
@click.option("--since", default="", metavar="DAY", help="From this day on, like 2026-11-19.")
@click.option("--until", default="", metavar="DAY", help="Up to this day, itself included.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@json_option
def audit(name: str, person: str, topic: str, since: str, until: str, as_csv: bool, as_json: bool) -> None:
    """Show who did what and when, oldest first; `verify` proves that none of it was changed.

    A topic that is gone is named by its id.
    """
    from taxocom.store import open_project
    from taxocom.workflow import audit as audits

    with open_project(name) as project:
        node_id = find_once_known(project, topic) if topic else ""
        wanted = audits.Wanted(person, node_id, audits.day(since, "--since"), audits.day(until, "--until"))
        lines = audits.audit(project, wanted)
    if as_csv:
        return click.echo(audits.as_csv(lines), nl=False)
    if as_json:
        return print_json([asdict(line) for line in lines])
    return print_table(
        ["step", "when", "who", "what", "why", ""],
        ([e.step, e.at[:16].replace("T", " "), e.person, e.what, e.why, "" if e.in_force else "undone"] for e in lines),
    )
