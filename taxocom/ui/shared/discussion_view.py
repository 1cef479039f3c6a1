"""What is said about a topic, who is asked to see to it, and what a contributor may add: a suggestion."""

from __future__ import annotations

from functools import partial

import streamlit as st

from taxocom.store import Project
from taxocom.taxonomy.decisions import AssignTopic, CommentOnTopic, SuggestTopic
from taxocom.taxonomy.tree import TopicNode, topic_id
from taxocom.ui.runtime.safe_text import md
from taxocom.ui.shared.deciding import decide
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.offering import refusal
from taxocom.workflow.teamwork import WAITING, Task, assignees, comments_on, task_on


def discussion(project: Project, node: TopicNode) -> None:
    """Show the comments on a topic and let the person say more, suggest a sub-topic, or ask somebody."""
    log = project.log()
    asked = assignees(log).get(node.node_id)
    waiting = task_on(project, node)
    if waiting is not None:
        st.caption(told_of(waiting))
    for comment in comments_on(log, node.node_id):
        st.caption(f"{md(comment.author)}, {comment.at[:16].replace('T', ' ')}")
        st.text(comment.text)

    def send(sent: Submitted) -> None:
        match sent.part:
            case "comment":
                decide(project, [CommentOnTopic(node.node_id, sent.text("text"))])
            case "suggest":
                label = sent.text("label")
                made = topic_id("suggested", node.node_id, label, str(project.sequence))
                decide(project, [SuggestTopic(node.node_id, TopicNode(made, label))], why=sent.text("why"))
            case _:
                decide(project, [AssignTopic(node.node_id, sent.text("person"))])

    team = project.team()
    people = list(team.roles) or project.people()
    nobody = {"": "nobody"}
    no = partial(refusal, project)
    form(
        f"discussion-{project.path.name}-{node.node_id}",
        Part(
            "comment",
            [Field("text", "Comment", kind="text", required=True)],
            [Button("send", "Add the comment")],
            refused=no("comment_on_topic"),
        ),
        Part(
            "suggest",
            [Field("label", "Suggested name", required=True), Field("why", "Reason")],
            [Button("do", "Suggest it")],
            label="Suggest a sub-topic",
            refused=no("suggest_topic"),
        ),
        Part(
            "assign",
            [Field("person", "Who", asked or "", kind="choice", options=nobody | {name: name for name in people})],
            [Button("do", "Ask them")],
            label="Ask somebody",
            refused=no("assign_topic"),
        ),
        on_submit=send,
    )


def told_of(task: Task) -> str:
    """Say in which state a topic is, since when, by whom and why, and who is asked to see to it."""
    since = f"by {md(task.author)}, {task.at[:16].replace('T', ' ')}" if task.at else ""
    asked = f"{md(task.assignee)} is asked to see to it" if task.assignee else ""
    return " · ".join(filter(None, [WAITING.get(task.state, ""), since, md(task.why), asked]))
