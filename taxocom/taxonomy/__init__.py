"""The tree of topics and the decisions that change it. Pure: no clock, no disk, no randomness."""
