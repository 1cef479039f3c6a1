"""The curves of simulated people as tables: the result after each number of gestures for each missing topic."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from taxocom.evaluation.result_tables import Table
from taxocom.evaluation.simulated_curator import IN_TREE, PER_TOPIC, CuratorRun

_AT = (0, 1, 2, 3, 5, 10)
_FASTER = 2


def curve_table(runs: Sequence[CuratorRun]) -> Table:
    """Return the curve of each person over all its scenarios: topics in the tree, documents at the right place."""
    rows = []
    for person in dict.fromkeys(run.person for run in runs):
        own = [run for run in runs if run.person == person]
        rows.append((person, "topics", *(_topics(own, at) for at in _AT)))
        rows.append((person, "documents", *(_right(own, at) for at in _AT)))
    caption = (
        f"Of 100 missing topics, how many are in the tree (F1 of {IN_TREE} or more); of 100 documents, how many are at "
        "the right place; after so many gestures for each missing topic."
    )
    return Table("By gestures", caption, ("Person", "Of 100", *(f"{at} gestures" for at in _AT)), tuple(rows))


def scenario_table(runs: Sequence[CuratorRun]) -> Table:
    """Return a row for each scenario: topics within the bar, and how soon what the hand reaches was reached."""
    rows = []
    for name in dict.fromkeys(run.scenario for run in runs):
        own = {run.person: run for run in runs if run.scenario == name}
        hand = own.get("by hand")
        for person, run in own.items():
            bar = run.at(PER_TOPIC * run.n_missing)
            in_tree = f"{bar.n_topics} of {run.n_missing}"
            rows.append((name, person, in_tree, bar.n_right, run.n_documents, _sooner(run, hand)))
    columns = ("Scenario", "Person", "In the tree", "Documents right", "of", "Gestures to what the hand reaches")
    caption = (
        f"After {PER_TOPIC} gestures for each missing topic. The last column: gestures until as many documents are "
        "right as are by hand after those gestures, and by hand."
    )
    return Table("Scenario by scenario", caption, columns, tuple(rows))


def cut_table(runs: Sequence[CuratorRun], cut_to: int) -> Table:
    """Return how well topics with few documents are held once they are named and answers were given."""
    ended = [("/".join(path), run.person, f1) for run in runs for path, f1 in run.f1]
    rows = [(run.scenario.partition(":")[0], *row[:2], f"{row[2]:.2f}") for run, row in zip(runs, ended, strict=True)]
    n_held = sum(f1 >= IN_TREE for *_, f1 in ended)
    caption = (
        f"One topic at a time is missing and has only {cut_to} documents. F1 of {IN_TREE} or more: "
        f"{n_held} of {len(ended)}."
    )
    return Table(f"Topics cut to {cut_to} documents", caption, ("Corpus", "Topic", "Told", "F1"), tuple(rows))


def speed_line(runs: Sequence[CuratorRun], person: str) -> str:
    """Say how much sooner a person reaches what the hand reaches within the bar: the median over the scenarios."""
    hands = {run.scenario: run for run in runs if run.person == "by hand"}
    found = [_ratio(run, hands[run.scenario]) for run in runs if run.person == person and run.scenario in hands]
    known = [ratio for ratio in found if ratio is not None]
    if not found:
        return ""
    middle = f"{median(known):.1f} times as fast (median)" if known else "never"
    enough = sum(ratio >= _FASTER for ratio in known)
    never = len(found) - len(known)
    return f"{person}: {middle}; at least {_FASTER} times in {enough} of {len(found)} scenarios, never in {never}."


def _topics(runs: Sequence[CuratorRun], at: int) -> str:
    n_missing = sum(run.n_missing for run in runs)
    return f"{100 * sum(run.at(at * run.n_missing).n_topics for run in runs) / max(n_missing, 1):.0f}"


def _right(runs: Sequence[CuratorRun], at: int) -> str:
    n_documents = sum(run.n_documents for run in runs)
    return f"{100 * sum(run.at(at * run.n_missing).n_right for run in runs) / max(n_documents, 1):.1f}"


def _target(hand: CuratorRun) -> int:
    return hand.at(PER_TOPIC * hand.n_missing).n_right


def _ratio(run: CuratorRun, hand: CuratorRun) -> float | None:
    mine, theirs = run.gestures_to(_target(hand)), hand.gestures_to(_target(hand))
    return None if mine is None or theirs is None else theirs / max(mine, 1)


def _sooner(run: CuratorRun, hand: CuratorRun | None) -> str:
    if hand is None:
        return ""
    mine, theirs = run.gestures_to(_target(hand)), hand.gestures_to(_target(hand))
    return f"{'never' if mine is None else mine} to {theirs}"
