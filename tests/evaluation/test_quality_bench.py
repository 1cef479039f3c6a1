"""The benchmark behind docs/evaluation, on a planted corpus with toy systems in the place of the real ones."""

from __future__ import annotations

import gzip
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pytest
from planting import planted_documents

from benchmarks import _quality_own, _quality_plan, _quality_runs, _quality_tables, quality
from benchmarks._quality_plan import Case, Part, Row
from benchmarks._quality_runs import Place, ProposedTopic, run_rows, stored
from taxocom.evaluation.our_system import TaxoCom
from taxocom.evaluation.systems import SystemResult
from taxocom.settings import ExpansionSettings
from taxocom.store.projects.lexicon_files import find_lexicon
from taxocom.taxonomy.tree import ROOT_ID, TopicNode

PART = Part("planted", "Planted", 60)


@dataclass(frozen=True)
class Toy:
    """Calls every document with an ice word novel; `precise` calls no other so."""

    name: str = "toy"
    note: str = ""
    precise: bool = True
    broken: bool = False
    runs: list[str] = field(default_factory=list, repr=False, compare=False)

    def run(self, corpus, seed, *, random_state, progress):
        self.runs.append(f"{seed.root.label}{random_state}")
        if self.broken:
            raise RuntimeError("out of luck")
        tree = seed.with_topic(TopicNode("new", "ice", origin="novel"), ROOT_ID)
        novel = ["hockey" in text or (not self.precise and "space" in text) for text in corpus.texts]
        assigned = ["new" if is_novel else ROOT_ID for is_novel in novel]
        return SystemResult(tree, assigned, {"new": ["hockey1", "hockey2"]}, {"new": ["hockey"]})


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Corpora on disk, an empty cache, and threads in the place of processes."""
    folder = tmp_path / "corpora" / "planted"
    folder.mkdir(parents=True)
    documents, labels = planted_documents(40, random_state=3)
    with gzip.open(folder / "docs.jsonl.gz", "wt", encoding="utf-8") as file:
        for i, (terms, label) in enumerate(zip(documents, labels, strict=True)):
            file.write(json.dumps({"id": str(i), "text": " ".join(terms), "labels": list(label)}) + "\n")
    (folder / "gold.tsv").write_text("*\tscience\tsports\nscience\tspace\tmedicine\nsports\tbaseball\thockey\n")
    (folder / "seed_a.tsv").write_text("*\tscience\nscience\tspace\tmedicine\n")
    (folder / "seed_b.tsv").write_text("*\tscience\tsports\nscience\tspace\tmedicine\nsports\tbaseball\n")
    (folder / "seed_c.tsv").write_text("*\tscience\nscience\tspace\n")
    monkeypatch.setattr(_quality_runs, "ProcessPoolExecutor", lambda jobs, **_: ThreadPoolExecutor(jobs))
    for module in (_quality_plan, _quality_tables):
        monkeypatch.setattr(module, "SIDE_BY_SIDE", (PART,))
    for module in (_quality_plan, _quality_own, quality):
        monkeypatch.setattr(module, "OWN", (PART,))
    _quality_runs._prepared.cache_clear()
    yield Place(tmp_path / "corpora", tmp_path / "cache")
    _quality_runs._prepared.cache_clear()


def test_what_was_run_is_not_run_again_even_without_its_index(place):
    toy, later = Toy(), Toy(name="later")
    rows = [Row(Case(PART, "b"), toy), Row(Case(PART, "b"), toy, 1)]
    first = run_rows(place, rows, jobs=1)
    assert (first.n_run, first.failures, len(first.reports)) == (2, (), 2)
    assert first.reports[rows[0].name].detection.f1 == 1.0
    _quality_runs.clear_indexes(place)
    again = run_rows(place, [*rows, Row(Case(PART, "b"), later)], jobs=1)
    assert (again.n_run, len(toy.runs), len(later.runs)) == (1, 2, 1)
    assert again.reports[rows[0].name] == first.reports[rows[0].name]
    assert _quality_runs.cost(place, rows) >= 0.0


def test_a_change_of_settings_runs_that_row_alone_again(place):
    rows = [Row(Case(PART, "b"), Toy()), Row(Case(PART, "b"), Toy(name="other"))]
    run_rows(place, rows, jobs=1)
    changed = Row(Case(PART, "b"), Toy(precise=False))
    done = run_rows(place, [changed, rows[1]], jobs=1)
    assert done.n_run == 1
    assert done.reports[changed.name].detection.precision < 1.0


def test_a_row_that_breaks_is_told_and_stops_no_other(place):
    rows = [Row(Case(PART, "b"), Toy(name="unlucky", broken=True)), Row(Case(PART, "b"), Toy())]
    done = run_rows(place, rows, jobs=1)
    assert list(done.reports) == [rows[1].name]
    assert "unlucky" in done.failures[0]
    assert "out of luck" in done.failures[0]
    assert stored(place, rows[0]) is None


def test_a_cut_topic_keeps_a_hundred_documents_and_no_other_loses_any(place, monkeypatch):
    monkeypatch.setattr(_quality_runs, "CUT_TO", 7)
    plain, cut = Row(Case(PART, "b"), Toy()), Row(Case(PART, "b", ("sports", "hockey")), Toy())
    done = run_rows(place, [plain, cut], jobs=1)
    assert done.reports[cut.name].detection.n_gold == 7
    assert done.reports[cut.name].n_documents == 3 * 40 + 7
    assert "1 of 1 are recovered" in _quality_own.skew_table(done.reports, [cut]).caption


def test_the_whole_page_is_filled_from_one_run_and_the_next_runs_nothing(place, monkeypatch, tmp_path):
    rival, ours, paper = Toy(name="rival"), Toy(name="TaxoCom", precise=False), Toy(name="TaxoCom --paper")
    for module in (_quality_plan, _quality_tables):
        monkeypatch.setattr(module, "compared_systems", lambda: (rival, paper, ours))
    for module in (_quality_plan, _quality_tables, _quality_own):
        monkeypatch.setattr(module, "OURS", ours)
    monkeypatch.setattr(quality, "ablations", list)
    monkeypatch.setattr(_quality_tables, "variant_systems", dict)
    monkeypatch.setattr(_quality_tables, "embedding_ablation", tuple)
    monkeypatch.setattr(_quality_tables, "departure_ablation", tuple)
    monkeypatch.setattr(_quality_runs, "_propose_news", lambda: [ProposedTopic("film", ("film", "art"), 9, ("movie",))])
    monkeypatch.setattr(_quality_plan, "Row", lambda *row, **_: Row(*row))
    pages = tmp_path / "pages"
    pages.mkdir()
    page = pages / "page.md"
    marks = "".join(f"<!-- begin {name} --><!-- end {name} -->\n" for name in [*quality.BLOCKS, "facts"])
    page.write_text(marks, encoding="utf-8")
    options = quality.Options(place.cache, jobs=1, pages=pages)
    quality.run(place.corpora, options)
    n_runs = len(rival.runs), len(ours.runs)
    text = page.read_text(encoding="utf-8")
    assert "| film | film, art | 9 | movie |" in text
    # On seed b the rival takes hockey's documents alone, and ours space's too.
    assert re.search(r"^\| Planted \| b \| 0\.[67]\d+ \| rival \| 1\.000 \| no \|", text, re.MULTILINE)
    assert "Missing" not in text
    quality.run(place.corpora, options)
    assert (len(rival.runs), len(ours.runs)) == n_runs
    quality.run(place.corpora, replace(options, only=("none",)))
    assert (len(rival.runs), len(ours.runs)) == n_runs


def test_rows_are_named_apart_and_each_variant_is_one_change_from_the_defaults():
    rows = [*_quality_plan.side_by_side(), *_quality_plan.ablations(), *_quality_plan.own_states()]
    assert len({row.name for row in rows}) == len(rows)
    systems = _quality_plan.variant_systems()
    assert systems[ExpansionSettings()] == TaxoCom(lexicon=find_lexicon)
    variants = [*_quality_plan.departure_ablation(), *_quality_plan.embedding_ablation()]
    assert len({systems[v.settings].name for v in variants}) == len({v.settings for v in variants})
    assert replace(ExpansionSettings(), n_readings=1) in systems


def test_rows_are_chosen_by_system_or_by_whose_they_are():
    rows = _quality_plan.side_by_side()
    own = _quality_plan.chosen(rows, ("own",))
    assert {row.system.name for row in own} == {"TaxoCom", "TaxoCom --paper"}
    assert len(_quality_plan.chosen(rows, ("others",))) == len(rows) - len(own)
    assert {row.system.name for row in _quality_plan.chosen(rows, ("hlda", "josh"))} == {"hLDA", "JoSH"}
    with pytest.raises(ValueError, match="'hdla' is no system"):
        _quality_plan.chosen(rows, ("hdla",))


def test_means_are_shown_with_their_range_where_there_is_one():
    assert _quality_own.ranged([0.5, 0.7, 0.6]) == "0.60 (0.50–0.70)"
    assert _quality_own.ranged([2, 2], 0) == "2"


def test_expansions_are_the_root_and_every_first_level_topic_with_children(gold_tree):
    assert _quality_own.n_expansions(gold_tree) == 3
