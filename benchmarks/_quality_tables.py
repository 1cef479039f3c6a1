"""The tables in which all systems stand side by side, made from reports alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from benchmarks._quality_plan import (
    OURS,
    SEEDS,
    SIDE_BY_SIDE,
    Part,
    compared_systems,
    departure_ablation,
    embedding_ablation,
    variant_systems,
)
from benchmarks._quality_runs import Reports
from taxocom.evaluation.metrics import LevelScores
from taxocom.evaluation.result_tables import Measure, Spread, Table, comparison
from taxocom.evaluation.scenario_report import EvaluationReport

_SHOWN_TOPICS = 12


def side_reports(reports: Reports, part: Part) -> list[EvaluationReport]:
    """Return the reports of the compared systems on one part, by seed, ours last."""
    names = [(part.name, seed, system.name, 0) for seed in SEEDS for system in compared_systems()]
    return [reports[name] for name in names if name in reports]


def quality_tables(reports: Reports) -> list[Table]:
    """Table humaneval by proxies: coherency, intrusion, relation, completeness, diversity."""
    measures: dict[str, Measure] = {
        "Coherency": lambda r: r.quality.coherency,
        "Intrusion": lambda r: r.quality.intrusion,
        "Placement": _placement,
        "Completeness": lambda r: r.quality.completeness,
        "graded": lambda r: r.quality.completeness_graded,
        "by identity": lambda r: r.quality.completeness_by_identity,
        "Diversity": lambda r: r.quality.diversity,
        "CPU s": lambda r: round(r.cpu_seconds),
    }
    caption = (
        "Coherency: mean NPMI of the pairs of a topic's top ten terms. Intrusion: how often a foreign term among five "
        "is spotted by co-occurrence in held-out documents (1/6 is chance). Placement: share of recovered topics under "
        "the right parent. Completeness: share of gold topics, both levels, with a node whose documents match at F1 of "
        "0.5; graded: the mean F1 of that matching; by identity: a topic of the seed counts because it is there. "
        "Diversity: share of different terms among the top tens of one level. CPU s: seconds of one core."
    )
    return _per_corpus("Quality of the taxonomy", caption, reports, measures, low=("CPU s",))


def _placement(report: EvaluationReport) -> float | None:
    counts = report.recovery
    return counts.n_placed / counts.n_recovered if counts.n_recovered else None


def downstream_tables(reports: Reports) -> list[Table]:
    """Table docclass: WeSHClass on the top ten terms of each system's topics."""
    measures: dict[str, Measure] = {}
    for level in (1, 2):
        measures[f"NMI, level {level}"] = _downstream(level, lambda scores: scores.nmi)
        measures[f"Macro F1, level {level}"] = _downstream(level, lambda scores: scores.macro_f1)
        measures[f"Micro F1, level {level}"] = _downstream(level, lambda scores: scores.micro_f1)
    caption = (
        "WeSHClass trained on the top ten terms of each system's topics and on no label. F1 counts a document as right "
        "if the node it is sent to stands for its gold topic: a topic of the seed by identity, a novel one by what it "
        "recovered, a node of an unseeded system by the documents it shares with a topic."
    )
    return _per_corpus("Documents classified downstream", caption, reports, measures)


def _downstream(level: int, measure: Callable[[LevelScores], float]) -> Measure:
    return lambda r: measure(r.downstream[level - 1]) if len(r.downstream) >= level else None


def detection_tables(reports: Reports) -> list[Table]:
    """Documents of removed topics, and topics recovered, for every system."""
    measures: dict[str, Measure] = {
        "P": lambda r: r.detection.precision,
        "R": lambda r: r.detection.recall,
        "F1": lambda r: r.detection.f1,
        "F1 of all": lambda r: 2 * r.detection.n_gold / max(r.detection.n_gold + r.n_documents, 1),
        "Removed": lambda r: r.recovery.n_topmost,
        "Recovered": lambda r: r.recovery.n_topmost_recovered,
        "with nested": lambda r: r.recovery.n_recovered,
        "Placed": lambda r: r.recovery.n_placed,
        "Spurious": lambda r: r.recovery.n_spurious,
    }
    caption = (
        "A document is predicted if any node on its path is novel, gold if its label lies at or below a removed topic; "
        "F1 of all is what calling every document novel would score. A removed topic is recovered if a novel node "
        "matches its documents at F1 of 0.5, one to one; Removed and Recovered leave out topics whose parent was "
        "removed too, “with nested” counts them. Placed: recovered, nested ones included, under the right parent. "
        "Spurious: novel nodes that recovered nothing."
    )
    return _per_corpus("Documents of removed topics", caption, reports, measures, low=("Spurious",))


def _per_corpus(
    title: str, caption: str, reports: Reports, measures: dict[str, Measure], *, low: Iterable[str] = ()
) -> list[Table]:
    tables = []
    for part in SIDE_BY_SIDE:
        found = side_reports(reports, part)
        if found:
            told = "" if tables else caption
            whole = comparison(f"{title}: {part.name}", told, found, measures, lower_is_better=low)
            tables.append(_without_corpus(whole))
    return tables


def _without_corpus(table: Table) -> Table:
    """Leave out the first column, which the title says."""
    columns = ("Seed", *table.columns[2:])
    best = frozenset((row, column - 1) for row, column in table.best)
    return Table(table.title, table.caption, columns, tuple(row[1:] for row in table.rows), best)


