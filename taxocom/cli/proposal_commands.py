"""Proposals: expand a topic of a project, look at what was found, accept or reject it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from taxocom.cli.console import counted, json_option, print_json, printable, quiet_option, watched
from taxocom.cli.curation_commands import decision_options, project_argument, record
from taxocom.cli.job_commands import follow, follow_map
from taxocom.cli.settings_options import settings_options
from taxocom.cli.topic_lookup import author_option, find_topic
from taxocom.errors import InputError

if TYPE_CHECKING:
    from taxocom.expansion.proposals.proposal import LeftOutGroup
    from taxocom.settings import ExpansionSettings
    from taxocom.store import Project
    from taxocom.workflow.open_proposals import OpenProposal, WaitingCluster

N_ANCHORS = 8
N_LEFT_OUT = 3
N_NAMES = 4

node_option = click.option("--node", metavar="TOPIC", help="The topic expanded, if several proposals are open.")
clusters_argument = click.argument("clusters", metavar="CLUSTER...", nargs=-1)
all_option = click.option("--all", "take_all", is_flag=True, help="Every cluster that can be judged.")


@click.command()
@project_argument
@click.argument("node", metavar="TOPIC", default="/")
@click.option("--each", is_flag=True, help="Expand each of its sub-topics instead; on a cluster side by side.")
@click.option("--random-state", default=0, show_default=True, type=int, help="Another number gives another run.")
@settings_options
@author_option
@json_option
@quiet_option
def expand(
    name: str,
    node: str,
    each: bool,
    random_state: int,
    settings: ExpansionSettings,
    author: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Look for sub-topics that are missing under a topic (the root by default) and keep them as a proposal.

    It runs as a job, which the app shows too; Ctrl-C cancels it. Nothing enters the tree before `accept`. With
    $TAXOCOM_SCHEDULER set, it runs on that cluster (`taxocom cluster`).
    """
    from dataclasses import asdict

    from taxocom.jobs import submit
    from taxocom.store import open_project

    with open_project(name) as project:
        topic = find_topic(project.taxonomy(), node)
        parameters = {"node_id": topic.node_id, "settings": asdict(settings), "random_state": random_state}
        with watched(quiet=quiet) as progress:
            kind = "expand-level" if each else "expand"
            job = follow(project, submit(project, kind, parameters, author=author), progress)
            follow_map(project, job, progress)
        _show(project, _opened(project, None if each else topic.node_id), as_json)


@click.command()
@project_argument
@click.argument("node", metavar="[TOPIC]", default="")
@json_option
def proposals(name: str, node: str, as_json: bool) -> None:
    """Show what was proposed and not yet judged, for the whole tree or for one topic."""
    from taxocom.store import open_project

    with open_project(name) as project:
        node_id = find_topic(project.taxonomy(), node).node_id if node else None
        _show(project, _opened(project, node_id), as_json)


@click.command()
@project_argument
@clusters_argument
@all_option
@node_option
@click.option("--as", "label", default="", metavar="NAME", help="Another name than the one proposed.")
@click.option("--suggested", is_flag=True, help="Under the name and with the definition that `ask-model` got.")
@click.option("--under", metavar="TOPIC", help="Another parent than the topic that was expanded.")
@decision_options
def accept(
    name: str,
    clusters: tuple[str, ...],
    take_all: bool,
    node: str | None,
    label: str,
    suggested: bool,
    under: str | None,
    author: str,
    why: str,
    as_json: bool,
) -> None:
    """Make proposed clusters topics of the tree.

    CLUSTER is its name, its center term, its id, or its number in `taxocom proposals`.
    """
    from taxocom.store import open_project
    from taxocom.workflow.suggested_names import accepted_as_suggested

    if label and suggested:
        raise click.UsageError("--as and --suggested both give a name; use one.")
    with open_project(name) as project:
        tree = project.taxonomy()
        chosen = _chosen(project, clusters, take_all, node)
        if label and len(chosen) > 1:
            raise click.UsageError("--as names one cluster; give one.")
        parent_id = find_topic(tree, under).node_id if under else ""
        decisions = [
            accepted_as_suggested(project, waiting, parent_id=parent_id)
            if suggested
            else waiting.accepted(label=label, parent_id=parent_id)
            for waiting in chosen
        ]
        record(project, decisions, author, why, as_json)


