"""The tables of our own rows: random states, the complete seed, skew, names, time, the bars, the news sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import mean

from benchmarks._quality_plan import COMPLETE, CUT_TO, OURS, OWN, SEEDS, STATES, Part, Row
from benchmarks._quality_runs import ProposedTopic, Reports
from benchmarks._quality_tables import names_among_3
from taxocom.evaluation.result_tables import Spread, Table
from taxocom.evaluation.scenario_report import EvaluationReport
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy

Measure = Callable[[EvaluationReport], float]


def of_states(reports: Reports, part: Part, seed: str) -> list[EvaluationReport]:
    """Return our own reports of a case over the random states."""
    names = [(part.name, seed, OURS.name, state) for state in STATES]
    return [reports[name] for name in names if name in reports]


def all_own(reports: Reports) -> list[list[EvaluationReport]]:
    """Return our own reports of the six scenarios, those of one scenario together."""
    found = [of_states(reports, part, seed) for part in OWN for seed in SEEDS]
    return [group for group in found if group]


def ranged(values: Iterable[float], n_digits: int = 2) -> str:
    """Return the mean and, where they differ, the least and the greatest."""
    known = list(values)
    low, high = (f"{value:.{n_digits}f}" for value in (min(known), max(known)))
    middle = f"{mean(known):.{n_digits}f}"
    return middle if low == high else f"{middle} ({low}–{high})"


def own_table(reports: Reports) -> Table:
    """Our own six scenarios over the random states."""
    rows = [_own_row(group) for group in all_own(reports)]
    groups = all_own(reports)
    if len(groups) > 1:
        flat = [report for group in groups for report in group]
        rows.append(("all", "mean", *(f"{_mean_of(groups, measure):.2f}" for measure in _SHARES), *_counts(flat)))
    columns = (
        "Corpus",
        "Seed",
        "P",
        "R",
        "F1",
        "Recovered",
        "Placed",
        "Spurious",
        "Named 1st",
        "in 3",
        "in 5",
        "CPU s",
    )
    caption = (
        f"Mean and range over the random states {', '.join(map(str, STATES))}. Recovered: topmost removed topics, "
        "all states together; placed: of the recovered ones (nested included) under the right parent; spurious: novel "
        "nodes that recovered nothing, a run; named: share of recovered topics with the gold name among the "
        "suggestions. CPU s: seconds of one core for the whole tree, indexing left out."
    )
    return Table("Our own rows", caption, columns, tuple(rows))


_SHARES: tuple[Measure, ...] = (
    lambda r: r.detection.precision,
    lambda r: r.detection.recall,
    lambda r: r.detection.f1,
)


def _mean_of(groups: Sequence[Sequence[EvaluationReport]], measure: Measure) -> float:
    return mean(mean(measure(report) for report in group) for group in groups)


def _own_row(group: Sequence[EvaluationReport]) -> tuple[str, ...]:
    shares = (ranged(measure(report) for report in group) for measure in _SHARES)
    return (group[0].corpus, group[0].scenario, *shares, *_counts(group))


def _counts(group: Sequence[EvaluationReport]) -> tuple[str, ...]:
    counts = [report.recovery for report in group]
    recovered, removed = sum(c.n_topmost_recovered for c in counts), sum(c.n_topmost for c in counts)
    placed, nested = sum(c.n_placed for c in counts), sum(c.n_recovered for c in counts)
    n_topics = max(sum(report.names.n_topics for report in group), 1)
    ranks = ("first", "among_3", "among_5")
    named = [sum(getattr(r.names, rank) * r.names.n_topics for r in group) / n_topics for rank in ranks]
    return (
        f"{recovered} of {removed}",
        f"{placed} of {nested}",
        ranged((c.n_spurious for c in counts), 1),
        *(f"{share:.2f}" for share in named),
        ranged((report.cpu_seconds for report in group), 0),
    )


def removed_table(reports: Reports) -> Table:
    """What became of each removed topic, over the random states."""
    rows = []
    for group in all_own(reports):
        for i, first in enumerate(group[0].removed):
            each = [report.removed[i] for report in group]
            found = sum(row.recovered for row in each)
            best = max(each, key=lambda row: row.f1)
            verdict = f"{found} of {len(each)}" + (f", placed {sum(row.placed for row in each)}" if found else "")
            rows.append(
                (group[0].corpus, group[0].scenario, first.topic, ranged(r.f1 for r in each), verdict, best.node)
            )
    caption = "F1 of the documents of the novel node matched to it, mean and range; how often recovered; its best node."
    return Table(
        "What became of each removed topic",
        caption,
        ("Corpus", "Seed", "Removed topic", "F1", "Recovered", "Best node"),
        tuple(rows),
    )


def n_expansions(seed: Taxonomy) -> int:
    """Return how many nodes are expanded: the root, and the topics of the first level that have sub-topics."""
    return 1 + sum(bool(seed.children_of(node.node_id)) for node in seed.children_of(ROOT_ID))


def complete_table(reports: Reports, seeds: dict[Part, Taxonomy]) -> Table:
    """What is added to a seed that lacks nothing."""
    rows = []
    for part in OWN:
        group = of_states(reports, part, COMPLETE)
        if group:
            n_nodes = n_expansions(seeds[part]) * len(group)
            spurious = [report.recovery.n_spurious for report in group]
            added = "; ".join(row.node for report in group for row in report.novel) or "nothing"
            rows.append((part.name, n_nodes, sum(spurious), Spread(10 * sum(spurious) / n_nodes, n_digits=2), added))
    columns = ("Corpus", "Expansions", "Spurious", "in ten expansions", "Added")
    return Table("A complete seed", "Nothing is missing, so every novel topic is spurious.", columns, tuple(rows))


def skew_table(reports: Reports, rows: Sequence[Row]) -> Table:
    """Whether a removed topic of a hundred documents is still found."""
    cells = []
    for row in rows:
        report = reports.get(row.name)
        if report is not None:
            topic = next(removed for removed in report.removed if removed.topic == "/".join(row.case.cut))
            verdict = "missed" if not topic.recovered else "recovered" if topic.placed else "recovered elsewhere"
            cells.append((row.case.part.name, row.case.seed, topic.topic, topic.node, Spread(topic.f1), verdict))
    n_found = sum(cell[-1] != "missed" for cell in cells)
    caption = (
        f"One removed topic at a time is cut to {CUT_TO} documents (by label, at random); the seed and all other "
        f"documents stay as they are. {n_found} of {len(cells)} are recovered. Terms and phrases are those of the "
        "uncut sample."
    )
    return Table("Skew", caption, ("Corpus", "Seed", "Topic cut", "Node", "F1", "Verdict"), tuple(cells))


def news_table(topics: Sequence[ProposedTopic]) -> Table:
    """The news sample's first proposal."""
    rows = tuple((t.label, ", ".join(t.suggestions), t.n_documents, ", ".join(t.terms)) for t in topics)
    caption = "What is proposed for the root of the news sample, unedited. The seed knows five topics."
    return Table("The news sample", caption, ("Label", "Suggestions", "Documents", "Terms"), rows)


