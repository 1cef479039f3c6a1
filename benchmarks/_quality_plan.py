"""What the tables of docs/evaluation need: which system runs on which part of which corpus, in which random state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from taxocom.evaluation.baselines import BASELINES
from taxocom.evaluation.our_system import TaxoCom
from taxocom.evaluation.scenarios import Scenario, complete_scenario
from taxocom.evaluation.systems import System
from taxocom.settings import ExpansionSettings
from taxocom.store.projects.lexicon_files import find_lexicon
from taxocom.taxonomy.tree import Taxonomy

SEEDS = ("a", "b", "c")
COMPLETE = "complete"
STATES = (0, 1, 2)
CUT_TO = 100


@dataclass(frozen=True)
class Part:
    """A corpus and how many documents of each of its classes take part."""

    folder: str
    corpus: str
    per_class: int

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"{self.corpus}, {self.per_class:,} a class"


# All systems side by side on what two hours allow; our own rows on what the bars ask for.
SIDE_BY_SIDE = (Part("20news", "20 Newsgroups", 500), Part("arxiv", "arXiv", 150))
OWN = (Part("20news", "20 Newsgroups", 1500), Part("arxiv", "arXiv", 1500))


@dataclass(frozen=True)
class Case:
    """A part of a corpus and a seed; in a skewed case the documents of the topic `cut` are cut to a hundred."""

    part: Part
    seed: str
    cut: tuple[str, ...] = ()

    @property
    def scenario_name(self) -> str:
        """What reports call it."""
        return f"{self.seed}, {'/'.join(self.cut)} cut" if self.cut else self.seed

    def scenario(self, gold: Taxonomy, seed: Taxonomy) -> Scenario:
        """Make the scenario from the trees of the corpus."""
        if self.seed == COMPLETE:
            return complete_scenario(gold, COMPLETE)
        return Scenario(self.scenario_name, gold, seed)


@dataclass(frozen=True)
class Row:
    """One run: a system on a case with a random state; `classify` trains the downstream classifier on its topics."""

    case: Case
    system: System
    random_state: int = 0
    classify: bool = False

    @property
    def name(self) -> tuple[str, str, str, int]:
        """What tells a run from every other."""
        return self.case.part.name, self.case.scenario_name, self.system.name, self.random_state


def _paper() -> TaxoCom:
    settings = ExpansionSettings.paper()
    values = f"β {settings.threshold_exponent}, M {settings.n_retrieval_terms}, margin {settings.embedding.margin}"
    note = f"the paper's rule on our text and kernel, every departure of ours off; {values} at every node"
    return TaxoCom(settings=settings, name="TaxoCom --paper", note=note)


OURS = TaxoCom(lexicon=find_lexicon)
PAPER = _paper()


def compared_systems() -> tuple[System, ...]:
    """Return the systems of the side-by-side tables, ours last."""
    return (*BASELINES, PAPER, OURS)


@dataclass(frozen=True)
class Variant:
    """Our system with one thing changed: what the table calls it, and its settings."""

    label: str
    settings: ExpansionSettings

    @property
    def system(self) -> TaxoCom:
        """The system under a name of its own; a variant that changes nothing is the row that is there already."""
        for known in (OURS, PAPER):
            if self.settings == known.settings:
                return known
        return TaxoCom(settings=self.settings, name=f"TaxoCom, {self.label}", lexicon=find_lexicon)


def embedding_ablation() -> tuple[Variant, ...]:
    """Return the paper's ablation, by its own rule and by ours: local (LE) and discriminative embedding (DE)."""
    made = []
    for rule, base in (("our rule", ExpansionSettings()), ("paper's rule", ExpansionSettings.paper())):
        for local in (False, True):
            for discriminative in (False, True):
                parts = [word for word, on in (("LE", local), ("DE", discriminative)) if on]
                settings = replace(
                    base,
                    local_embedding=local,
                    embedding=replace(base.embedding, discriminative=discriminative),
                )
                made.append(Variant(f"{rule}, {' and '.join(parts) or 'neither'}", settings))
    return tuple(made)