@click.command("ask-model")
@project_argument
@clusters_argument
@all_option
@node_option
@json_option
def ask_model(name: str, clusters: tuple[str, ...], take_all: bool, node: str | None, as_json: bool) -> None:
    """Ask your language model for a name and a definition of clusters; they are kept with the proposal.

    TAXOCOM_LLM_URL names its address (as OpenAI's, here or elsewhere), TAXOCOM_LLM_MODEL the model, TAXOCOM_LLM_KEY a
    key. It is sent the terms and sentences of the card; with TAXOCOM_LLM_SENDS=terms no sentence. Nothing else asks it.
    """
    from dataclasses import asdict

    from taxocom.store import open_project
    from taxocom.workflow.suggested_names import suggest_name

    with open_project(name) as project:
        found = {w.label: suggest_name(project, w) for w in _chosen(project, clusters, take_all, node)}
    if as_json:
        return print_json([{"cluster": label, **asdict(each)} for label, each in found.items()])
    for label, each in found.items():
        click.echo(printable(f"{label}: {each.name}. {each.definition} ({each.source})"))
    click.echo(f"To use it: taxocom accept {name} CLUSTER --suggested")
    return None


@click.command()
@project_argument
@clusters_argument
@all_option
@node_option
@decision_options
def reject(
    name: str, clusters: tuple[str, ...], take_all: bool, node: str | None, author: str, why: str, as_json: bool
) -> None:
    """Reject proposed clusters; a later run does not propose them again."""
    from taxocom.expansion.proposals.accepting import reject as rejected
    from taxocom.store import open_project

    with open_project(name) as project:
        chosen = _chosen(project, clusters, take_all, node)
        record(project, [rejected(w.cluster, w.node_id, why) for w in chosen], author, why, as_json)


@click.command("name")
@project_argument
@click.argument("cluster", metavar="CLUSTER")
@click.argument("label", metavar="NEW_NAME")
@node_option
@decision_options
def name_(name: str, cluster: str, label: str, node: str | None, author: str, why: str, as_json: bool) -> None:
    """Give a proposed cluster a name before it is judged; later runs keep it."""
    from taxocom.expansion.proposals.accepting import name as named
    from taxocom.store import open_project

    with open_project(name) as project:
        (found,) = _chosen(project, (cluster,), False, node)
        record(project, [named(found.cluster, found.node_id, label)], author, why, as_json)


@click.command()
@project_argument
@click.argument("groups", metavar="GROUP...", nargs=-1, required=True)
@node_option
@author_option
@json_option
def include(name: str, groups: tuple[str, ...], node: str | None, author: str, as_json: bool) -> None:
    """Propose groups that were considered and left out.

    GROUP is one of its terms, as `taxocom proposals` lists them, or its id. What is proposed already stays; what was
    merged or split in the app is split again.
    """
    from taxocom.expansion.proposals.proposal import Overrides
    from taxocom.jobs.expand_task import keep_resplit
    from taxocom.store import open_project

    with open_project(name) as project:
        project.require("expand", author)
        node_id = find_topic(project.taxonomy(), node).node_id if node else None
        left_out = [(p, group) for p in _opened(project, node_id) for group in p.left_out]
        wanted: dict[int, list[str]] = {}
        for group in groups:
            proposal, found = _left_out_group(left_out, group)
            shown = [cluster.cluster_id for cluster in proposal.expansion.novel]
            wanted.setdefault(proposal.record.proposal_id, shown).append(found.cluster_id)
        kept = [
            keep_resplit(project, number, Overrides(n_novel=0, included=tuple(ids))) for number, ids in wanted.items()
        ]
        _show(project, [p for p in _opened(project) if p.record.proposal_id in kept], as_json)