def bars_table(reports: Reports, seeds: dict[Part, Taxonomy], skew: Sequence[Row]) -> Table:
    """The bars that were set before the work began, and what was measured."""
    groups = all_own(reports)
    flat = [report for group in groups for report in group]
    if len(groups) < len(OWN) * len(SEEDS):
        return Table("Bars", "", ("Bar", "Asked", "Measured", "Met"), ())
    rows = [_bar(f"Removed-topic F1, {name}", low, _f1(groups, seed)) for name, low, seed in _F1_BARS]
    n_topmost = sum(r.recovery.n_topmost_recovered for r in flat)
    recovered = n_topmost / sum(r.recovery.n_topmost for r in flat)
    n_recovered = sum(r.recovery.n_recovered for r in flat)
    placed = sum(r.recovery.n_placed for r in flat) / max(n_recovered, 1)
    topmost_placed = sum(_n_topmost_placed(report) for report in flat) / max(n_topmost, 1)
    spurious = sum(r.recovery.n_spurious for r in flat) / max(n_recovered, 1)
    rows.append(_bar("Removed topics recovered", 0.60, recovered))
    rows.append(_bar("of those under the right parent", 0.90, topmost_placed))
    rows.append(_bar("under the right parent, nested ones included", 0.90, placed))
    rows.append(_bar("Spurious novel nodes for each recovered topic", 1.0, spurious, at_most=True))
    complete = [(part, of_states(reports, part, COMPLETE)) for part in OWN]
    n_nodes = sum(n_expansions(seeds[part]) * len(group) for part, group in complete)
    if n_nodes:
        added = sum(report.recovery.n_spurious for _, group in complete for report in group)
        rows.append(_bar("Spurious in ten expansions of a complete seed", 1.0, 10 * added / n_nodes, at_most=True))
    rows.append(_bar("Gold name among three suggestions", 2 / 3, names_among_3(flat)))
    cut = [(reports[row.name], "/".join(row.case.cut)) for row in skew if row.name in reports]
    if cut:
        found = sum(any(t.recovered and t.topic == topic for t in report.removed) for report, topic in cut)
        rows.append(_bar("Skewed variants recovered", 1 / 3, found / len(cut)))
    caption = "Over the six scenarios and three random states of our own rows."
    return Table("Bars", caption, ("Bar", "Asked", "Measured", "Met"), tuple(rows))


def _n_topmost_placed(report: EvaluationReport) -> int:
    """Count the removed topics under the right parent, without those whose parent was removed too."""
    removed = {row.topic for row in report.removed}
    return sum(row.placed for row in report.removed if row.topic.rpartition("/")[0] not in removed)


_F1_BARS = (("mean", 0.70, ""), ("seed a", 0.80, "a"), ("seed b", 0.55, "b"), ("seed c", 0.75, "c"))


def _f1(groups: Sequence[Sequence[EvaluationReport]], seed: str) -> float:
    return _mean_of([group for group in groups if seed in ("", group[0].scenario)], lambda r: r.detection.f1)


def _bar(name: str, asked: float, measured: float, *, at_most: bool = False) -> tuple[str, str, str, str]:
    met = measured <= asked if at_most else measured >= asked
    return name, f"{'≤' if at_most else '≥'} {asked:.2f}", f"{measured:.2f}", "yes" if met else "no"
