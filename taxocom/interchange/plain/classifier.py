"""Class names and keywords for a weakly supervised hierarchical classifier, as WeSHClass reads them."""

from __future__ import annotations

from taxocom.interchange.base.zip_files import pack
from taxocom.interchange.plain.research_format import research_names
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.terms.vocabulary import normal_term

ROOT = "ROOT"


def classifier_files(tree: Taxonomy) -> dict[str, bytes]:
    """Return `label_hier.txt` (a parent and its children a line) and `keywords.txt` (a leaf class and its keywords)."""
    names = research_names(tree, ROOT)
    hierarchy, keywords = [], []
    for node in tree.subtree_of(ROOT_ID):
        below = tree.children.get(node.node_id, ())
        if below:
            hierarchy.append("\t".join(names[node_id] for node_id in (node.node_id, *below)))
        else:
            keywords.append(f"{names[node.node_id]}\t{' '.join(_keywords(node)) or names[node.node_id]}")
    return {
        "label_hier.txt": ("\n".join(hierarchy) + "\n").encode(),
        "keywords.txt": ("\n".join(keywords) + "\n").encode(),
    }


def write_classifier(tree: Taxonomy) -> bytes:
    """Write both files as one zip."""
    return pack(classifier_files(tree))


def _keywords(node: TopicNode) -> list[str]:
    """Return what describes a class, spelled as terms: the anchors last, since people know better."""
    said = [node.label, node.center_term, *node.keywords, *(anchor.term for anchor in node.anchors)]
    return list(dict.fromkeys(term for name in said if (term := normal_term(name))))
