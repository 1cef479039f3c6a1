from __future__ import annotations

import pytest

from taxocom.errors import SeedError
from taxocom.interchange.seed_reading import read_seed
from taxocom.taxonomy.tree import topic_id
from tests.interchange.trees import outline

TREE = ["Sport", "Sport/Ball games", "Sport/Ball games/Soccer", "Law"]


@pytest.mark.parametrize(
    "text",
    [
        "*\tSport\tLaw\nSport\tBall_games\nBall games\tSoccer\n",
        "ROOT\tSport\tLaw\nBall games\tSoccer\nSport\tBall_games\n",
        "Sport\n  Ball games\n    Soccer\nLaw\n",
        "Sport\n\tBall games\n\t\tSoccer\nLaw\n",
        "- Sport\n  * Ball games\n    1. Soccer\n- Law\n",
        "    Sport\n        Ball games\n            Soccer\n    Law\n",
        "path\nSport\nSport/Ball games/Soccer\nLaw\n",
        "id;path\n1;Sport > Ball games > Soccer\n2;Law\n",
        "level 1,level 2,level 3\nSport,Ball games,Soccer\nLaw,,\n",
        "Level_1,Level_2,Level_3\nSport\n,Ball games\n,,Soccer\nLaw\n",
        "parent,child\n,Sport\nBall games,Soccer\nSport,Ball games\n*,Law\n",
        "child\tparent\nSport\t\nBall games\tSport\nSoccer\tBall games\nLaw\troot\n",
        "id,prefLabel,broader\n1,Sport,\n2,Ball games,1\n3,Soccer,Ball games\n4,Law,\n",
        '{"Sport": {"Ball games": ["Soccer"]}, "Law": null}',
        '["Sport", "Law", {"Sport": {"Ball games": "Soccer"}}]',
        '[{"name": "Sport", "children": [{"name": "Ball games", "children": [{"name": "Soccer"}]}]}, {"name": "Law"}]',
        '{"topics": [{"label": "Sport", "subtopics": [{"Ball games": ["Soccer"]}]}, "Law"]}',
    ],
)
def test_every_way_of_writing_a_tree_gives_the_same_tree(text):
    tree = read_seed(text.encode(), "csv" if "," in text.splitlines()[0] and "{" not in text else None).taxonomy
    assert outline(tree) == TREE


def test_ids_come_from_the_path_unless_given():
    tree = read_seed(b"Sport\n  Soccer\n").taxonomy
    assert [node.node_id for node in tree.walk()] == [topic_id("Sport"), topic_id("Sport", "Soccer")]
    assert [node.node_id for node in read_seed(b"id,prefLabel\ns,Sport\n").taxonomy.walk()] == ["s"]


@pytest.mark.parametrize(
    "text",
    [
        "Sport: goal, match; cup\n",
        "path,keywords\nSport,goal; match | cup\n",
        'parent,child,keywords\n,Sport,"goal,match,cup"\n',
        'id,prefLabel,keywords\n,Sport,"goal | match|cup"\n',
        '[{"name": "Sport", "keywords": ["goal", "match", "cup"]}]',
        '[{"name": "Sport", "keywords": "goal, match, cup"}]',
    ],
)
def test_a_topic_has_further_keywords(text):
    (node,) = read_seed(text.encode(), "csv" if "prefLabel" in text or "path" in text else None).taxonomy.walk()
    assert node.keywords == ("goal", "match", "cup")


