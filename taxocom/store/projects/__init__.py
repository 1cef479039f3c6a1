"""A project: what it holds, where its documents are, how its texts grow and are tagged."""
