"""What is asked of a labelled project: the whole hierarchy, which topics are taken out of it, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from taxocom.errors import JobError
from taxocom.evaluation.scenarios import CLASS_CAP, Scenario, TopicPath, path_key, removal_scenario, topic_paths
from taxocom.settings import ExpansionSettings
from taxocom.store import Project
from taxocom.store.projects.quality_runs import load_gold
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id

FROM_LABELS, FROM_SEED = "labels", "seed"
"""Where the whole hierarchy comes from; any other value is the name of one that was kept from a file."""
FEWEST_DOCUMENTS = 5
"""A label on fewer documents is a slip of the pen rather than a topic; nothing could be found from them anyway."""


@dataclass(frozen=True)
class EvaluationRequest:
    """The parameters of an evaluation: what is gold, what to take out, all at once or one at a time, how often."""

    gold: str = FROM_LABELS
    remove: tuple[TopicPath, ...] = ()
    one_by_one: bool = False
    n_states: int = 3
    per_class: int = CLASS_CAP
    max_depth: int = 2
    settings: ExpansionSettings = field(default_factory=ExpansionSettings)

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> EvaluationRequest:
        """Read the parameters of a job."""
        return cls(
            gold=str(params.get("gold") or FROM_LABELS),
            remove=tuple(tuple(map(str, path)) for path in params.get("remove") or ()),
            one_by_one=bool(params.get("one_by_one")),
            n_states=max(1, int(params.get("n_states") or 3)),
            per_class=max(1, int(params.get("per_class") or CLASS_CAP)),
            max_depth=max(1, int(params.get("max_depth") or 2)),
            settings=ExpansionSettings.from_dict(params.get("settings") or {}),
        )

    @property
    def n_runs(self) -> int:
        """How many times the whole walk is done."""
        return self.n_states * (len(self.remove) if self.one_by_one else 1)

    def scenarios(self, gold: Taxonomy) -> list[Scenario]:
        """Return what must be found: one scenario, or one for each topic taken out."""
        if not self.remove:
            raise JobError("No topic is to be taken out, so there is nothing to find. Choose at least one.")
        groups = [(path,) for path in self.remove] if self.one_by_one else [self.remove]
        made = [removal_scenario(scenario_name(group), gold, group) for group in groups]
        for scenario in made:
            if not scenario.seed.children.get(ROOT_ID):
                raise JobError(
                    "All first-level topics would be taken out, so nothing is left to start from. "
                    "Leave at least one, or take them out one at a time."
                )
        return made


def scenario_name(paths: Sequence[TopicPath]) -> str:
    """Return what a scenario is called: "without religion, science/space"."""
    return "without " + ", ".join("/".join(path) for path in paths)


def label_counts(labels: Sequence[TopicPath]) -> dict[TopicPath, int]:
    """Count the documents of each label path as it is written, those without a label left out."""
    return dict(Counter(tuple(label) for label in labels if label))


def gold_from_labels(counts: Mapping[TopicPath, int], title: str = "Labels") -> Taxonomy:
    """Make the tree that the labels of documents spell out.

    Labels on fewer than `FEWEST_DOCUMENTS` documents are left out, unless something longer goes through them.
    """
    nodes = {ROOT_ID: TopicNode(ROOT_ID, title)}
    children: dict[str, list[str]] = {}
    for label in sorted(path for path, n in counts.items() if n >= FEWEST_DOCUMENTS):
        parent = ROOT_ID
        for depth in range(1, len(label) + 1):
            node_id = topic_id(*path_key(label[:depth]))
            if node_id not in nodes:
                nodes[node_id] = TopicNode(node_id, label[depth - 1])
                children.setdefault(parent, []).append(node_id)
            parent = node_id
    return Taxonomy(nodes, {parent: tuple(below) for parent, below in children.items()})


def gold_of(project: Project, source: str, counts: Mapping[TopicPath, int] | None = None) -> Taxonomy:
    """Return the whole hierarchy to measure against; topics that the project knows keep the keywords they have there.

    A topic that is taken out takes its keywords with it. `counts` are those of `label_counts`, if they are at hand.
    """
    if source == FROM_SEED:
        return project.seed()
    gold = load_gold(project, source) if source != FROM_LABELS else None
    if gold is None:
        counts = label_counts(list(project.corpus().labels)) if counts is None else counts
        if not counts:
            raise JobError(
                "The documents of this project carry no labels. Read the texts again on Corpus & seed and name the "
                "column that holds them."
            )
        gold = gold_from_labels(counts)
    return _with_keywords(gold, project.seed())


def _with_keywords(gold: Taxonomy, known: Taxonomy) -> Taxonomy:
    by_path = {path_key(known.path_of(node.node_id)): node for node in known.walk()}
    for node in list(gold.walk()):
        same = by_path.get(path_key(gold.path_of(node.node_id)))
        if same is not None and same.keywords and not node.keywords:
            gold = gold.with_changed(replace(node, keywords=same.keywords))
    return gold


def documents_by_topic(counts: Mapping[TopicPath, int], gold: Taxonomy) -> dict[TopicPath, int]:
    """Count for each topic of gold the documents that are labelled with it or below it."""
    wanted = set(topic_paths(gold))
    held = dict.fromkeys(topic_paths(gold), 0)
    for label, n in counts.items():
        key = path_key(label)
        if key in wanted:
            for depth in range(1, len(key) + 1):
                held[key[:depth]] += n
    return held
