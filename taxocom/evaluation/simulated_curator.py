"""A simulated curator: what a person with the workbench reaches by how many gestures.

It knows which topics are missing, as a person does who misses them, and the labels of the documents that it is shown;
nothing else. Every click is a gesture; so are every name that is typed and every answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from taxocom.evaluation.scenarios import Scenario, TopicPath

IN_TREE = 0.5
"""A topic is in the tree if its documents there match those labelled with it at this F1."""

PER_TOPIC = 5
"""Gestures for each missing topic within which it should be in the tree."""

TEN = 10
"""Documents that are judged at a time."""

_READ = 2
"""So many of the documents on a card must be of one topic before the curator believes that the card is about it."""

_MOST = 0.5
"""And this share of them."""

_FINE = 2
"""So many wrong documents among the ten on a card of a named topic do not make the curator judge more."""

_AGREES = 0.7
"""The curator lets documents move if this share of those shown belongs there."""


@dataclass(frozen=True)
class SeenCard:
    """What the workbench shows of something that may become a topic: some of the documents that it would hold.

    `doubtful` are documents that it would nearly hold.
    """

    key: str
    documents: tuple[str, ...]
    doubtful: tuple[str, ...] = ()


@dataclass(frozen=True)
class SeenQuestion:
    """A decision that is asked for, with some of the documents that hang on it.

    If `is_move`, they would go to the topic `about`; else documents of that topic are to be judged, one by one.
    """

    key: str
    about: TopicPath
    is_move: bool
    documents: tuple[str, ...]


class Bench(Protocol):
    """The workbench as the curator uses it."""

    def expand(self, path: TopicPath) -> Sequence[SeenCard]:
        """Look for what is missing under a topic, and show the cards."""

    def accept(self, card: SeenCard, path: TopicPath) -> None:
        """Make a card a topic with this path."""

    def join(self, card: SeenCard, path: TopicPath) -> None:
        """Say that what a card shows belongs to a topic."""

    def reject(self, card: SeenCard) -> None:
        """Say that a card is no topic."""

    def tell(self, paths: Sequence[TopicPath]) -> Mapping[TopicPath, SeenCard]:
        """Tell of missing topics of one place by their names, together."""

    def ask_told(self, path: TopicPath, n: int) -> Sequence[str]:
        """Show the documents whose answers would tell most of a topic that was told of."""

    def answer_told(self, path: TopicPath, yes: Sequence[str], no: Sequence[str]) -> Mapping[TopicPath, SeenCard]:
        """Answer for documents that were shown; the cards of all that were told together are others then."""

    def add(self) -> None:
        """Add the topics that were told of."""

    def ask(self, path: TopicPath, n: int) -> Sequence[str]:
        """Show the documents whose answers would tell most of a topic of the tree."""

    def answer(self, path: TopicPath, yes: Sequence[str], no: Sequence[str]) -> None:
        """Answer for documents that were shown."""

    def learn(self, path: TopicPath) -> bool:
        """Let the documents move that would come or go by the answers; return whether there were any."""

    def questions(self) -> Sequence[SeenQuestion]:
        """Show what is asked of the whole tree, those questions first on which most hangs."""

    def agree(self, question: SeenQuestion) -> None:
        """Let the documents of a question go where they would."""

    def refuse(self, question: SeenQuestion) -> None:
        """Keep the documents of a question where they are."""

    def move(self, document: str, path: TopicPath) -> None:
        """Say where one document belongs."""

    def places(self) -> Mapping[str, TopicPath]:
        """Return where every document is."""


@dataclass(frozen=True)
class CurvePoint:
    """The result after a number of gestures: missing topics now in the tree, documents in the right place."""

    n_gestures: int
    n_topics: int
    n_right: int


@dataclass(frozen=True)
class CuratorRun:
    """One person's way through a scenario, from before the first gesture on; `f1` is how each topic ended."""

    scenario: str
    person: str
    n_missing: int
    n_documents: int
    points: tuple[CurvePoint, ...]
    f1: tuple[tuple[TopicPath, float], ...] = ()

    def at(self, n_gestures: float) -> CurvePoint:
        """Return the result after this many gestures, or at the end if there were fewer."""
        return next(point for point in reversed(self.points) if point.n_gestures <= n_gestures)

    def gestures_to(self, n_right: int) -> int | None:
        """Return after how many gestures this many documents were in the right place; None if they never were."""
        return next((point.n_gestures for point in self.points if point.n_right >= n_right), None)


