"""What people reach by how many gestures: simulated curators over the corpora, beside one who adds names by hand.

`python -m benchmarks --corpora DIR --results docs/evaluation curator` writes the page of the documentation. Each
scenario is kept in a file as soon as it is done (`TAXOCOM_CURATOR_RUNS`), so that a run that was stopped goes on.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from taxocom.evaluation.curator_tables import curve_table, cut_table, scenario_table, speed_line
from taxocom.evaluation.rendering import to_markdown
from taxocom.evaluation.scenarios import (
    Scenario,
    TopicPath,
    cap_classes,
    path_key,
    random_removals,
    removal_scenario,
    skew_topic,
    topic_paths,
)
from taxocom.evaluation.simulated_curator import CuratorRun, CurvePoint
from taxocom.reading.files import read_seed
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.input.documents import Document
from taxocom.text.input.loading import sniff
from taxocom.workflow.curator_runs import PEOPLE, CuratorTask, run_answers, run_person

CAPS = {"bbc": 400, "dbpedia": 150, "20news": 150, "arxiv": 100}
"""Documents of a class where topics are taken out: small enough for an hour in all."""

CUT_CAPS = {"bbc": 400, "dbpedia": 300, "20news": 400, "arxiv": 200}
"""Documents of a class where one topic is cut to `CUT_TO`."""

CUT_TO, CUTS, ANSWERS = 100, 12, 20
_SECOND, _TREES = 4, 3


@dataclass(frozen=True)
class _Labelled:
    name: str
    gold: Taxonomy
    documents: list[Document]

    def sample(self, cap: int) -> list[Document]:
        rows = cap_classes([each.labels for each in self.documents], cap)
        return [self.documents[int(row)] for row in rows]


def run(corpora: Path | None) -> str:
    """Run every scenario that is not kept yet, and write the tables."""
    if corpora is None:
        return "No corpora were given: `python -m benchmarks --corpora DIR curator`."
    with tempfile.TemporaryDirectory() as scratch:
        kept = Path(os.environ.get("TAXOCOM_CURATOR_RUNS") or scratch)
        kept.mkdir(parents=True, exist_ok=True)
        found = [each for name in CAPS if (corpora / name).is_dir() for each in _runs(_read(corpora / name), kept)]
    people = [each for each in found if each.person in PEOPLE]
    cut = [each for each in found if each.person not in PEOPLE]
    return "\n".join(_told(people, cut))


def _runs(labelled: _Labelled, kept: Path) -> Iterator[CuratorRun]:
    sample = labelled.sample(CAPS[labelled.name])
    for scenario in _scenarios(labelled):
        for person in PEOPLE:
            task = CuratorTask(scenario, sample)
            yield _kept(kept, f"{scenario.name} {person}", partial(run_person, task, person))
    large = labelled.sample(CUT_CAPS[labelled.name])
    for path in _cut(labelled.gold):
        yield _kept(kept, f"{labelled.name} cut {'/'.join(path)}", partial(_run_cut, labelled, large, path))


def _scenarios(labelled: _Labelled) -> list[Scenario]:
    gold = labelled.gold
    tops = [path_key(gold.path_of(node.node_id)) for node in gold.children_of(ROOT_ID)]
    found = [removal_scenario(f"{labelled.name}: {path[0]}", gold, [path]) for path in tops]
    if any(gold.children_of(node.node_id) for node in gold.children_of(ROOT_ID)):
        for state in range(_TREES):
            name = f"{labelled.name}: four below, {state + 1}"
            found.append(random_removals(gold, _SECOND, rule="second", random_state=state, name=name))
    return found


def _cut(gold: Taxonomy) -> list[TopicPath]:
    leaves = [path_key(gold.path_of(node.node_id)) for node in gold.walk() if not gold.children_of(node.node_id)]
    return random.Random(0).sample(leaves, min(CUTS, len(leaves)))


def _run_cut(labelled: _Labelled, sample: list[Document], path: TopicPath) -> CuratorRun:
    rows = skew_topic([each.labels for each in sample], path, CUT_TO)
    scenario = removal_scenario(f"{labelled.name}: {'/'.join(path)}", labelled.gold, [path])
    return run_answers(CuratorTask(scenario, [sample[int(row)] for row in rows]), ANSWERS)


def _kept(folder: Path, name: str, make: Callable[[], CuratorRun]) -> CuratorRun:
    file = folder / (name.replace("/", "-").replace(":", "").replace(" ", "_") + ".json")
    if not file.exists():
        print(name, flush=True)
        file.write_text(json.dumps(asdict(make())), encoding="utf-8")
    plain = json.loads(file.read_text(encoding="utf-8"))
    points = tuple(CurvePoint(**point) for point in plain.pop("points"))
    f1 = tuple((tuple(path), value) for path, value in plain.pop("f1"))
    return CuratorRun(**plain, points=points, f1=f1)


def _read(folder: Path) -> _Labelled:
    gold = read_seed(folder / "gold.tsv").taxonomy
    file = next(each for each in sorted(folder.iterdir()) if each.name.startswith("docs.jsonl"))
    known = set(topic_paths(gold))
    return _Labelled(folder.name, gold, [each for each in sniff(file).documents() if path_key(each.labels) in known])


def _told(people: list[CuratorRun], cut: list[CuratorRun]) -> list[str]:
    return [
        "Three simulated people complete trees that lack topics. *By hand* adds names one after the other, then puts "
        "single wrong documents right, which it finds without looking for them. *Names* tells the names of one place "
        "together, judges ten documents where a card looks wrong, and answers questions. *Curator* looks at the "
        "proposals first. A click, a typed name and an answer are a gesture each. Runs that were kept from before are "
        "not in the seconds above.",
        "",
        to_markdown([curve_table(people)]),
        "To as many documents at the right place as by hand after five gestures for each missing topic:",
        "",
        *(f"* {speed_line(people, person)}" for person in PEOPLE[1:]),
        "",
        to_markdown([cut_table(cut, CUT_TO)]) if cut else "",
        to_markdown([scenario_table(people)]),
    ]