def test_a_heading_is_the_title_and_a_backslash_keeps_a_sign():
    document = read_seed(b"# News\n\n- Star Wars\\: a film: jedi\\, luke, force\n")
    (node,) = document.taxonomy.walk()
    assert (document.taxonomy.root.label, node.label, node.keywords) == (
        "News",
        "Star Wars: a film",
        ("jedi, luke", "force"),
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("*\ta\tb\na\tc\nb\tc\n", r"line 3: 'c' is already under 'a' \(line 2\), now also under 'b'.*remove one"),
        ("a\tb\nb\tc\nc\ta\n", "circle: .* Remove one"),
        ("*\ta\t\tb\n", "line 1: an empty name between two tabs"),
        ("parent,child\nA,B\nB,A\n", "circle: (A > B > A|B > A > B)"),
        ("parent,child\nA,B\nC,B\n", "line 3: 'B' is already under 'A'"),
        ("parent,child\nA,\n", "line 2: The name of a topic is empty"),
        ("path,x\nA//B,\n", "line 2: .* has an empty name in it"),
        ("level 1,level 2,level 3\nA\n,,C\n", "line 3: column 2 is empty"),
        ("- a\n    - b\n  - c\n", "line 3: indented by 2"),
        ('{"a": }', "line 1: not valid JSON"),
        ('{"a": 3}', "expected topics, found 3"),
        ('id,prefLabel\n1,"A\n', "not valid CSV"),
        ("id,prefLabel\n1,A\n1,B\n", "line 3: the id '1' is taken by 'A'"),
        ("id,prefLabel,documents\n1,A,many\n", "line 2: documents is 'many'"),
        ("id,prefLabel,concentration\n1,A,nan\n", "line 2: 'A' has a number that is not finite"),
        ("id,prefLabel,documents\n1,A,-1\n", "fewer than no documents"),
        ('{"a": ' + "9" * 5000 + "}", "not valid JSON"),
        ("id,prefLabel,broader\n1,A,2\n2,B,1\n", "circle"),
        ("id,prefLabel\n1,\n", "line 2: The name of a topic is empty"),
        ("%PDF-1.7 ...", "PDF"),
        ("a\x00b", "NUL bytes"),
        ("   \n", "empty"),
        ("[" * 5000, "not valid JSON|nested"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_place(text, says):
    with pytest.raises(SeedError, match=says) as raised:
        read_seed(text.encode(), name="seed.txt")
    assert "seed.txt" in str(raised.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SeedError, match=r"nowhere\.tsv: cannot be read"):
        read_seed(tmp_path / "nowhere.tsv")


def test_a_file_is_read_by_its_extension_whatever_its_encoding(tmp_path):
    path = tmp_path / "seed.csv"
    path.write_bytes("path\nÉtude/Forêt\n".encode("utf-16"))
    assert outline(read_seed(path).taxonomy) == ["Étude", "Étude/Forêt"]
    path.write_bytes("path\nÉtude/Forêt\n".encode("cp1252"))
    assert outline(read_seed(str(path)).taxonomy) == ["Étude", "Étude/Forêt"]


def test_what_can_be_repaired_is_repaired_and_listed():
    document = read_seed(b"*\tA\tA\tB\nA\tC\nX\tY\n", name="seed.tsv")
    assert outline(document.taxonomy) == ["A", "A/C", "B", "X", "X/Y"]
    assert [(problem.code, problem.line) for problem in document.problems] == [("duplicate", 1), ("orphan", 3)]
    assert "line 1: 'A' is listed twice" in document.report()


def test_the_same_name_in_two_places_is_two_topics_and_a_warning():
    document = read_seed(b"France\n  Elections\nSpain\n  elections\n")
    assert outline(document.taxonomy) == ["France", "France/Elections", "Spain", "Spain/elections"]
    assert [problem.code for problem in document.problems] == ["repeated-name"]


def test_a_second_broader_topic_is_kept_as_a_property():
    document = read_seed(b"id,prefLabel,broader\n1,A,\n2,B,\n3,C,1 | 2\n", "csv")
    assert document.taxonomy["3"].properties == (("broader", "2"),)
    assert [problem.code for problem in document.problems] == ["polyhierarchy"]


def test_an_unknown_format_is_refused():
    with pytest.raises(SeedError, match="'docx'"):
        read_seed(b"x", "docx")


def test_a_reserved_id_is_replaced():
    document = read_seed(b"id,prefLabel\nnovel,A\n", "csv")
    assert [node.node_id for node in document.taxonomy.walk()] == [topic_id("A")]
    assert [problem.code for problem in document.problems] == ["reserved-id"]


def test_a_tree_too_deep_is_refused():
    text = "\n".join("\t" * depth + f"t{depth}" for depth in range(300))
    with pytest.raises(SeedError, match="nested more than 200 deep"):
        read_seed(text.encode())
