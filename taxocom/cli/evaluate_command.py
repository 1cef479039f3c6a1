"""How good is it on this corpus? Topics are taken out of a gold hierarchy, and the systems have to find them."""

from __future__ import annotations

import platform
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from taxocom.cli.console import FAILED, json_option, print_json, quiet_option, watched
from taxocom.cli.reading_options import Reading, reading_options
from taxocom.cli.settings_options import settings_options

if TYPE_CHECKING:
    from taxocom.evaluation.preparation import Sample
    from taxocom.evaluation.runs import CellFailure
    from taxocom.evaluation.scenario_report import EvaluationReport
    from taxocom.evaluation.scenarios import RemovalRule, Scenario
    from taxocom.evaluation.systems import System
    from taxocom.progress import Progress
    from taxocom.settings import ExpansionSettings
    from taxocom.taxonomy.tree import Taxonomy

OWN = "taxocom"


@click.command()
@click.option("--corpus", required=True, type=click.Path(path_type=Path), help="A labelled corpus.")
@click.option("--gold", "gold_file", required=True, type=click.Path(path_type=Path), help="The whole hierarchy.")
@click.option("--seed", "seeds", multiple=True, type=click.Path(path_type=Path), help="A seed; each one is a scenario.")
@click.option(
    "--remove", "removals", multiple=True, metavar="PATHS", help="What to take out: 'science/space,religion'."
)
@click.option("--random-removals", type=click.IntRange(min=1), metavar="N", help="Take out N topics at random.")
@click.option("--rule", type=click.Choice(["first", "second", "both"]), default="both", show_default=True,
              help="The levels that random removals come from.")  # fmt: skip
@click.option("--per-class", default=1500, show_default=True, type=click.IntRange(min=1), help="Documents of a topic.")
@click.option("--random-states", default=3, show_default=True, type=click.IntRange(min=1), help="Runs of each.")
@click.option("--max-depth", default=2, show_default=True, type=click.IntRange(min=1), help="How many levels to fill.")
@click.option("--system", "wanted", multiple=True, default=(OWN,), show_default=True,
              help="A system to compare (several times), or `all`.")  # fmt: skip
@click.option("--curator", is_flag=True, help="Let simulated people complete the tree, and print what they reach by "
              "how many gestures.")  # fmt: skip
@click.option("--cut-to", type=click.IntRange(min=5), metavar="N", help="With --curator: leave the one topic removed "
              "N documents, name it and give twenty answers.")  # fmt: skip