def winners_table(reports: Reports) -> Table:
    """Whether ours is first in removed-topic F1 and in completeness, and who is where it is not."""
    rows = []
    for part in SIDE_BY_SIDE:
        for seed in SEEDS:
            found = [report for report in side_reports(reports, part) if report.scenario == seed]
            ours = next((report for report in found if report.system == OURS.name), None)
            others = [report for report in found if not report.system.startswith(OURS.name)]
            if ours is None or not others:
                continue
            rows.append(
                (
                    part.corpus,
                    seed,
                    *_against(ours, others, lambda r: r.detection.f1),
                    *_against(ours, others, lambda r: r.quality.completeness),
                )
            )
    columns = ("Corpus", "Seed", "F1", "Best other", "its F1", "First?")
    columns += ("Completeness", "Best other", "its completeness", "First?")
    caption = "TaxoCom with its defaults beside the best of the other systems, on the same documents."
    return Table("Where another system wins", caption, columns, tuple(rows))


def _against(
    ours: EvaluationReport, others: Sequence[EvaluationReport], measure: Callable[[EvaluationReport], float]
) -> tuple[Spread, str, Spread, str]:
    best = max(others, key=measure)
    first = "yes" if measure(ours) > measure(best) else "no"
    return Spread(measure(ours)), best.system, Spread(measure(best)), first


def embedding_tables(reports: Reports) -> list[Table]:
    """Table docdetection: local and discriminative embedding on and off, by the paper's rule and by ours."""
    systems = variant_systems()
    caption = (
        "LE: local embedding, DE: discriminative embedding. The paper picks the best β of four for each ablated row by "
        "the labels; here every row has the same settings."
    )
    tables = []
    for part in SIDE_BY_SIDE:
        rows = []
        for seed in SEEDS:
            for variant in embedding_ablation():
                report = reports.get((part.name, seed, systems[variant.settings].name, 0))
                if report is not None:
                    rule = "paper" if variant.label.startswith("paper") else "ours"
                    marks = ["yes" if on else "" for on in _embeddings_on(variant.settings)]
                    scores = report.detection
                    cells = (Spread(scores.precision), Spread(scores.recall), Spread(scores.f1))
                    rows.append((seed, rule, *marks, *cells))
        columns = ("Seed", "Rule", "LE", "DE", "P", "R", "F1")
        told = "" if tables else caption
        tables.append(Table(f"Local and discriminative embedding: {part.name}", told, columns, tuple(rows)))
    return [table for table in tables if table.rows]


def _embeddings_on(settings) -> tuple[bool, bool]:
    return settings.local_embedding, settings.embedding.discriminative


def departures_table(reports: Reports) -> Table:
    """Each departure from the paper off, one at a time: F1 on every scenario, and counts over all of them."""
    systems = variant_systems()
    cases = [(part, seed) for part in SIDE_BY_SIDE for seed in SEEDS]
    rows = []
    for variant in departure_ablation():
        names = [(part.name, seed, systems[variant.settings].name, 0) for part, seed in cases]
        found = [reports[name] for name in names if name in reports]
        if len(found) < len(cases):
            continue
        f1 = [report.detection.f1 for report in found]
        counts = [report.recovery for report in found]
        rows.append(
            (
                variant.label,
                *(Spread(value) for value in f1),
                Spread(sum(f1) / len(f1)),
                sum(count.n_topmost_recovered for count in counts),
                sum(count.n_placed for count in counts),
                sum(count.n_spurious for count in counts),
                Spread(names_among_3(found)),
                Spread(sum(report.cpu_seconds for report in found) / len(found), n_digits=0),
            )
        )
    n_removed = sum(count.n_topmost for count in counts) if rows else 0
    seeds = tuple(f"{part.corpus} {seed}" for part, seed in cases)
    columns = ("Changed", *seeds, "Mean F1", f"Recovered of {n_removed}", "Placed", "Spurious", "Named", "CPU s")
    caption = (
        "Removed-topic F1 on each scenario with one departure switched off at a time; topics recovered (topmost), "
        "placed (nested ones included) and spurious over all six; the share of recovered topics with the gold name "
        "among three suggestions; seconds of one core a scenario. One random state."
    )
    return Table("Each departure off", caption, columns, tuple(rows))


def names_among_3(reports: Sequence[EvaluationReport]) -> float:
    """Return the share of all recovered topics with the gold name among the first three suggestions."""
    n_topics = sum(report.names.n_topics for report in reports)
    return sum(report.names.among_3 * report.names.n_topics for report in reports) / max(n_topics, 1)


def case_study_tables(reports: Reports) -> list[Table]:
    """Table casestudy: what each system added, as it named it."""
    caption = (
        f"The first name each system gives; the removed topic that a node recovered after an arrow. Nothing is edited; "
        f"of more than {_SHOWN_TOPICS} nodes the recovered and then the largest are shown. JoSH adds none."
    )
    tables = []
    for part in SIDE_BY_SIDE:
        rows = tuple((r.scenario, r.system, _novel_topics(r)) for r in side_reports(reports, part))
        told = "" if tables else caption
        tables.append(Table(f"Novel topics side by side: {part.name}", told, ("Seed", "System", "Added"), rows))
    return [table for table in tables if table.rows]


def _novel_topics(report: EvaluationReport) -> str:
    ordered = sorted(report.novel, key=lambda row: (not row.topic, -row.n_documents))
    told = [f"{row.node} → {row.topic}" if row.topic else row.node for row in ordered[:_SHOWN_TOPICS]]
    rest = len(ordered) - len(told)
    return "; ".join(told) + (f"; and {rest} more" if rest > 0 else "") or "none"


def notes_table() -> Table:
    """Where an implementation departs from what was published."""
    rows = tuple((system.name, system.note) for system in compared_systems() if system.note)
    return Table("Departures from the published systems", "", ("System", "Departure"), rows)
