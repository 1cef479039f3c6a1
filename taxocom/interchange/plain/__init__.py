"""Text that other programs read: JSON, indented text, the research format, GraphML."""
