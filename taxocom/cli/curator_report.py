"""`taxocom evaluate --curator`: what simulated people reach by how many gestures, beside one who works by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from taxocom.cli.reading_options import Reading
from taxocom.errors import InputError

if TYPE_CHECKING:
    from taxocom.evaluation.scenarios import Scenario
    from taxocom.evaluation.simulated_curator import CuratorRun
    from taxocom.progress import Progress
    from taxocom.taxonomy.tree import Taxonomy
    from taxocom.text.input.documents import Document

_ANSWERS = 20


@dataclass(frozen=True)
class Curators:
    """The people who work on a corpus; with `cut_to` the one topic that is missing keeps only so many documents."""

    corpus: Path
    gold: Taxonomy
    reading: Reading
    per_class: int
    cut_to: int | None = None

    def run(self, scenarios: Sequence[Scenario], progress: Progress) -> list[CuratorRun]:
        """Let each person work on each scenario."""
        from taxocom.evaluation.preparation import documents_of, draw_sample
        from taxocom.progress import Span
        from taxocom.workflow.curator_runs import PEOPLE, CuratorTask, run_answers, run_person

        source = self.reading.source(self.corpus)
        sample = draw_sample(source, self.gold, per_class=self.per_class, progress=Span(progress, 0.0, 0.05))
        documents = list(documents_of(sample))
        found = []
        for number, scenario in enumerate(scenarios):
            whole = Span(progress, 0.05 + 0.95 * number / len(scenarios), 0.05 + 0.95 * (number + 1) / len(scenarios))
            if self.cut_to is not None:
                task = CuratorTask(scenario, self._cut(documents, scenario), self.reading.settings())
                found.append(run_answers(task, _ANSWERS, whole))
                continue
            task = CuratorTask(scenario, documents, self.reading.settings())
            for place, person in enumerate(PEOPLE):
                part = Span(whole, place / len(PEOPLE), (place + 1) / len(PEOPLE))
                found.append(run_person(task, person, part))
        return found

    def _cut(self, documents: Sequence[Document], scenario: Scenario) -> list[Document]:
        from taxocom.evaluation.scenarios import skew_topic

        if len(scenario.removed) != 1:
            raise InputError(
                f"--cut-to asks for one missing topic; {scenario.name!r} lacks {len(scenario.removed)}. "
                "Remove one topic without sub-topics at a time."
            )
        rows = skew_topic([each.labels for each in documents], scenario.removed[0], int(self.cut_to or 0))
        return [documents[int(row)] for row in rows]

    def tell(self, runs: Sequence[CuratorRun]) -> None:
        """Print the curves as Markdown."""
        from taxocom.evaluation.curator_tables import curve_table, cut_table, scenario_table, speed_line
        from taxocom.evaluation.rendering import to_markdown

        if self.cut_to is not None:
            click.echo(to_markdown([cut_table(runs, self.cut_to)]))
            return
        click.echo(to_markdown([curve_table(runs)]))
        for person in dict.fromkeys(run.person for run in runs if run.person != "by hand"):
            click.echo(f"* {speed_line(runs, person)}")
        click.echo("\n" + to_markdown([scenario_table(runs)]))
