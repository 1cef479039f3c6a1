"""Trees with everything a topic can say, for round trips."""

from __future__ import annotations

from hypothesis import strategies as st

from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Taxonomy, TopicNode, topic_id

_letters = st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co"))
_awkward = st.sampled_from(
    ["=1+1", "-x", "'=a", "a | b", "a\\|b", "x: y, z", "- item", "1. one", "# head", "*", "<b>&amp;</b>", "a, b; c",
     "[l](http://h)", "@x", '"q"', "machine_learning", "ROOT", "a/b > c", "_x0041_", "\\", "é ü 漢字", "🙂", "'",
     "true", "3", "1e5", "2026-11-16", "x (y)"]
)  # fmt: skip


def one_line(text: str) -> str:
    return " ".join(text.split())


names = st.one_of(_awkward, st.text(_letters, min_size=1, max_size=12)).map(one_line).filter(bool)
texts = st.one_of(
    st.just(""), _awkward, st.lists(names, max_size=3).map("\n".join), st.text(_letters, max_size=30).map(str.strip)
).map(lambda text: "\n".join(text.strip().splitlines()))
some_names = st.lists(names, max_size=3, unique=True).map(tuple)
numbers = st.floats(0, 1e6, allow_nan=False).map(float)
anchors = st.builds(AnchorTerm, names, numbers, numbers, numbers, numbers, numbers)
properties = st.lists(st.tuples(names, names), max_size=2, unique=True).map(tuple)


@st.composite
def topics(draw: st.DrawFn, node_id: str, label: str | None = None) -> TopicNode:
    label = label or draw(names)
    alternatives = tuple(name for name in draw(some_names) if name != label)
    return TopicNode(
        node_id,
        label,
        center_term=draw(st.one_of(st.just(""), names)),
        keywords=draw(some_names),
        anchors=draw(st.lists(anchors, max_size=2, unique_by=lambda anchor: anchor.term).map(tuple)),
        origin=draw(st.sampled_from(["seed", "novel", "manual"])),
        status=draw(st.sampled_from(["approved", "approved", "proposed", "rejected"])),
        alt_labels=alternatives,
        definition=draw(texts),
        scope_note=draw(texts),
        notation=draw(st.one_of(st.just(""), names)),
        notes=tuple(note for note in draw(st.lists(texts, max_size=2, unique=True)) if note),
        n_documents=draw(st.one_of(st.none(), st.integers(0, 10**6))),
        concentration=draw(st.one_of(st.none(), numbers)),
        properties=draw(properties),
    )


@st.composite
def full_trees(draw: st.DrawFn, max_topics: int = 6) -> Taxonomy:
    """A tree whose topics say everything; siblings may share a name."""
    nodes = {ROOT_ID: draw(topics(ROOT_ID))}
    children: dict[str, tuple[str, ...]] = {}
    for number in range(draw(st.integers(1, max_topics))):
        parent = draw(st.sampled_from(list(nodes)))
        node = draw(topics(topic_id(str(number))))
        nodes[node.node_id] = node
        children[parent] = (*children.get(parent, ()), node.node_id)
    return Taxonomy(nodes, children, draw(st.sampled_from(["en", "de", "pt-BR"])))


@st.composite
def plain_trees(draw: st.DrawFn, max_topics: int = 8) -> Taxonomy:
    """A tree of names and keywords with ids made from paths, as a seed has them; siblings differ in name."""
    nodes = {ROOT_ID: TopicNode(ROOT_ID, draw(names))}
    children: dict[str, tuple[str, ...]] = {}
    paths: dict[str, tuple[str, ...]] = {ROOT_ID: ()}
    for _ in range(draw(st.integers(1, max_topics))):
        parent = draw(st.sampled_from(list(nodes)))
        label = draw(names)
        if any(nodes[child].label.casefold() == label.casefold() for child in children.get(parent, ())):
            continue
        path = (*paths[parent], label)
        node = TopicNode(topic_id(*path), label, keywords=draw(some_names))
        nodes[node.node_id], paths[node.node_id] = node, path
        children[parent] = (*children.get(parent, ()), node.node_id)
    return Taxonomy(nodes, children)


def outline(tree: Taxonomy) -> list[str]:
    return ["/".join(tree.path_of(node.node_id)) for node in tree.walk()]
