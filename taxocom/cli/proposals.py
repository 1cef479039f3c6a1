"""Proposals: expand a topic of a project, look at what was found, accept or reject it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from taxocom.cli.console import counted, json_option, print_json, printable, quiet_option, watched
from taxocom.cli.curation import decision_options, project_argument, record
from taxocom.cli.jobs import follow
from taxocom.cli.naming import author_option, find_topic
from taxocom.cli.settings import settings_options
from taxocom.errors import InputError

if TYPE_CHECKING:
    from taxocom.expansion.proposal import LeftOutGroup, NodeExpansion, TopicCluster
    from taxocom.settings import ExpansionSettings
    from taxocom.store import Project, ProposalRecord

N_ANCHORS = 8
N_LEFT_OUT = 3

node_option = click.option("--node", metavar="TOPIC", help="The topic expanded, if several proposals are open.")
clusters_argument = click.argument("clusters", metavar="CLUSTER...", nargs=-1)
all_option = click.option("--all", "take_all", is_flag=True, help="Every cluster that waits.")


@click.command()
@project_argument
@click.argument("node", metavar="TOPIC", default="/")
@click.option("--random-state", default=0, show_default=True, type=int, help="Another one gives another run.")
@settings_options
@author_option
@json_option
@quiet_option
def expand(
    name: str, node: str, random_state: int, settings: ExpansionSettings, author: str, as_json: bool, quiet: bool
) -> None:
    """Look for sub-topics that are missing under a topic (the root by default) and keep them as a proposal.

    It runs as a job, which the app shows too; Ctrl-C cancels it. Nothing enters the tree before `accept`.
    """
    from dataclasses import asdict

    from taxocom.jobs import submit
    from taxocom.store import open_project

    with open_project(name) as project:
        topic = find_topic(project.taxonomy(), node)
        parameters = {"node_id": topic.node_id, "settings": asdict(settings), "random_state": random_state}
        with watched(quiet=quiet) as progress:
            follow(project, submit(project, "expand", parameters, author=author), progress)
        _show(project, [_open_proposals(project, topic.node_id)[0]], as_json)


@click.command()
@project_argument
@click.argument("node", metavar="[TOPIC]", default="")
@json_option
def proposals(name: str, node: str, as_json: bool) -> None:
    """Show what was proposed and not yet judged, for the whole tree or for one topic."""
    from taxocom.store import open_project

    with open_project(name) as project:
        node_id = find_topic(project.taxonomy(), node).node_id if node else None
        _show(project, _open_proposals(project, node_id), as_json)


@click.command()
@project_argument
@clusters_argument
@all_option
@node_option
@click.option("--as", "label", default="", metavar="NAME", help="Another name than the one proposed.")
@click.option("--under", metavar="TOPIC", help="Another parent than the topic that was expanded.")
@decision_options
def accept(
    name: str,
    clusters: tuple[str, ...],
    take_all: bool,
    node: str | None,
    label: str,
    under: str | None,
    author: str,
    why: str,
    as_json: bool,
) -> None:
    """Make proposed clusters topics of the tree.

    CLUSTER is its name, its center term, its id, or its number in `taxocom proposals`.
    """
    from taxocom.expansion.accepting import accept as accepted
    from taxocom.expansion.accepting import fitting_parent
    from taxocom.store import open_project

    with open_project(name) as project:
        tree = project.taxonomy()
        chosen = _chosen(project, clusters, take_all, node)
        if label and len(chosen) > 1:
            raise click.UsageError("--as names one cluster; give one.")
        parent_id = find_topic(tree, under).node_id if under else ""
        decisions = [
            accepted(
                w.cluster,
                w.proposal.node_id,
                label=label or w.label,
                parent_id=parent_id or fitting_parent(w.cluster, w.proposal.node_id, tree),
            )
            for w in chosen
        ]
        record(project, decisions, author, why, as_json)


@click.command()
@project_argument
@clusters_argument
@all_option
@node_option
@decision_options
def reject(
    name: str, clusters: tuple[str, ...], take_all: bool, node: str | None, author: str, why: str, as_json: bool
) -> None:
    """Say that proposed clusters are no topics; a later run does not propose them again."""
    from taxocom.expansion.accepting import reject as rejected
    from taxocom.store import open_project

    with open_project(name) as project:
        chosen = _chosen(project, clusters, take_all, node)
        record(project, [rejected(w.cluster, w.proposal.node_id, why) for w in chosen], author, why, as_json)


@click.command("name")
@project_argument
@click.argument("cluster", metavar="CLUSTER")
@click.argument("label", metavar="NEW_NAME")
@node_option
@decision_options
def name_(name: str, cluster: str, label: str, node: str | None, author: str, why: str, as_json: bool) -> None:
    """Give a proposed cluster a name before it is judged; later runs keep it."""
    from taxocom.expansion.accepting import name as named
    from taxocom.store import open_project

    with open_project(name) as project:
        (found,) = _chosen(project, (cluster,), False, node)
        record(project, [named(found.cluster, found.proposal.node_id, label)], author, why, as_json)


@click.command()
@project_argument
@click.argument("groups", metavar="GROUP...", nargs=-1, required=True)
@node_option
@json_option
def include(name: str, groups: tuple[str, ...], node: str | None, as_json: bool) -> None:
    """Propose groups that were looked at and not proposed.

    GROUP is one of its terms, as `taxocom proposals` lists them, or its id. What is proposed already stays; what was
    merged or split in the app is split anew.
    """
    from taxocom.expansion.overrides import Overrides
    from taxocom.jobs.expansion import keep_resplit
    from taxocom.store import open_project

    with open_project(name) as project:
        node_id = find_topic(project.taxonomy(), node).node_id if node else None
        left_out = [(p, group) for p in _open_proposals(project, node_id) for group in p.left_out()]
        wanted: dict[int, list[str]] = {}
        for group in groups:
            proposal, found = _left_out_group(left_out, group)
            shown = [cluster.cluster_id for cluster in proposal.expansion.novel]
            wanted.setdefault(proposal.record.proposal_id, shown).append(found.cluster_id)
        kept = [
            keep_resplit(project, number, Overrides(n_novel=0, included=tuple(ids))) for number, ids in wanted.items()
        ]
        _show(project, [p for p in _open_proposals(project) if p.record.proposal_id in kept], as_json)


def _left_out_group(
    left_out: Sequence[tuple[_OpenProposal, LeftOutGroup]], wanted: str
) -> tuple[_OpenProposal, LeftOutGroup]:
    found = [(p, g) for p, g in left_out if wanted == g.cluster_id or _key(wanted) in map(_key, g.terms)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{len(found)} groups have the term {wanted!r}. Give another of their terms, or --node TOPIC.")
    listed = "; ".join(_terms(group) for _, group in left_out[:5]) or "none"
    raise InputError(f"No group with the term {wanted!r} was left out. There are: {listed}.")


def _terms(group: LeftOutGroup) -> str:
    return ", ".join(term.replace("_", " ") for term in group.terms)


@dataclass(frozen=True)
class _Waiting:
    proposal: _OpenProposal
    cluster: TopicCluster
    label: str


@dataclass(frozen=True)
class _OpenProposal:
    record: ProposalRecord
    expansion: NodeExpansion
    settled: frozenset[str]
    names: dict[str, str]

    @property
    def node_id(self) -> str:
        return self.record.node_id

    def waiting(self) -> list[_Waiting]:
        return [
            _Waiting(self, cluster, self.names.get(cluster.center_term, cluster.label))
            for cluster in self.expansion.novel
            if cluster.cluster_id not in self.settled
        ]

    def left_out(self) -> list[LeftOutGroup]:
        return [group for group in self.expansion.left_out if group.cluster_id not in self.settled]


def _open_proposals(project: Project, node_id: str | None = None) -> list[_OpenProposal]:
    from taxocom.expansion.proposal import NodeExpansion
    from taxocom.taxonomy.curation import derive_curation
    from taxocom.taxonomy.decisions import judged_clusters

    log = project.log()
    tree = project.taxonomy()
    names = derive_curation(project.seed(), log).names
    settled = judged_clusters(log)
    found = []
    for record_ in project.proposals(node_id, "open"):
        if record_.node_id not in tree:
            continue
        stored = project.load_proposal(record_.proposal_id)
        given = {named.center_term: named.label for named in names.get(record_.node_id, ())}
        found.append(_OpenProposal(record_, NodeExpansion.from_parts(stored.metadata, stored.arrays), settled, given))
    order = {node.node_id: place for place, node in enumerate(tree.subtree_of(tree.root.node_id))}
    return sorted(found, key=lambda proposal: order[proposal.node_id])


def _chosen(project: Project, wanted: Sequence[str], take_all: bool, node: str | None) -> list[_Waiting]:
    node_id = find_topic(project.taxonomy(), node).node_id if node else None
    waiting = [item for proposal in _open_proposals(project, node_id) for item in proposal.waiting()]
    if take_all:
        if not waiting:
            raise InputError("Nothing waits to be judged. Look for more: taxocom expand PROJECT TOPIC")
        return waiting
    if not wanted:
        raise click.UsageError("Say which clusters, or --all.")
    return [_named(waiting, name) for name in wanted]


def _named(waiting: Sequence[_Waiting], wanted: str) -> _Waiting:
    if wanted.isdigit() and 1 <= int(wanted) <= len(waiting):
        return waiting[int(wanted) - 1]
    key = _key(wanted)
    found = [w for w in waiting if key in map(_key, (w.label, w.cluster.label, w.cluster.center_term))]
    found = found or [w for w in waiting if w.cluster.cluster_id == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{len(found)} waiting clusters are called {wanted!r}. Say which proposal: --node TOPIC.")
    listed = ", ".join(repr(w.label) for w in waiting) or "none"
    raise InputError(f"No cluster {wanted!r} waits to be judged. Waiting: {listed}.")


def _key(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())


def _show(project: Project, open_proposals: Sequence[_OpenProposal], as_json: bool) -> None:
    if as_json:
        return print_json([_plain(project, proposal) for proposal in open_proposals])
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
        for item in proposal.waiting():
            number += 1
            anchors = ", ".join(anchor.term.replace("_", " ") for anchor in item.cluster.anchors[:N_ANCHORS])
            click.echo(printable(f"{number:3d}. {item.label} ({item.cluster.n_documents:,} documents): {anchors}"))
            for warning in item.cluster.warnings:
                click.echo(printable(f"     {warning}"))
        left_out = proposal.left_out()
        for group in left_out[:N_LEFT_OUT]:
            size = f"{group.n_documents:,} documents"
            click.echo(printable(f"  -  not proposed: {_terms(group)} ({size}): {group.reason}"))
        if len(left_out) > N_LEFT_OUT:
            click.echo(f"  -  and {len(left_out) - N_LEFT_OUT} more (--json lists all)")
    if not number:
        click.echo("Nothing waits to be judged.")
    return None


def _plain(project: Project, proposal: _OpenProposal) -> dict[str, Any]:
    stored = project.load_proposal(proposal.record.proposal_id)
    return {
        "proposal_id": proposal.record.proposal_id,
        "created_at": proposal.record.created_at,
        "waiting": [item.cluster.cluster_id for item in proposal.waiting()],
        **dict(stored.metadata),
    }
