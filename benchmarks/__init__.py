"""Measurements that the documentation quotes: `python -m benchmarks --help`."""
