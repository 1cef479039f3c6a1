from __future__ import annotations

import pytest

from taxocom.evaluation import sources
from taxocom.evaluation.baselines import BASELINES
from taxocom.evaluation.own import TaxoCom
from taxocom.evaluation.runs import code_digest
from taxocom.evaluation.sources import source_digest

LAYERS = ("upper", "lower")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package whose module `upper.a` uses `lower.b` inside a function, and `upper.c`, which nothing uses."""
    root = tmp_path / "toy"
    for layer in LAYERS:
        (root / layer).mkdir(parents=True)
        (root / layer / "__init__.py").write_text("")
    (root / "upper" / "a.py").write_text("def f():\n    from toy.lower import b\n    return b.VALUE\n")
    (root / "lower" / "b.py").write_text("VALUE = 1\n")
    (root / "upper" / "c.py").write_text("import toy.lower.b\n")
    monkeypatch.setattr(sources, "_PACKAGE", root)
    source_digest.cache_clear()
    yield root
    source_digest.cache_clear()


def changed(path, text):
    path.write_text(text)
    source_digest.cache_clear()


def test_what_a_module_imports_counts_even_inside_a_function(package):
    before = source_digest("toy.upper.a", LAYERS)
    changed(package / "lower" / "b.py", "VALUE = 2\n")
    assert source_digest("toy.upper.a", LAYERS) != before


def test_what_it_does_not_import_does_not_count_nor_what_lies_in_other_layers(package):
    whole, upper = source_digest("toy.upper.a", LAYERS), source_digest("toy.upper.a", ("upper",))
    changed(package / "upper" / "c.py", "OTHER = 5\n")
    assert source_digest("toy.upper.a", LAYERS) == whole
    changed(package / "lower" / "b.py", "VALUE = 2\n")
    assert source_digest("toy.upper.a", ("upper",)) == upper


def test_comments_and_docstrings_change_nothing_and_values_do(package):
    before = source_digest("toy.lower.b", LAYERS)
    changed(package / "lower" / "b.py", '"""Says something."""\n\n# and why\nVALUE  =  1\n')
    assert source_digest("toy.lower.b", LAYERS) == before
    changed(package / "lower" / "b.py", "VALUE = 3\n")
    assert source_digest("toy.lower.b", LAYERS) != before


def test_the_engine_is_part_of_our_own_code_and_of_no_other_systems():
    everything = ("evaluation", "expansion", "taxonomy", "text", "numerics", "settings")
    assert "taxocom.expansion.pipeline" in sources._closure("taxocom.evaluation.own", everything)
    for system in BASELINES:
        modules = sources._closure(type(system).__module__, ("evaluation", "numerics"))
        assert not any(name.startswith("taxocom.expansion") for name in modules)
    assert len({code_digest(system) for system in (*BASELINES, TaxoCom())}) == len(BASELINES)  # two forms of BERTopic
