"""Which documents a topic holds, what the tagger would move, and which names are weak."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from taxocom.cli.console import counted, json_option, print_json, printable
from taxocom.cli.curation_commands import decision_options, project_argument, record, topic_argument
from taxocom.cli.topic_lookup import find_topic

if TYPE_CHECKING:
    from taxocom.taxonomy.tree import Taxonomy
    from taxocom.workflow.moves import SuggestedMove

_SHOWN = 10


@click.command()
@project_argument
@topic_argument
@click.option("-n", "n", default=_SHOWN, show_default=True, type=click.IntRange(min=0), help="How many to list.")
@json_option
def documents(name: str, topic: str, n: int, as_json: bool) -> None:
    """List the documents that a topic holds, the surest first, and whether they mention its name."""
    from taxocom.store import open_project
    from taxocom.workflow.tags import topic_documents

    with open_project(name) as project:
        node = find_topic(project.taxonomy(), topic)
        found = topic_documents(project, node.node_id)
        corpus = project.corpus()
        rows = [
            {
                "id": corpus.document_ids[row],
                "title": corpus.titles[row] if len(corpus.titles) else "",
                "sure": round(float(found.score[i]), 3),
                "says its name": bool(found.says[i]),
                "by a decision": bool(found.told[i]),
            }
            for i, row in enumerate(found.documents.tolist())
        ]
    facts = {
        "topic": node.label,
        "n_documents": len(found),
        "n_saying_its_name": int(found.says.sum()),
        "n_in_corpus_saying_its_name": found.n_saying,
        "n_fitting_poorly": int(found.poor.sum()),
    }
    if as_json:
        return print_json({**facts, "documents": rows})
    saying, poor = facts["n_saying_its_name"], facts["n_fitting_poorly"]
    said = f"{saying:,} mention its name or a keyword ({found.n_saying:,} in the corpus do); {poor:,} fit poorly."
    click.echo(printable(f"{node.label}: {counted(len(found), 'document')}; {said}"))
    for row in rows[:n]:
        click.echo(printable(f"{row['sure']:5.0%}  {row['id']}  {row['title']}"))
    return None


@click.command()
@project_argument
@click.option("--let-go", type=int, multiple=True, metavar="N", help="Move the documents of suggestion N.")
@click.option(
    "--keep",
    type=int,
    multiple=True,
    metavar="N",
    help="Keep the documents of suggestion N where they are; it is not suggested again.",
)
@decision_options
def moves(name: str, let_go: tuple[int, ...], keep: tuple[int, ...], author: str, why: str, as_json: bool) -> None:
    """Show which documents the tagger would move to other topics. Nothing moves unless you let it go."""
    from taxocom.store import open_project
    from taxocom.workflow.moves import chosen_moves, suggested_moves

    with open_project(name) as project:
        found = suggested_moves(project)
        if both := sorted(set(let_go) & set(keep)):
            raise click.UsageError(f"Suggestion {both[0]} is named with --let-go and with --keep. Choose one.")
        decisions = [move.let_go() for move in chosen_moves(found, let_go)]
        decisions += [move.keep() for move in chosen_moves(found, keep)]
        if decisions:
            return record(project, decisions, author, why, as_json)
        tree = project.taxonomy()
        if as_json:
            return print_json([asdict(move) for move in found])
        for number, move in enumerate(found, 1):
            click.echo(printable(f"{number:3d}. {_sentence(tree, move)}"))
        if not found:
            click.echo("No documents would move.")
    return None


@click.command()
@project_argument
@json_option
def names(name: str, as_json: bool) -> None:
    """Show topics whose name few of their documents mention, with terms to add as keywords."""
    from taxocom.store import open_project
    from taxocom.workflow.weak_names import weak_names

    with open_project(name) as project:
        found = weak_names(project)
    if as_json:
        return print_json([asdict(weak) for weak in found])
    for weak in found:
        click.echo(printable(weak.said()))
    if not found:
        click.echo("For every topic, at least one in five documents mentions its name or a keyword.")
    return None


def _sentence(tree: Taxonomy, move: SuggestedMove) -> str:
    from taxocom.taxonomy.tree import ROOT_ID

    start = "no topic" if move.from_id == ROOT_ID else "/".join(tree.path_of(move.from_id))
    return f"{counted(len(move.documents), 'document')} would move from {start} to {'/'.join(tree.path_of(move.to_id))}"
