"""What all formats share: where bytes come from, how trees are built, cells, archives, and what goes with a tree."""
