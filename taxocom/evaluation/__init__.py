"""How good it is, measured: scenarios with topics removed, metrics, other systems to compare with, reports."""
