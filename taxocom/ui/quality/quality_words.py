"""From a number to a word, and what to do about it: the same thresholds wherever a number is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from taxocom.jobs.stability_comparison import SAME_TOPIC, TopicStability
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.ui.quality.quality_tree import TreeQuality
from taxocom.ui.runtime.safe_text import count, md, percent, shown

Verdict = Literal["good", "fair", "poor"]


@dataclass(frozen=True)
class Scale:
    """What a measure is called, what it says, and from which values on it is good or fair."""

    name: str
    says: str
    good: float
    fair: float

    def verdict(self, value: float | None) -> Verdict | None:
        """Return the word for a value, None for none."""
        if value is None:
            return None
        return "good" if value >= self.good else "fair" if value >= self.fair else "poor"

    @property
    def help(self) -> str:
        """What it says, with where good and fair begin."""
        return f"{self.says} Good from {self.good:.2g}, poor below {self.fair:.2g}."


COHERENCY = Scale(
    "Coherency",
    "Do the first ten terms of a topic occur in the same documents? 1: always together, 0: no more than by chance "
    "(NPMI, the mean over topics).",
    good=0.2,
    fair=0.1,
)
INTRUSION = Scale(
    "Odd one out",
    "A term of another topic is hidden among the first five of a topic: how often does it stand out by the documents "
    "it occurs in? Blind guessing gives 0.17.",
    good=0.8,
    fair=0.6,
)
DIVERSITY = Scale(
    "Different terms",
    "The share of different terms among the first ten of all topics of one depth. At 1, no two of them share a term.",
    good=0.9,
    fair=0.75,
)
STABILITY = Scale(
    "Stability",
    "How much of a topic comes back when the expansion is run again with another random state: the documents that two "
    "runs share, of all that either put there.",
    good=0.6,
    fair=SAME_TOPIC,
)

WIDE_GAP = 0.25


@dataclass(frozen=True)
class Advice:
    """What is not as it should be, in Markdown that is safe to show, and the topic to expand about it."""

    text: str
    node_id: str
    button: str


def tree_advice(quality: TreeQuality, tree: Taxonomy, limit: int = 6) -> list[Advice]:
    """Return what to look at first: wide gaps, empty topics, terms that do not belong together, topics alike."""
    return list(islice(_advice_on(quality, tree), limit))


def _advice_on(quality: TreeQuality, tree: Taxonomy) -> Iterator[Advice]:
    for gap in quality.gaps:
        if gap.after >= WIDE_GAP:
            text = (
                f"**{md(gap.label)}**: {percent(gap.after)} of its {count(gap.n_documents, 'document')} fit no "
                "topic well. Something may still be missing there."
            )
            yield _advice(text, gap.node_id, tree)
    for topic in quality.topics:
        parent = tree.parent_of(topic.node_id) or ROOT_ID
        if not topic.is_placed:
            continue
        name = f"**{md(topic.label)}**"
        if topic.n_documents == 0:
            text = f"{name} holds no document. Give it keywords that its documents use, or take it out."
        elif topic.is_broad:
            # The terms of a broad topic are those of its sub-topics, which need not meet in one document.
            continue
        elif COHERENCY.verdict(topic.coherency) == "poor":
            terms = _terms(topic.top_terms)
            text = f"{name}: its terms seldom occur together ({terms}). It may be two topics, or not a topic."
        elif INTRUSION.verdict(topic.intrusion) == "poor":
            text = f"{name} is hard to tell from its neighbours by its terms ({_terms(topic.top_terms)})."
        else:
            continue
        yield _advice(text, parent, tree)
    for pair in quality.alike:
        text = f"**{md(pair.first)}** and **{md(pair.second)}** share {_terms(pair.terms)}. They may be one topic."
        yield _advice(text, pair.parent_id, tree)


def stability_advice(topics: Sequence[TopicStability], n_runs: int, limit: int = 5) -> list[str]:
    """Say in Markdown what the least stable topics mean for the curator, new ones first."""
    shaky = [topic for topic in topics if STABILITY.verdict(topic.documents) == "poor"]
    return [_on_shaky(topic, n_runs) for topic in sorted(shaky, key=lambda topic: topic.known)][:limit]


def _on_shaky(topic: TopicStability, n_runs: int) -> str:
    name = f"**{md(topic.label)}**"
    if topic.n_found == 0:
        return f"{name} was accepted, but no run found it again. Look at its documents before you rely on it."
    if topic.known:
        return f"{name} keeps few of its documents from run to run. Give it keywords that only its documents use."
    keep = "keep" if topic.topic_id else "accept"
    if topic.n_found < n_runs:
        return f"{name} was found in {topic.n_found} of {n_runs} runs. Look at its documents before you {keep} it."
    return (
        f"{name} is found each time, but with different documents. Compare it with its neighbours before you {keep} it."
    )


def _advice(text: str, node_id: str, tree: Taxonomy) -> Advice:
    return Advice(text, node_id, f"Expand {md(tree[node_id].label)}")


def _terms(terms: Sequence[str]) -> str:
    return ", ".join(shown(term) for term in terms[:5])
