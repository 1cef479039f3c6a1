from __future__ import annotations

import importlib.util
from collections.abc import Callable

import pytest
from planting import Spec, corpus_of, grow_tree, planted_documents

from taxocom.evaluation.scenarios import Scenario, removal_scenario
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.corpus import Corpus

# BERTopic can be had without torch only by `pip install --no-deps` (requirements-eval.lock), so it is not among what
# tests need; how we call it is tested everywhere, in test_bertopic.py.
collect_ignore = [] if importlib.util.find_spec("bertopic") else ["test_bertopic_itself.py"]


@pytest.fixture
def grow() -> Callable[[Spec], Taxonomy]:
    """Make a tree from nested names; an id is the name, and `+name` is novel."""
    return lambda spec: grow_tree(Taxonomy.empty(), spec, ROOT_ID)


@pytest.fixture
def gold_tree(grow: Callable[[Spec], Taxonomy]) -> Taxonomy:
    return grow(
        {
            "science": {"space": {}, "medicine": {}},
            "sports": {"baseball": {}, "hockey": {}},
            "sale": {},
        }
    )


@pytest.fixture(scope="session")
def planted() -> Corpus:
    """A corpus of 320 documents in which the topics of the gold tree (but sale) are plain to see."""
    return corpus_of(*planted_documents(80, random_state=5))


@pytest.fixture
def planted_gold(grow: Callable[[Spec], Taxonomy]) -> Taxonomy:
    return grow({"science": {"space": {}, "medicine": {}}, "sports": {"baseball": {}, "hockey": {}}})


@pytest.fixture
def hockey_gone(planted_gold: Taxonomy) -> Scenario:
    return removal_scenario("hockey gone", planted_gold, [("sports", "hockey")])
