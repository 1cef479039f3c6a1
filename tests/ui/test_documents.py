"""Which documents of a topic a person is shown first."""

import numpy as np

from taxocom.taxonomy.tree import topic_id
from taxocom.ui.documents import documents_of
from tests.ui.fabricate import fabricate_project


def test_documents_that_the_card_shows_come_first_then_those_that_fit_best(tmp_path, monkeypatch):
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    fabricated = fabricate_project("documents")
    project, tree = fabricated.project, fabricated.project.taxonomy()
    (cluster,) = (c for c in fabricated.expansion.clusters if c.cluster_id == topic_id("sport"))
    found = documents_of(project, tree, tree[topic_id("sport")])
    n_typical = len(cluster.typical_documents)
    ids = [project.corpus().document_ids[int(document)] for document in found.documents]
    assert tuple(ids[:n_typical]) == cluster.typical_documents
    assert len(set(ids)) == len(ids) == cluster.n_documents > n_typical
    assert (np.diff(found.score[n_typical:]) <= 0).all()
    project.close()
