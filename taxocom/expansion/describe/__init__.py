"""What a cluster is shown by: its name, its terms, its typical documents, its warnings."""
