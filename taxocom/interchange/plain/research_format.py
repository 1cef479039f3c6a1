"""The research format: a parent and its children on a line, separated by tabs; the root is `*`."""

from __future__ import annotations

from collections import Counter

from taxocom.interchange.base.building import TreeBuilder
from taxocom.interchange.base.cells import neutralised, restored
from taxocom.interchange.base.seed_document import SeedDocument
from taxocom.interchange.base.source import Source
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.terms.vocabulary import display

ROOT_NAMES = ("*", "ROOT")


def read_research(source: Source) -> SeedDocument:
    """Read parent–children lines; a name is a topic, so a name under two parents is refused."""
    builder = TreeBuilder(source)
    rows = _rows(source)
    listed = Counter(_bare(name) for _, row in rows for name in row[1:])
    paths: dict[str, str] = {}
    for line, row in rows:
        if len(row) < 2:
            builder.problem(
                "info", "leaf-line", f"{row[0]!r} stands alone; a topic without children needs no line.", line
            )
        parent = None if row[0] in ROOT_NAMES else _key(row[0])
        if parent is not None and parent not in builder:
            builder.add(parent, TopicNode("", builder.name(_label(row[0]), line)), line)
        siblings = {_key(name) for name in row[1:]}
        for name in row[1:]:
            key = _key(name)
            label = builder.name(_label(name), line)
            bare, place = _bare(label), _place(label)
            if place == paths.get(parent or "", "") and place and listed[bare] > 1 and _key(bare) not in siblings:
                label = bare
            if key not in builder:
                builder.add(key, TopicNode("", label), line)
            paths[key] = " / ".join(filter(None, [paths.get(parent or "", ""), label]))
            builder.link(key, parent, line)
    return builder.finish("tsv")


def _label(name: str) -> str:
    """Return the label that a name stands for; one of underscores alone stays as it is."""
    label = display(name)
    return label if label.strip() else name


def write_research(tree: Taxonomy) -> bytes:
    """Write one line per topic with children, the root first.

    Names are identities in this format: a name that occurs in several places is written once as it is and then with
    its place in brackets, which `read_research` takes off again. So is the apostrophe before what a spreadsheet would
    run as a formula.
    """
    names = research_names(tree)
    lines = []
    for node in tree.subtree_of(ROOT_ID):
        below = [names[child] for child in tree.children.get(node.node_id, ())]
        if below:
            lines.append("\t".join(map(neutralised, [names[node.node_id], *below])))
    return ("\n".join(lines) + "\n").encode()


def research_names(tree: Taxonomy, root: str = "*") -> dict[str, str]:
    """Return a unique name for every topic, words joined by underscores, by topic id."""
    names = {ROOT_ID: root}
    # A topic of that name would be read as the root itself.
    taken = {name.casefold() for name in (root, *ROOT_NAMES)}
    for node in tree.walk():
        name = node.label.replace(" ", "_")
        place = " / ".join(tree.path_of(node.node_id)[:-1])
        if name.casefold() in taken and place:
            name = f"{node.label} ({place})".replace(" ", "_")
        serial = 2
        while name.casefold() in taken:
            name, serial = f"{node.label} {serial}".replace(" ", "_"), serial + 1
        taken.add(name.casefold())
        names[node.node_id] = name
    return names


def _rows(source: Source) -> list[tuple[int, list[str]]]:
    rows = []
    for line, text in enumerate(source.text().splitlines(), start=1):
        if not text.strip():
            continue
        cells = [restored(cell.strip()) for cell in text.rstrip().split("\t")]
        if not all(cells):
            raise source.error(
                "an empty name between two tabs. Write the parent, a tab, and its children with one tab between them.",
                line,
            )
        rows.append((line, cells))
    return rows


def _key(name: str) -> str:
    return " ".join(display(name).split()).casefold()


def _bare(name: str) -> str:
    label = " ".join(display(name).split())
    return label[: label.rindex(" (")] if _place(label) else label


def _place(name: str) -> str:
    label = display(name)
    return label[label.rindex(" (") + 2 : -1] if label.endswith(")") and " (" in label else ""
