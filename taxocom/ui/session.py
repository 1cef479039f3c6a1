"""Which project and topic the address names, and the open project itself. State lives in the address, not in memory."""

from __future__ import annotations

import streamlit as st

PROJECT, NODE = "project", "node"


def project_name() -> str | None:
    """Return the name of the project in the address, None without one."""
    return st.query_params.get(PROJECT)


def link_params(script: str) -> dict[str, str]:
    """Return what a link to another page carries along: the project, and the topic where it means something."""
    kept = {} if script == "app.py" else {PROJECT: project_name()}
    return {key: value for key, value in kept.items() if value}
