"""From a corpus and a node of a partial tree to a proposal. Read `pipeline.py` first."""