def departure_ablation() -> tuple[Variant, ...]:
    """Return our rule with one departure from the paper switched off at a time."""
    ours = ExpansionSettings()
    return (
        Variant("nothing changed", ours),
        Variant("discovery by terms, not facets", replace(ours, discovery="terms")),
        Variant("documents not drawn to neighbours", replace(ours, n_neighbours=0)),
        Variant("one reading of a node", replace(ours, n_readings=1)),
        Variant("general terms too", replace(ours, topical_terms_only=False)),
        Variant("one direction a topic", replace(ours, subtree_directions=False)),
        Variant("something is always missing", replace(ours, allow_none=False)),
        Variant("no lexicon", replace(ours, tagging=replace(ours.tagging, lexicon=False))),
        Variant("no floor on size", replace(ours, size_floor=0.0)),
        Variant("new topics may be explained by known ones", replace(ours, novelty_threshold=0.0)),
        Variant("the paper's names", replace(ours, better_names=False)),
        Variant("random start", replace(ours, embedding=replace(ours.embedding, spectral_start=False))),
        Variant("no local embedding", replace(ours, local_embedding=False)),
        Variant("no discriminative embedding", replace(ours, embedding=replace(ours.embedding, discriminative=False))),
        Variant("the paper's rule", ExpansionSettings.paper()),
    )


def side_by_side() -> list[Row]:
    """Every system on the smaller parts, once, with the downstream classifier."""
    return [
        Row(Case(part, seed), system, 0, classify=True)
        for part in SIDE_BY_SIDE
        for seed in SEEDS
        for system in compared_systems()
    ]


def variant_systems() -> dict[ExpansionSettings, TaxoCom]:
    """Return the system that stands for each variant; equal settings are one system, run once."""
    found: dict[ExpansionSettings, TaxoCom] = {}
    for variant in (*embedding_ablation(), *departure_ablation()):
        found.setdefault(variant.settings, variant.system)
    return found


def ablations() -> list[Row]:
    """Every variant of ours on the smaller parts, once; those that are rows of the comparison are there already."""
    systems = [system for system in variant_systems().values() if system not in (OURS, PAPER)]
    return [Row(Case(part, seed), system) for part in SIDE_BY_SIDE for seed in SEEDS for system in systems]


def own_states() -> list[Row]:
    """Our own row on the larger parts, each seed and the complete one, over the random states."""
    cases = [Case(part, seed) for part in OWN for seed in (*SEEDS, COMPLETE)]
    return [Row(case, OURS, state) for case in cases for state in STATES]


def skewed(removed: dict[Case, Iterable[tuple[str, ...]]]) -> list[Row]:
    """Our own row where one removed topic at a time has only a hundred documents.

    `removed` has the topmost removed topics of each plain case.
    """
    return [Row(replace(case, cut=path), OURS) for case, paths in removed.items() for path in paths]


def system_key(name: str) -> str:
    """Return a system's name as it is typed on a command line."""
    return name.casefold().replace(",", "").replace(" ", "-")


def chosen(rows: Iterable[Row], only: tuple[str, ...]) -> list[Row]:
    """Return the rows of the systems asked for: `own`, `others`, or names; all if none is asked for."""
    rows = list(rows)
    keys = {system_key(row.system.name) for row in rows} | {"own", "others"}
    if strange := sorted(set(only) - keys):
        raise ValueError(f"{strange[0]!r} is no system. There are: {', '.join(sorted(keys))}.")
    return [row for row in rows if not only or not set(only).isdisjoint(_keys_of(row))]


def _keys_of(row: Row) -> set[str]:
    return {system_key(row.system.name), "own" if isinstance(row.system, TaxoCom) else "others"}
