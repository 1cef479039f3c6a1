"""Every table of docs/evaluation: all systems on both corpora, our own rows over random states, ablations, skew, news.

`make bench-quality CORPORA=folder`, or `python -m benchmarks.quality --corpora folder`. Each row (one system on one
scenario with one random state) is kept in a file; a row is run again only if the documents, the seed, the settings or
the source of its system changed. So a run that was stopped goes on where it was, and a change of the engine re-runs our
rows alone. The pages of docs/evaluation are filled with what is there, between their markers; what is missing is said.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchmarks.__main__ import machine
from benchmarks._quality_own import (
    bars_table,
    complete_table,
    news_table,
    own_table,
    removed_table,
    skew_table,
)
from benchmarks._quality_page import fill_folder
from benchmarks._quality_plan import (
    COMPLETE,
    OWN,
    SEEDS,
    Case,
    Row,
    ablations,
    chosen,
    own_states,
    side_by_side,
    skewed,
)
from benchmarks._quality_runs import Done, Place, Reports, clear_indexes, cost, news_proposal, run_rows, stored
from benchmarks._quality_tables import (
    case_study_tables,
    departures_table,
    detection_tables,
    downstream_tables,
    embedding_tables,
    notes_table,
    quality_tables,
    winners_table,
)
from taxocom.errors import InputError
from taxocom.evaluation.rendering import to_markdown
from taxocom.evaluation.result_tables import Table
from taxocom.store.disk.fetching import cache_directory

PAGES = Path(__file__).parents[1] / "docs" / "evaluation"
BLOCKS = (
    "bars",
    "winners",
    "quality",
    "downstream",
    "detection",
    "embedding",
    "departures",
    "case-study",
    "own",
    "removed",
    "complete",
    "skew",
    "notes",
    "news",
)
_MISSING = "*Not run yet.*"


@dataclass(frozen=True)
class Options:
    """Where rows are kept, which systems are run, in how many processes, and the folder of pages to fill.

    From the environment: QUALITY_CACHE, QUALITY_ONLY (`own`, `others` or names of systems, with commas; `none` only
    makes the tables again), QUALITY_JOBS.
    """

    cache: Path
    only: tuple[str, ...] = ()
    jobs: int = 1
    pages: Path = PAGES

    @classmethod
    def from_environment(cls) -> Options:
        """Read the options; by default every system is run, on every core."""
        cores = len(os.sched_getaffinity(0))
        return cls(
            cache=Path(os.environ.get("QUALITY_CACHE") or cache_directory() / "quality"),
            only=tuple(key for key in os.environ.get("QUALITY_ONLY", "").split(",") if key),
            jobs=int(os.environ.get("QUALITY_JOBS") or cores),
        )


def run(corpora: Path | None, options: Options | None = None) -> str:
    """Run what is missing, fill docs/evaluation, and return what it begins with: facts, bars, and who wins where."""
    if corpora is None:
        return "No corpora were given: run with `--corpora DIR`."
    options = options or Options.from_environment()
    place = Place(corpora.absolute(), options.cache.absolute())
    start = time.perf_counter()
    plan = make_plan(place)
    wanted = [] if options.only == ("none",) else chosen(plan.rows, options.only)
    done = run_rows(place, wanted, jobs=options.jobs)
    everything = {row.name: report for row in plan.rows if (report := stored(place, row)) is not None}
    blocks = make_blocks(place, plan, everything, run_news=not options.only or "own" in options.only)
    blocks["facts"] = _facts(place, plan, everything, done, time.perf_counter() - start, options)
    fill_folder(options.pages, blocks)
    if done.failures:
        raise InputError("Rows that broke: " + "; ".join(done.failures))
    if len(everything) == len(plan.rows):
        clear_indexes(place)
    return "\n\n".join([blocks["facts"], "All tables are in docs/evaluation.", blocks["bars"], blocks["winners"]])


@dataclass(frozen=True)
class Plan:
    """All rows, and among them those of the skewed variants."""

    rows: tuple[Row, ...]
    skew: tuple[Row, ...]


def make_plan(place: Place) -> Plan:
    """List every row of every table once, the other systems' first."""
    plain = {Case(part, seed): place.scenario(Case(part, seed)) for part in OWN for seed in SEEDS}
    skew = skewed({case: scenario.topmost_removed for case, scenario in plain.items()})
    rows = {row.name: row for row in [*side_by_side(), *ablations(), *own_states(), *skew]}
    return Plan(tuple(rows.values()), tuple(skew))


def make_blocks(place: Place, plan: Plan, reports: Reports, *, run_news: bool) -> dict[str, str]:
    """Make the content of every block of the pages but the facts."""
    seeds = {part: place.scenario(Case(part, COMPLETE)).seed for part in OWN}
    tables: dict[str, Sequence[Table]] = {
        "bars": [bars_table(reports, seeds, plan.skew)],
        "winners": [winners_table(reports)],
        "quality": quality_tables(reports),
        "downstream": downstream_tables(reports),
        "detection": detection_tables(reports),
        "embedding": embedding_tables(reports),
        "departures": [departures_table(reports)],
        "case-study": case_study_tables(reports),
        "own": [own_table(reports)],
        "removed": [removed_table(reports)],
        "complete": [complete_table(reports, seeds)],
        "skew": [skew_table(reports, plan.skew)],
        "notes": [notes_table()],
        "news": [_news(place, run=run_news)],
    }
    return {name: _markdown(tables[name]) for name in BLOCKS}


def _markdown(tables: Sequence[Table]) -> str:
    filled = [table for table in tables if table.rows]
    return to_markdown(filled) if filled else _MISSING


def _news(place: Place, *, run: bool) -> Table:
    try:
        return news_table(news_proposal(place, run=run))
    # Without a network the sample cannot be had; the other tables do not need it.
    except InputError as error:
        print(f"The news sample: {error}", file=sys.stderr)
        return news_table([])


def _facts(place: Place, plan: Plan, reports: Reports, done: Done, seconds: float, options: Options) -> str:
    missing = [row for row in plan.rows if row.name not in reports]
    spent = cost(place, [row for row in plan.rows if row.name in reports])
    lines = [
        f"`make bench-quality CORPORA=folder`, {date.today().isoformat()}, on {machine()}.",
        f"{len(reports)} of {len(plan.rows)} rows; they took {spent / 60:.0f} minutes of one core in all. "
        f"The last run made {done.n_run} of them with {options.jobs} at a time, in {seconds / 60:.0f} minutes.",
    ]
    if missing:
        n_own = len(chosen(missing, ("own",)))
        lines.append(f"Missing: {n_own} rows of ours, {len(missing) - n_own} of other systems.")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run with options given by name in the place of the environment."""
    known = Options.from_environment()
    parser = argparse.ArgumentParser("python -m benchmarks.quality", description="Make the tables of docs/evaluation.")
    parser.add_argument("--corpora", type=Path, required=True, help="the directory of corpora")
    parser.add_argument("--cache", type=Path, default=known.cache, help="where rows are kept (default: %(default)s)")
    parser.add_argument("--only", default=",".join(known.only), help="own, others, none, or systems, with commas")
    parser.add_argument("--jobs", type=int, default=known.jobs, help="how many at a time (default: %(default)s)")
    parser.add_argument("--pages", type=Path, default=PAGES, help="the folder of pages to fill (default: %(default)s)")
    given = parser.parse_args(arguments)
    only = tuple(key for key in given.only.split(",") if key)
    print(run(given.corpora, Options(given.cache, only, given.jobs, given.pages)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
