"""The engine: complete a whole tree, or expand one topic of a project and judge what it proposes."""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from taxocom.cli.console import counted, json_option, print_json, quiet_option, say, tree_lines, watched
from taxocom.cli.reading_options import Reading, language_line, reading_options
from taxocom.cli.settings_options import settings_options
from taxocom.progress import Progress, Span

if TYPE_CHECKING:
    from taxocom.expansion.completion import Completion
    from taxocom.settings import ExpansionSettings
    from taxocom.taxonomy.tree import Taxonomy
    from taxocom.text.corpus import Corpus

_GIB = 2**30


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("seed_file", metavar="SEED", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Where to write.")
@click.option("--max-depth", default=2, show_default=True, type=click.IntRange(min=1), help="How many levels to fill.")
@click.option("--random-state", default=0, show_default=True, type=int, help="Another number gives another run.")
@click.option("--threads", type=click.IntRange(min=1), help="The result is the same on any number.", show_default="all")
@click.option("--expand-leaves", is_flag=True, help="Also expand topics that have no known sub-topic.")
@settings_options
@reading_options
@json_option
@quiet_option
def complete(
    corpus: Path,
    seed_file: Path,
    out: Path,
    max_depth: int,
    random_state: int,
    threads: int | None,
    expand_leaves: bool,
    settings: ExpansionSettings,
    reading: Reading,
    as_json: bool,
    quiet: bool,
) -> None:
    """Complete a tree of topics from a corpus without a person: every novel cluster proposed is accepted.

    Writes taxonomy.json, documents.csv (id,path,novel,score), terms.csv and run.json to the directory, and prints the
    tree with its novel topics marked +.
    """
    from taxocom.cli.results import write_completion
    from taxocom.cli.start_commands import read_seed_aloud

    seed = read_seed_aloud(seed_file)
    options: dict[str, Any] = {
        "max_depth": max_depth,
        "expand_leaves": expand_leaves,
        "random_state": random_state,
        "threads": threads or len(os.sched_getaffinity(0)),
    }
    with tempfile.TemporaryDirectory(prefix="taxocom-complete-") as folder, watched(quiet=quiet) as progress:
        watch = _Stopwatch()
        read = reading.index(corpus, seed, Path(folder), Span(progress, 0.0, 0.2))
        watch.lap("indexing")
        completion = _completed(read.corpus, seed, reading, settings, options, watch, Span(progress, 0.2, 1.0))
        language = language_line(read.corpus.language_report)
        run = _run_facts(completion, read.corpus, settings, options, watch)
        write_completion(completion, read.corpus, out, run, read.loading.repeats)
    if as_json:
        from taxocom.interchange.plain.json_format import to_nested

        return print_json({**run, "taxonomy": to_nested(completion.taxonomy)})
    for line in tree_lines(completion.taxonomy):
        click.echo(line)
    n_novel = sum(node.origin == "novel" for node in completion.taxonomy.walk())
    found = f"{counted(n_novel, 'novel topic')} (marked +)" if n_novel else "No novel topic"
    say(language, quiet)
    return say(f"{found} in {run['seconds']['all']:.0f} s. Wrote {out}.", quiet)


def _completed(
    corpus: Corpus,
    seed: Taxonomy,
    reading: Reading,
    settings: ExpansionSettings,
    options: dict[str, Any],
    watch: _Stopwatch,
    progress: Progress,
) -> Completion:
    """Check the seed, train the vectors and walk down the tree, each with its seconds."""
    from taxocom.expansion.completion import complete as complete_tree
    from taxocom.expansion.paper.embedding import pretrain
    from taxocom.store.projects.lexicon_files import find_lexicon
    from taxocom.workflow.seed_check import check

    check(seed, corpus, stop_words=reading.settings().stop_words).require_match()
    watch.lap("checking the seed")
    same = {name: options[name] for name in ("random_state", "threads")}
    embedding = pretrain(corpus, settings.embedding, progress=Span(progress, 0.0, 0.3), **same)
    watch.lap("pre-training")
    completion = complete_tree(
        corpus, seed, settings=settings, embedding=embedding, lexicon=find_lexicon(), progress=progress, **options
    )
    watch.lap("walk")
    return completion


class _Stopwatch:
    """The seconds of one stage after another, and of all so far, by the clock and by the processor."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {"all": 0.0}
        self.processor_seconds: dict[str, float] = {"all": 0.0}
        self._clock, self._processor = time.perf_counter(), time.process_time()

    def lap(self, stage: str) -> None:
        clock, processor = time.perf_counter(), time.process_time()
        for seconds, spent in (
            (self.seconds, clock - self._clock),
            (self.processor_seconds, processor - self._processor),
        ):
            seconds[stage] = spent
            seconds["all"] += spent
        self._clock, self._processor = clock, processor


def _run_facts(
    completion: Completion,
    corpus: Corpus,
    settings: ExpansionSettings,
    options: Mapping[str, Any],
    watch: _Stopwatch,
) -> dict[str, Any]:
    from taxocom import __version__

    return {
        "version": __version__,
        "corpus": {
            "fingerprint": corpus.fingerprint,
            "n_documents": corpus.n_documents,
            "n_terms": len(corpus.vocabulary),
            "language": asdict(corpus.language_report),
        },
        "options": dict(options),
        "settings": asdict(settings),
        "seconds": {stage: round(value, 2) for stage, value in watch.seconds.items()},
        "processor_seconds": {stage: round(value, 2) for stage, value in watch.processor_seconds.items()},
        "nodes": [
            {
                "node": "/".join(completion.taxonomy.path_of(proposal.node_id)),
                "n_documents": len(proposal.documents),
                "n_novel": len(proposal.novel),
                "seconds": {name: round(float(value), 2) for name, value in proposal.seconds.items()},
            }
            for proposal in completion.proposals
        ],
        # Linux counts in KiB.
        "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / _GIB, 2),
    }
