"""What a team does beside changing the tree: comments, tasks, and what waits for whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from taxocom.store import Project
from taxocom.taxonomy.approval import writers_of, written
from taxocom.taxonomy.decisions import AssignTopic, CommentOnTopic, LoggedDecision, SetStatus
from taxocom.taxonomy.tree import Status, Taxonomy, TopicNode

WAITING: dict[Status, str] = {
    "suggested": "Suggested, waits for a curator",
    "draft": "A draft, waits for a second person",
}
"""The states of topics that somebody has to judge, in words."""
OWN_WORK = "You wrote or changed this topic. Approval needs a second person here, so somebody else has to approve it."
"""Why a person may not approve a topic though their role would let them."""
_TOPIC_FIELDS = ("node_id", "parent_id", "into_id", "to", "other_id", "replaced_by")


@dataclass(frozen=True)
class Comment:
    """What somebody said about a topic."""

    author: str
    at: str
    text: str


@dataclass(frozen=True)
class Task:
    """A topic that waits for somebody: in which state, since when, by whom, and who is asked to see to it."""

    node_id: str
    label: str
    state: Status
    author: str
    at: str
    assignee: str
    why: str = ""


def comments_on(log: Sequence[LoggedDecision], node_id: str) -> list[Comment]:
    """Return everything that was said about a topic, oldest first."""
    return [
        Comment(entry.author, entry.at, entry.decision.text)
        for entry in log
        if isinstance(entry.decision, CommentOnTopic) and entry.decision.node_id == node_id
    ]


def assignees(log: Sequence[LoggedDecision]) -> dict[str, str]:
    """Return who was asked to see to which topic, by the topic's id."""
    asked: dict[str, str] = {}
    for entry in log:
        if isinstance(entry.decision, AssignTopic):
            asked[entry.decision.node_id] = entry.decision.person
    return {node_id: person for node_id, person in asked.items() if person}


def tasks(project: Project) -> list[Task]:
    """Return the topics that wait for a verdict or that somebody was asked to see to, in the order of the tree."""
    tree, asked = project.taxonomy(), assignees(project.log())
    waiting = [node for node in tree.walk() if node.status in WAITING or node.node_id in asked]
    last = _last_said(project.standing().in_force) if waiting else {}
    return [_task(node, last.get(node.node_id), asked) for node in waiting]


def task_on(project: Project, node: TopicNode) -> Task | None:
    """Return what a topic waits for, None if for nothing."""
    asked = assignees(project.log())
    if node.status not in WAITING and node.node_id not in asked:
        return None
    return _task(node, _last_said(project.standing().in_force).get(node.node_id), asked)


def _task(node: TopicNode, entry: LoggedDecision | None, asked: Mapping[str, str]) -> Task:
    author, at, why = (entry.author, entry.at, entry.why) if entry else ("", "", "")
    return Task(node.node_id, node.label, node.status, author, at, asked.get(node.node_id, ""), why)


def tasks_of(project: Project, person: str) -> list[Task]:
    """Return what waits for a person: what they were asked to see to, and what they may judge and nobody else is to."""
    if not project.team().may(person, "set_status"):
        return [task for task in tasks(project) if task.assignee == person]
    own = written_by(project, person)
    return [
        task for task in tasks(project) if task.assignee == person or (not task.assignee and task.node_id not in own)
    ]


def written_by(project: Project, person: str) -> frozenset[str]:
    """Return the topics that a person cannot approve, though their role may let them: they wrote or changed them.

    Empty where approval needs no second person.
    """
    if not project.team().second_person:
        return frozenset()
    writers = writers_of((entry.decision, entry.author) for entry in project.standing().in_force)
    return frozenset(node_id for node_id, people in writers.items() if person in people)


def path_of(tree: Taxonomy, node_id: str) -> str:
    """Return where a topic stands, as people read it; its id if it is gone."""
    return " › ".join(tree.path_of(node_id)) if node_id in tree else node_id


def _last_said(log: Sequence[LoggedDecision]) -> dict[str, LoggedDecision]:
    """Return the decision that each topic has its state from: what was only said about it is none."""
    last: dict[str, LoggedDecision] = {}
    for entry in log:
        decision = entry.decision
        for node_id in {decision.node_id} if isinstance(decision, SetStatus) else written(decision):
            last[node_id] = entry
    return last


def topics_of(entry: LoggedDecision) -> set[str]:
    """Return the topics that an entry of the log names."""
    decision = entry.decision
    named = {
        getattr(decision, name, "") for name in ("node_id", "parent_id", "into_id", "to", "other_id", "replaced_by")
    }
    named |= {*getattr(decision, "merged_ids", ())}
    named |= {part.node_id for part in getattr(decision, "parts", ())}
    if (node := getattr(decision, "node", None)) is not None:
        named |= {node.node_id}
    return named - {""}
