"""What the README shows must run."""

import csv
import re
from pathlib import Path

import pytest

from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.planted import plant

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.slow
@pytest.mark.xdist_group("umap")
def test_the_library_example_runs_and_finds_the_missing_topic(tmp_path, monkeypatch, capsys):
    planted = plant(n_parents=3, n_children=2)
    *kept, missing = planted.gold.children_of(ROOT_ID)
    outline = [
        line
        for parent in kept
        for line in (f"- {parent.label}", *(f"  - {c.label}" for c in planted.gold.children_of(parent.node_id)))
    ]
    (tmp_path / "topics.txt").write_text("\n".join(outline) + "\n")
    with (tmp_path / "articles.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "text"])
        table.writerows(zip(planted.corpus.document_ids, planted.corpus.texts, strict=True))
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    (novel,) = [line for line in printed if line.startswith("+")]
    own = {
        word
        for d, path in enumerate(planted.paths)
        if path[0] == missing.label
        for word in planted.corpus.texts[d].split()
    }
    assert all(term in own for term in re.findall(r"'(\w+)'", novel))
    assert len([line for line in printed if line.startswith(" ")]) == 6


def test_both_commands_are_named_first():
    text = README.read_text()
    assert text.index("make app") < text.index("make test") < text.index("pip install")
