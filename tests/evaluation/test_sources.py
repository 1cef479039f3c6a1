from __future__ import annotations

import pytest

from taxocom.evaluation import sources
from taxocom.evaluation.baselines import BASELINES
from taxocom.evaluation.our_system import TaxoCom
from taxocom.evaluation.runs import code_digest
from taxocom.evaluation.sources import source_digest

LAYERS = ("upper", "lower")
A = """
from toy.lower.b import VALUE as renamed, unused
from toy.upper import c

def f():
    from toy.lower.b import late
    return _helper() + late()

def _helper():
    return renamed + c.OTHER

def beside():
    return unused()
"""
B = """
FACTOR = 2
VALUE = FACTOR * 3

def late():
    return 1

def unused():
    return 2
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package in which `upper.a.f` uses some of `lower.b` and all of `upper.c`."""
    root = tmp_path / "toy"
    for layer in LAYERS:
        (root / layer).mkdir(parents=True)
        (root / layer / "__init__.py").write_text("")
    (root / "upper" / "a.py").write_text(A)
    (root / "lower" / "b.py").write_text(B)
    (root / "upper" / "c.py").write_text("OTHER = 5\n")
    monkeypatch.setattr(sources, "_PACKAGE", root)
    forget()
    yield root
    forget()


def forget():
    source_digest.cache_clear()
    sources._parsed.cache_clear()


def digest_after(path, old, new, layers=LAYERS):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    forget()
    return source_digest("toy.upper.a", "f", layers)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("upper/a.py", "return _helper() + late()", "return _helper() - late()"),
        ("upper/a.py", "return renamed + c.OTHER", "return renamed"),
        ("lower/b.py", "FACTOR = 2", "FACTOR = 3"),
        ("lower/b.py", "return 1", "return 10"),
        ("upper/c.py", "OTHER = 5", "OTHER = 6"),
    ],
)
def test_everything_that_a_function_uses_counts(package, file, old, new):
    before = source_digest("toy.upper.a", "f", LAYERS)
    assert digest_after(package / file, old, new) != before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("upper/a.py", "return unused()", "return 3"),
        ("lower/b.py", "return 2", "return 20"),
        ("lower/b.py", "FACTOR = 2\n", "# why two\nFACTOR  =  2\n"),
        ("lower/b.py", "def late():\n", 'def late():\n    """Says something."""\n'),
    ],
)
def test_what_stands_beside_it_and_what_is_not_executed_does_not(package, file, old, new):
    before = source_digest("toy.upper.a", "f", LAYERS)
    assert digest_after(package / file, old, new) == before


def test_what_lies_in_other_layers_does_not_count(package):
    before = source_digest("toy.upper.a", "f", ("upper",))
    assert digest_after(package / "lower" / "b.py", "FACTOR = 2", "FACTOR = 3", ("upper",)) == before


def test_the_engine_is_part_of_our_own_code_and_of_no_other_systems():
    everything = ("evaluation", "expansion", "taxonomy", "text", "numerics", "settings")
    ours = {symbol.module for symbol in sources._closure("taxocom.evaluation.our_system", "TaxoCom", everything)}
    assert {"taxocom.expansion.pipeline", "taxocom.numerics.sgd_kernels", "taxocom.settings"} <= ours
    assert len({code_digest(system) for system in (*BASELINES, TaxoCom())}) == len(BASELINES) + 1
