"""Long work tells how far it is, within an epoch too, and stops wherever it is told to."""

from __future__ import annotations

import pytest

from taxocom.errors import CancelledError
from taxocom.expansion.completion import complete
from taxocom.expansion.paper.embedding import pretrain
from taxocom.expansion.pipeline import expand_node
from taxocom.settings import EmbeddingSettings, ExpansionSettings
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.planted import plant

EPOCHS = 2
SETTINGS = ExpansionSettings(embedding=EmbeddingSettings(dim=10, epochs=EPOCHS, local_epochs=EPOCHS))


class Listener:
    """Notes every report; after `patience` of them the next is answered by a cancel."""

    def __init__(self, patience: int | None = None) -> None:
        self.reports: list[tuple[str, float]] = []
        self.patience = patience

    def report(self, stage: str, fraction: float) -> None:
        if self.patience is not None and len(self.reports) == self.patience:
            raise CancelledError("enough")
        self.reports.append((stage, fraction))

    @property
    def fractions(self) -> list[float]:
        return [fraction for _, fraction in self.reports]


@pytest.fixture(scope="module")
def planted():
    return plant(n_parents=2, n_children=2, n_documents=30, length=20)


@pytest.fixture(scope="module")
def pretrained(planted):
    return pretrain(planted.corpus, SETTINGS.embedding)


def the_whole_walk(planted, listener):
    return complete(planted.corpus, planted.gold, settings=SETTINGS, progress=listener)


def test_the_walk_tells_of_every_stage_and_never_goes_back(planted):
    listener = Listener()
    the_whole_walk(planted, listener)
    assert {stage for stage, _ in listener.reports} == {
        "Finding the main directions of the corpus",
        "Training vectors",
        "Reading the documents",
        "Looking for what the known topics explain",
        "Comparing documents",
        "Finding facets of the documents",
        "Measuring which facets are confused",
        "Measuring the terms",
        "Weighing what was found",
        "Done",
    }
    assert listener.fractions == sorted(listener.fractions)
    assert listener.fractions[0] == 0.0
    assert listener.fractions[-1] == 1.0
    # No stage is one long silence: the largest step is the share of a stage, not of a node or of all training.
    steps = [later - earlier for earlier, later in zip(listener.fractions, listener.fractions[1:], strict=False)]
    assert max(steps) < 0.1


def test_training_tells_of_itself_several_times_an_epoch(planted):
    listener = Listener()
    pretrain(planted.corpus, SETTINGS.embedding, progress=listener)
    training = [fraction for stage, fraction in listener.reports if stage == "Training vectors"]
    assert len(set(training)) >= 5 * EPOCHS


def test_a_cancel_is_heard_wherever_the_walk_reports(planted):
    listener = Listener()
    the_whole_walk(planted, listener)
    # Each is a walk of its own. Stages that train report often, and one of their reports is like the next.
    stages = [stage for stage, _ in listener.reports]
    positions = [n for n, stage in enumerate(stages) if stage != stages[n - 1] or n % 5 == 0]
    assert [position for position in positions if _stops(planted, position)] == positions


def _stops(planted, patience):
    listener = Listener(patience)
    with pytest.raises(CancelledError):
        the_whole_walk(planted, listener)
    # Nothing is reported, so nothing is begun, once a cancel was heard.
    return len(listener.reports) == patience


def test_a_cancelled_expansion_leaves_its_input_as_it_was(planted, pretrained):
    before = pretrained.terms.tobytes(), pretrained.documents.tobytes(), planted.gold
    listener = Listener(patience=8)
    with pytest.raises(CancelledError):
        expand_node(planted.corpus, planted.gold, ROOT_ID, pretrained, settings=SETTINGS, progress=listener)
    assert (pretrained.terms.tobytes(), pretrained.documents.tobytes(), planted.gold) == before