def _left_out_group(
    left_out: Sequence[tuple[OpenProposal, LeftOutGroup]], wanted: str
) -> tuple[OpenProposal, LeftOutGroup]:
    found = [(p, g) for p, g in left_out if wanted == g.cluster_id or _key(wanted) in map(_key, g.terms)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{len(found)} groups have the term {wanted!r}. Give another of their terms, or --node TOPIC.")
    listed = "; ".join(_terms(group) for _, group in left_out[:5]) or "none"
    raise InputError(f"No group with the term {wanted!r} was left out. Groups left out: {listed}.")


def _terms(group: LeftOutGroup) -> str:
    from taxocom.text.terms.vocabulary import display

    return ", ".join(display(term) for term in group.terms)


def _opened(project: Project, node_id: str | None = None) -> list[OpenProposal]:
    """Return the proposals that can be judged, of the whole tree or of one topic; say which are out of date."""
    from taxocom.workflow.open_proposals import open_proposals

    found, tree = open_proposals(project), project.taxonomy()
    for each in sorted(found.outdated):
        if node_id in (None, each):
            path = "/".join(tree.path_of(each)) or tree.root.label
            click.echo(printable(f"{path}: its proposal is out of date. Expand it again to get a new one."), err=True)
    return [proposal for each, proposal in found.by_node.items() if node_id in (None, each)]


def _waiting(project: Project, proposals: Sequence[OpenProposal]) -> list[WaitingCluster]:
    from taxocom.workflow.open_proposals import waiting_clusters

    return waiting_clusters({proposal.node_id: proposal for proposal in proposals}, project.taxonomy())


def waiting_cluster(project: Project, wanted: str) -> WaitingCluster:
    """Return the cluster of an open proposal that somebody means: its number in the list, its name or its id."""
    return _chosen(project, [wanted], False, None)[0]


def _chosen(project: Project, wanted: Sequence[str], take_all: bool, node: str | None) -> list[WaitingCluster]:
    node_id = find_topic(project.taxonomy(), node).node_id if node else None
    waiting = _waiting(project, _opened(project, node_id))
    if take_all:
        if not waiting:
            raise InputError("There is nothing to judge. To look for more: taxocom expand PROJECT TOPIC")
        return waiting
    if not wanted:
        raise click.UsageError("Name the clusters, or use --all.")
    return [_named(waiting, name) for name in wanted]


def _named(waiting: Sequence[WaitingCluster], wanted: str) -> WaitingCluster:
    if wanted.isdigit() and 1 <= int(wanted) <= len(waiting):
        return waiting[int(wanted) - 1]
    key = _key(wanted)
    found = [w for w in waiting if key in map(_key, (w.label, w.cluster.center_term))]
    found = found or [w for w in waiting if w.cluster.cluster_id == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{len(found)} waiting clusters are called {wanted!r}. Say which proposal: --node TOPIC.")
    listed = ", ".join(repr(w.label) for w in waiting) or "none"
    raise InputError(f"No cluster {wanted!r} can be judged. Clusters to judge: {listed}.")


def _key(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())


def _show(project: Project, open_proposals: Sequence[OpenProposal], as_json: bool) -> None:
    if as_json:
        return print_json([_plain(project, proposal) for proposal in open_proposals])
    from taxocom.text.terms.vocabulary import display
    from taxocom.workflow.practice_words import practice_line

    number = 0
    tree = project.taxonomy()
    for proposal in open_proposals:
        expansion = proposal.expansion
        path = "/".join(tree.path_of(proposal.node_id)) or tree.root.label
        before, after = expansion.gap_before.documents, expansion.gap_after.documents
        found = counted(len(expansion.novel), "novel cluster")
        click.echo(
            printable(
                f"{path}: {found}; {before:.0%} of the documents fit no known topic, {after:.0%} with this proposal."
            )
        )
        if practice := practice_line(expansion, tree):
            click.echo(printable(f"  {practice}"))
        for item in _waiting(project, [proposal]):
            number += 1
            anchors = ", ".join(display(anchor.term) for anchor in item.cluster.anchors[:N_ANCHORS])
            click.echo(printable(f"{number:3d}. {item.label} ({item.cluster.n_documents:,} documents): {anchors}"))
            if other := _other_names(item):
                click.echo(printable(f"     Or: {', '.join(other)}"))
            if item.parent_id != proposal.node_id:
                where = f"{tree[item.parent_id].label}, where it fits best"
                click.echo(printable(f"     Goes under {where}. To put it elsewhere: --under TOPIC"))
            if item.cluster.since:
                click.echo(printable(f"     {item.cluster.since}."))
            for warning in item.cluster.warnings:
                click.echo(printable(f"     {warning}"))
        left_out = proposal.left_out
        for group in left_out[:N_LEFT_OUT]:
            size = f"{group.n_documents:,} documents"
            click.echo(printable(f"  -  not proposed: {_terms(group)} ({size}): {group.reason}"))
        if len(left_out) > N_LEFT_OUT:
            click.echo(f"  -  and {len(left_out) - N_LEFT_OUT} more (--json lists all)")
    if not number:
        click.echo("There is nothing to judge.")
    return None


def _other_names(item: WaitingCluster) -> list[str]:
    """Return the names that were suggested besides; of those by meaning it is said, for few texts may say them."""
    cluster = item.cluster
    return [
        f"{name} (by meaning)" if name in cluster.names_by_meaning else name
        for name in cluster.name_suggestions[:N_NAMES]
        if name != item.label
    ]


def _plain(project: Project, proposal: OpenProposal) -> dict[str, Any]:
    stored = project.load_proposal(proposal.record.proposal_id)
    return {
        "proposal_id": proposal.record.proposal_id,
        "created_at": proposal.record.created_at,
        "waiting": [cluster.cluster_id for cluster in proposal.waiting],
        **dict(stored.metadata),
    }
