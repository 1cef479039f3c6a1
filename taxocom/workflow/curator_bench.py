"""The workbench as a simulated curator uses it: what pages show, and the same functions that pages call."""

from __future__ import annotations

from collections.abc import Sequence

from taxocom.evaluation.scenarios import TopicPath, path_key
from taxocom.evaluation.simulated_curator import SeenCard, SeenQuestion
from taxocom.expansion.proposals import accepting
from taxocom.jobs.expand_task import expand
from taxocom.progress import SILENT, Progress
from taxocom.store import Project
from taxocom.store.projects.document_places import document_places
from taxocom.taxonomy.decisions import Decision, MoveDocument
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.workflow.missing_topic import MissedTopic, ask_about, missing_topic
from taxocom.workflow.open_proposals import WaitingCluster, open_proposals, waiting_clusters
from taxocom.workflow.questions import Question, questions, settled
from taxocom.workflow.teaching import answers, ask_about_topic, topic_lesson
from taxocom.workflow.told_together import decisions_of, taught_together, told_together

_PERSON = "curator"
_SHOWN = 3


class ProjectBench:
    """A project as the curator works on it; its topics are named by their paths."""

    def __init__(self, project: Project, *, random_state: int = 0, progress: Progress = SILENT) -> None:
        self._project = project
        self._random_state = random_state
        self._progress = progress
        self._waiting: dict[str, WaitingCluster] = {}
        self._asked: dict[str, Question] = {}
        self._wishes: dict[TopicPath, MissedTopic] = {}

    def expand(self, path: TopicPath) -> list[SeenCard]:
        """Expand a topic in this process, and show what waits to be judged."""
        parameters = {"node_id": self._node_id(path), "random_state": self._random_state}
        expand(self._project, parameters, self._progress)
        tree = self._project.taxonomy()
        waiting = waiting_clusters(open_proposals(self._project).by_node, tree, self._project.curation())
        self._waiting = {f"{each.proposal_id}/{each.cluster.cluster_id}": each for each in waiting}
        return [
            SeenCard(key, tuple(dict.fromkeys(passage.document_id for passage in each.cluster.passages)))
            for key, each in self._waiting.items()
        ]

    def accept(self, card: SeenCard, path: TopicPath) -> None:
        """Accept a card under a name and at a place."""
        self._record(self._waiting[card.key].accepted(label=path[-1], parent_id=self._node_id(path[:-1])))

    def join(self, card: SeenCard, path: TopicPath) -> None:
        """Let the documents of a card go into a topic."""
        self._record(accepting.join(self._waiting[card.key].cluster, self._node_id(path)))

    def reject(self, card: SeenCard) -> None:
        """Reject a card."""
        waiting = self._waiting[card.key]
        self._record(accepting.reject(waiting.cluster, waiting.node_id))

    def tell(self, paths: Sequence[TopicPath]) -> dict[TopicPath, SeenCard]:
        """Look at missing topics of one place, told together."""
        wishes = told_together([path[-1] for path in paths], self._node_id(paths[0][:-1]))
        self._wishes = dict(zip(paths, wishes, strict=True))
        return {path: self._card(path) for path in paths}

    def ask_told(self, path: TopicPath, n: int) -> list[str]:
        """Show documents to judge for a topic that was told of."""
        return [each.document_id for each in ask_about(self._project, self._wishes[path], n)]

    def answer_told(self, path: TopicPath, yes: Sequence[str], no: Sequence[str]) -> dict[TopicPath, SeenCard]:
        """Take answers in, and show the cards again."""
        taught = taught_together(list(self._wishes.values()), self._wishes[path].label, yes, no)
        self._wishes = dict(zip(self._wishes, taught, strict=True))
        return {each: self._card(each) for each in self._wishes}

    def add(self) -> None:
        """Add the topics that were told of, with their documents."""
        self._record(*decisions_of([missing_topic(self._project, wish) for wish in self._wishes.values()]))

    def _card(self, path: TopicPath) -> SeenCard:
        card = missing_topic(self._project, self._wishes[path])
        typical, doubtful = (tuple(each.document_id for each in shown) for shown in (card.typical, card.doubtful))
        return SeenCard("told", typical, doubtful)

    def ask(self, path: TopicPath, n: int) -> list[str]:
        """Show documents to judge for a topic of the tree."""
        return [each.document_id for each in ask_about_topic(self._project, self._node_id(path), n)]

    def answer(self, path: TopicPath, yes: Sequence[str], no: Sequence[str]) -> None:
        """Record answers."""
        self._record(answers(self._project, self._node_id(path), yes, no))

    def learn(self, path: TopicPath) -> bool:
        """Let the documents move that the answers speak for."""
        decisions = topic_lesson(self._project, self._node_id(path)).decisions()
        self._record(*decisions)
        return bool(decisions)

    def questions(self) -> list[SeenQuestion]:
        """Show the questions that can be answered from a few documents."""
        tree = self._project.taxonomy()
        found = [each for each in questions(self._project) if each.kind in ("move", "rivals")]
        self._asked = {each.key: each for each in found}
        return [
            SeenQuestion(each.key, path_key(tree.path_of(each.node_id)), each.kind == "move", each.documents)
            for each in found
        ]

    def agree(self, question: SeenQuestion) -> None:
        """Let the documents of a question move."""
        self._record(settled(self._project, self._asked[question.key], True))

    def refuse(self, question: SeenQuestion) -> None:
        """Keep the documents of a question."""
        self._record(settled(self._project, self._asked[question.key], False))

    def move(self, document: str, path: TopicPath) -> None:
        """Move one document."""
        self._record(MoveDocument(document, self._node_id(path)))

    def places(self) -> dict[str, TopicPath]:
        """Return the path of the topic that each document is in."""
        places = document_places(self._project)
        paths = [path_key(places.tree.path_of(node_id)) for node_id in places.node_ids]
        ids = self._project.corpus().document_ids
        return {each: paths[number] for each, number in zip(ids, places.numbers.tolist(), strict=True)}

    def _node_id(self, path: TopicPath) -> str:
        node_id = ROOT_ID
        tree = self._project.taxonomy()
        for label in path:
            below = {path_key([node.label])[0]: node.node_id for node in tree.children_of(node_id)}
            node_id = below[label]
        return node_id

    def _record(self, *decisions: Decision) -> None:
        self._project.record_all(decisions, author=_PERSON)