@click.option("--classify", is_flag=True, help="Also train a weakly supervised classifier on each system's topics.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Keep every run here and resume from it.")
@click.option("--report", "report_file", type=click.Path(path_type=Path, dir_okay=False), help="Write a page of HTML.")
@settings_options
@reading_options
@json_option
@quiet_option
def evaluate(
    corpus: Path,
    gold_file: Path,
    seeds: tuple[Path, ...],
    removals: tuple[str, ...],
    random_removals: int | None,
    rule: RemovalRule,
    per_class: int,
    random_states: int,
    max_depth: int,
    wanted: tuple[str, ...],
    curator: bool,
    cut_to: int | None,
    classify: bool,
    out: Path | None,
    report_file: Path | None,
    settings: ExpansionSettings,
    reading: Reading,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure how well missing topics are found again, on a corpus with labels.

    Give seeds that lack part of the gold hierarchy, or say what to remove from it. The tables go to standard output as
    Markdown. With --out, what was run is not run again.
    """
    from taxocom.reading.files import read_seed

    gold = read_seed(gold_file).taxonomy
    runs = _planned(gold, seeds, removals, random_removals, rule, 1 if curator else random_states)
    if curator:
        from taxocom.cli.curator_report import Curators

        people = Curators(corpus, gold, reading, per_class, cut_to)
        with watched(quiet=quiet) as progress:
            found = people.run([planned.scenario for planned in runs], progress)
        return print_json([asdict(each) for each in found]) if as_json else people.tell(found)
    systems = _systems(wanted, settings, max_depth)
    bench = _Bench(corpus, gold, systems, reading, per_class, classify)
    with _kept(out) as folder, watched(quiet=quiet) as progress:
        outcome = _run(bench, runs, folder, progress)
    if as_json:
        print_json([report.to_dict() for report in outcome.reports])
    _tell(outcome, corpus, report_file, show=not as_json)
    return None


@dataclass(frozen=True)
class _Bench:
    corpus: Path
    gold: Taxonomy
    systems: Sequence[System]
    reading: Reading
    per_class: int
    classify: bool


@dataclass(frozen=True)
class _Planned:
    """A scenario and the random states it is run with."""

    scenario: Scenario
    states: Sequence[int]


@dataclass(frozen=True)
class _Outcome:
    reports: list[EvaluationReport]
    failures: list[CellFailure]


def _planned(
    gold: Taxonomy,
    seeds: Sequence[Path],
    removals: Sequence[str],
    n_random: int | None,
    rule: RemovalRule,
    n_states: int,
) -> list[_Planned]:
    from taxocom.evaluation.scenarios import Scenario, parse_removals, random_removals, removal_scenario
    from taxocom.reading.files import read_seed

    states = range(n_states)
    planned = [_Planned(Scenario(path.stem, gold, read_seed(path).taxonomy), states) for path in seeds]
    planned += [_Planned(removal_scenario(f"without {text}", gold, parse_removals(text)), states) for text in removals]
    if n_random is not None:
        planned += [
            _Planned(random_removals(gold, n_random, rule=rule, random_state=state), [state]) for state in states
        ]
    if not planned:
        raise click.UsageError("Say what is missing: --seed FILE, --remove PATHS or --random-removals N.")
    return planned


def _systems(wanted: Sequence[str], settings: ExpansionSettings, max_depth: int) -> list[System]:
    from taxocom.evaluation.baselines import BASELINES
    from taxocom.evaluation.our_system import TaxoCom
    from taxocom.store.projects.lexicon_files import find_lexicon

    known: dict[str, System] = {OWN: TaxoCom(settings=settings, max_depth=max_depth, lexicon=find_lexicon)}
    known |= {_key(system.name): system for system in BASELINES}
    names = list(known) if "all" in wanted else [_key(name) for name in wanted]
    for name in names:
        if name not in known:
            message = f"There is no system {name!r}. Use one of these: {', '.join(known)}, all."
            raise click.BadParameter(message, param_hint="--system")
    return [known[name] for name in dict.fromkeys(names)]


def _key(name: str) -> str:
    return name.casefold().replace(",", "").replace(" ", "-")


def _run(bench: _Bench, runs: Sequence[_Planned], folder: Path, progress: Progress) -> _Outcome:
    from taxocom.evaluation.baselines.weshclass import WeSHClass
    from taxocom.evaluation.preparation import draw_sample, prepare
    from taxocom.evaluation.runs import Bench, Cell, run_cells
    from taxocom.progress import Span

    source = bench.reading.source(bench.corpus)
    sample: Sample = draw_sample(source, bench.gold, per_class=bench.per_class, progress=Span(progress, 0.0, 0.05))
    outcome = _Outcome([], [])
    for number, planned in enumerate(runs):
        part = Span(progress, 0.05 + 0.95 * number / len(runs), 0.05 + 0.95 * (number + 1) / len(runs))
        # Each scenario is indexed by itself: a name that was removed must not come in as a phrase.
        with tempfile.TemporaryDirectory(prefix="taxocom-evaluate-") as place:
            prepared = prepare(
                sample,
                planned.scenario.seed,
                Path(place),
                settings=bench.reading.settings(),
                progress=Span(part, 0.0, 0.1),
            )
            classifier = WeSHClass() if bench.classify else None
            shared = Bench(_corpus_name(bench.corpus), prepared.corpus, prepared.measured, classifier)
            cells = [Cell(planned.scenario, system, state) for system in bench.systems for state in planned.states]
            done = run_cells(shared, cells, folder, progress=Span(part, 0.1, 1.0))
        outcome.reports.extend(done.reports)
        outcome.failures.extend(done.failures)
    return outcome


@contextmanager
def _kept(out: Path | None) -> Iterator[Path]:
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="taxocom-runs-") as folder:
        yield Path(folder)


def _tell(outcome: _Outcome, corpus: Path, report_file: Path | None, *, show: bool) -> None:
    from taxocom.evaluation.rendering import to_html, to_markdown
    from taxocom.evaluation.result_tables import tables_of
    from taxocom.store.disk.clock import stamp, utc_now
    from taxocom.store.disk.whole_files import clear_errors, write_whole

    tables = tables_of(outcome.reports) if outcome.reports else []
    if show:
        click.echo(to_markdown(tables))
    if report_file is not None and tables:
        command = "taxocom " + shlex.join(sys.argv[1:])
        facts = [command, f"{stamp(utc_now())[:16]} on {platform.machine()}, Python {platform.python_version()}"]
        with clear_errors("write", report_file):
            write_whole(report_file, to_html(f"Evaluation on {_corpus_name(corpus)}", tables, facts=facts).encode())
        click.echo(f"Wrote {report_file}.", err=True)
    for failure in outcome.failures:
        click.echo(
            f"{failure.system} on {failure.scenario}, random state {failure.random_state}: {failure.message}", err=True
        )
    if outcome.failures:
        raise click.exceptions.Exit(FAILED)


def _corpus_name(corpus: Path) -> str:
    """Return what the tables call the corpus: its file's name, or its folder's where files are called alike."""
    stem = corpus.name.split(".")[0]
    return corpus.absolute().parent.name if stem in ("docs", "documents", "corpus", "data") else stem
