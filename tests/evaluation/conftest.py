from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode

Spec = Mapping[str, "Spec"]


def _grow(tree: Taxonomy, spec: Spec, parent: str) -> Taxonomy:
    for label, below in spec.items():
        novel = label.startswith("+")
        name = label.lstrip("+")
        tree = tree.with_topic(TopicNode(name, name, origin="novel" if novel else "seed"), parent)
        tree = _grow(tree, below, name)
    return tree


@pytest.fixture
def grow() -> Callable[[Spec], Taxonomy]:
    """Make a tree from nested names; an id is the name, and `+name` is novel."""
    return lambda spec: _grow(Taxonomy.empty(), spec, ROOT_ID)


@pytest.fixture
def gold_tree(grow: Callable[[Spec], Taxonomy]) -> Taxonomy:
    return grow(
        {
            "science": {"space": {}, "medicine": {}},
            "sports": {"baseball": {}, "hockey": {}},
            "sale": {},
        }
    )