class Measure:
    """Counts gestures up to a budget, and looks what stands after each click."""

    def __init__(self, bench: Bench, scenario: Scenario, labels: Mapping[str, TopicPath], budget: int) -> None:
        self._bench = bench
        self._labels = labels
        self._missing = scenario.removed
        self._gold = {path: {each for each, at in labels.items() if at[: len(path)] == path} for path in self._missing}
        self._budget = budget
        self.points: list[CurvePoint] = []
        self.spend(0)

    def spend(self, n: int = 1) -> None:
        """Count gestures just made, and look what stands."""
        places = self._bench.places()
        n_gestures = self.points[-1].n_gestures + n if self.points else 0
        n_topics = sum(f1 >= IN_TREE for f1 in self._f1(places).values())
        n_right = sum(places.get(each) == label for each, label in self._labels.items())
        self.points.append(CurvePoint(n_gestures, n_topics, n_right))

    @property
    def left(self) -> int:
        """How many gestures are left."""
        return self._budget - self.points[-1].n_gestures

    def run(self, scenario: str, person: str) -> CuratorRun:
        """Return the curve so far."""
        ended = tuple(self._f1(self._bench.places()).items())
        return CuratorRun(scenario, person, len(self._missing), len(self._labels), tuple(self.points), ended)

    def _f1(self, places: Mapping[str, TopicPath]) -> dict[TopicPath, float]:
        held: dict[TopicPath, set[str]] = {path: set() for path in self._missing}
        for document, place in places.items():
            for depth in range(1, len(place) + 1):
                if place[:depth] in held:
                    held[place[:depth]].add(document)
        return {
            path: 2 * len(gold & held[path]) / max(len(gold) + len(held[path]), 1) for path, gold in self._gold.items()
        }


