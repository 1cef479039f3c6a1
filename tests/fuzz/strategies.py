"""Files that were never whole: made from the grammar of each format, with cells, names and values of every kind."""

from __future__ import annotations

import json

from hypothesis import strategies as st

_text = st.text(max_size=20)
_awkward = st.sampled_from(
    ["", " ", "*", "ROOT", "path", "parent", "child", "keywords", "level 1", "prefLabel", "id", "text", "label",
     "- a", "# a",
     "  a", "\t", "a/b", "a > b", '"', '""', "=1", "\\", "[", '["a"]', "{}", "\u2028", "\x1c", "\ufeff", "9" * 30,
     "\x85"]
)  # fmt: skip
cells = st.one_of(_awkward, _text)


def _joined(separator: str) -> st.SearchStrategy[bytes]:
    def row(parts: list[str]) -> str:
        return separator.join(parts)

    return st.lists(st.lists(cells, max_size=5).map(row), max_size=8).map(
        lambda rows: "\n".join(rows).encode("utf-8", "replace")
    )


_keys = st.one_of(
    st.sampled_from(
        ["id", "label", "name", "children", "topics", "keywords", "format", "version", "anchors", "text", "decision",
         "kind",
         "node_id", "sequence", "author", "@id", "@type", "@graph", "@context", "@list", "@value", "skos:broader"]
    ),
    _text,
)  # fmt: skip
_scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=True), cells,
    st.sampled_from(["taxocom-taxonomy", "rename_topic", "undo", "skos:Concept", "root"]),
)  # fmt: skip
_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_keys, inner, max_size=5)),
    max_leaves=20,
)
_json = _values.map(lambda value: json.dumps(value).encode())
_json_lines = st.lists(_json, max_size=6).map(b"\n".join)

_terms = st.one_of(
    st.sampled_from(
        ["a", "skos:Concept", "skos:broader", "skos:narrower", "skos:prefLabel", "skos:ConceptScheme",
         "skos:inScheme", ";", ",",
         ".", "[", "]", "(", ")", "_:b", "<urn:a>", "<urn:b>", '"A"@en', '"B"^^xsd:string', "<>", "@prefix x: <y> .",
         "true", "1e5"]
    ),
    _text,
)  # fmt: skip
_turtle = st.lists(_terms, max_size=25).map(
    lambda parts: (
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<urn:a> a skos:Concept .\n" + " ".join(parts)
    ).encode("utf-8", "replace")
)
_elements = st.lists(
    st.sampled_from(
        ["<skos:Concept rdf:about='urn:a'>", "</skos:Concept>", "<skos:prefLabel xml:lang='en'>A</skos:prefLabel>",
         "<skos:broader rdf:resource='urn:b'/>", "<skos:broader rdf:nodeID='n'/>", "<rdf:Description>",
         "</rdf:Description>",
         "<rdf:li/>", "&amp;", "&#0;", "]]>", "<!-- -->", "text", "<a:b/>", "<rdf:Description rdf:ID='1'/>"]
    ), max_size=12,
).map(
    lambda parts: (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:skos="http://www.w3.org/2004/02/skos/core#">' + "".join(parts) + "</rdf:RDF>"
    ).encode()
)  # fmt: skip

STRATEGIES: dict[str, st.SearchStrategy[bytes]] = {
    "csv": _joined(","),
    "tsv": _joined("\t"),
    "jsonl": _json_lines,
    "lines": st.one_of(_joined(" "), st.binary(max_size=60)),
    "unnamed text": st.binary(max_size=60),
    "zip": st.binary(max_size=60).map(lambda tail: b"PK\x03\x04" + tail),
    "parquet": st.binary(max_size=60).map(lambda inside: b"PAR1" + inside + b"PAR1"),
    "seed tsv": _joined("\t"),
    "seed markdown": _joined(" "),
    "seed csv": _joined(","),
    "seed json": _json,
    "seed turtle": _turtle,
    "seed rdfxml": _elements,
    "seed jsonld": _json,
    "seed of any kind": st.one_of(_joined(";"), _json, _turtle, st.binary(max_size=60)),
    "decisions": _json_lines,
}