@dataclass
class Curator:
    """A person who names what is missing, judges ten documents where a card looks wrong, and answers questions.

    With `proposals` it first looks at what is proposed, and names only what is still missing then.
    """

    bench: Bench
    labels: Mapping[str, TopicPath]
    scenario: Scenario
    measure: Measure
    proposals: bool = False
    added: list[TopicPath] = field(default_factory=list)

    def work(self) -> None:
        """Spend the gestures."""
        groups: dict[TopicPath, list[TopicPath]] = {}
        for path in self.scenario.removed:
            groups.setdefault(path[:-1], []).append(path)
        for parent, group in groups.items():
            if self.proposals and parent not in self.scenario.removed:
                self._judge(parent)
            if missing := [path for path in group if path not in self.added]:
                self._name(missing)
        self._settle()
        put_right(self.bench, self.labels, self.measure)

    def _judge(self, parent: TopicPath) -> None:
        """Expand a topic and judge what is proposed, as far as the documents shown tell what it is."""
        cards = self.bench.expand(parent)
        self.measure.spend()
        for card in cards:
            path = self._about(card)
            if path is None:
                self.bench.reject(card)
            elif path in self.added:
                self.bench.join(card, path)
            elif path[:-1] in self.scenario.removed and path[:-1] not in self.added:
                # The topic above it is missing too; it is named later.
                continue
            else:
                # The name is typed, and the card accepted.
                self.measure.spend()
                self.bench.accept(card, path)
                self.added.append(path)
            self.measure.spend()

    def _about(self, card: SeenCard) -> TopicPath | None:
        """Return the missing topic that a card is about, the broadest if one lies in another; None if it is not."""
        counts = Counter(path for each in card.documents for path in self.scenario.removed if self._is_of(each, path))
        enough = [path for path, n in counts.items() if n >= _READ and n >= _MOST * len(card.documents)]
        return min(enough, key=len, default=None)

    def _name(self, paths: Sequence[TopicPath]) -> None:
        """Name the topics that are missing in one place, judge ten documents where a card looks wrong, and add them."""
        cards = dict(self.bench.tell(paths))
        self.measure.spend(len(paths))
        # What the topics elsewhere need must be left.
        spare = (PER_TOPIC - 1) * len(paths) - 1
        while spare >= TEN:
            worst = max(paths, key=lambda path: self._wrong(path, cards[path]))
            asked = self.bench.ask_told(worst, TEN) if self._wrong(worst, cards[worst]) > _FINE else ()
            if not asked:
                break
            cards = dict(self.bench.answer_told(worst, *self._judged(asked, worst)))
            self.measure.spend(len(asked))
            spare -= len(asked)
        self.bench.add()
        self.added += paths
        self.measure.spend()

    def _wrong(self, path: TopicPath, card: SeenCard) -> int:
        """Count the documents on a card that should not be, and those that it would nearly hold and should."""
        return sum(not self._is_of(each, path) for each in card.documents) + sum(
            self._is_of(each, path) for each in card.doubtful
        )

    def _settle(self) -> None:
        """Answer questions, the one with most documents first, for as long as there are gestures."""
        seen: set[str] = set()
        while self.measure.left > 0:
            asked = [each for each in self.bench.questions() if each.key not in seen]
            question = next((each for each in asked if each.is_move or self.measure.left > TEN), None)
            if question is None:
                return
            seen.add(question.key)
            if question.is_move:
                right = sum(self._is_of(each, question.about) for each in question.documents)
                agrees = right >= _AGREES * len(question.documents)
                (self.bench.agree if agrees else self.bench.refuse)(question)
                self.measure.spend()
            else:
                self._teach(question.about)

    def _teach(self, path: TopicPath) -> None:
        asked = self.bench.ask(path, TEN)
        self.bench.answer(path, *self._judged(asked, path))
        self.measure.spend(len(asked))
        if self.bench.learn(path):
            self.measure.spend()

    def _judged(self, documents: Sequence[str], path: TopicPath) -> tuple[list[str], list[str]]:
        yes = [each for each in documents if self._is_of(each, path)]
        return yes, [each for each in documents if each not in yes]

    def _is_of(self, document: str, path: TopicPath) -> bool:
        return self.labels[document][: len(path)] == path


@dataclass
class ByHand:
    """A person who adds names one after the other, without proposals, and then puts single documents right."""

    bench: Bench
    labels: Mapping[str, TopicPath]
    scenario: Scenario
    measure: Measure

    def work(self) -> None:
        """Spend the gestures."""
        for path in self.scenario.removed:
            self.bench.tell([path])
            self.measure.spend()
            self.bench.add()
            self.measure.spend()
        put_right(self.bench, self.labels, self.measure)


def put_right(bench: Bench, labels: Mapping[str, TopicPath], measure: Measure) -> None:
    """Put one wrong document after another where it belongs, for as long as there are gestures.

    To find the next one costs nothing, which flatters who works by hand.
    """
    places = bench.places()
    wrong = [each for each, label in labels.items() if places.get(each) != label]
    for document in wrong[: max(measure.left, 0)]:
        bench.move(document, labels[document])
        measure.spend()


def name_and_answers(
    bench: Bench, labels: Mapping[str, TopicPath], scenario: Scenario, measure: Measure, n_answers: int
) -> None:
    """Name the one topic that is missing, answer as often as allowed, ten at a time, and add it."""
    (path,) = scenario.removed
    bench.tell([path])
    measure.spend()
    for _ in range(n_answers // TEN):
        asked = bench.ask_told(path, TEN)
        yes = [each for each in asked if labels[each][: len(path)] == path]
        bench.answer_told(path, yes, [each for each in asked if each not in yes])
        measure.spend(len(asked))
    bench.add()
    measure.spend()
