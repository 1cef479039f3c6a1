"""How people name things on a command line: topics by path, clusters by name, themselves by login."""

from __future__ import annotations

import difflib
import getpass
import os
from typing import TYPE_CHECKING

import click

from taxocom.errors import InputError

if TYPE_CHECKING:
    from taxocom.taxonomy.tree import Taxonomy, TopicNode

ROOT_NAMES = ("", "/", "*", "root")


def _login() -> str:
    if named := os.environ.get("TAXOCOM_AUTHOR"):
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody"


author_option = click.option(
    "--author", default=_login, show_default="$TAXOCOM_AUTHOR or your login", help="Who decides."
)


def find_topic(taxonomy: Taxonomy, wanted: str) -> TopicNode:
    """Return the topic that somebody means: by id, by path (`politics/brexit`), or by a name that only one has.

    `root`, `/` and `*` mean the root.
    """
    if wanted in ROOT_NAMES:
        return taxonomy.root
    if wanted in taxonomy:
        return taxonomy[wanted]
    by_path = taxonomy.find(part.strip() for part in wanted.strip("/").split("/"))
    if by_path is not None:
        return by_path
    named = [node for node in taxonomy.walk() if node.label.casefold() == wanted.strip().casefold()]
    if len(named) == 1:
        return named[0]
    paths = ["/".join(taxonomy.path_of(node.node_id)) for node in named or taxonomy.walk()]
    if named:
        raise InputError(f"{len(named)} topics are called {wanted!r}: {', '.join(paths)}. Give the whole path.")
    near = difflib.get_close_matches(wanted.casefold(), [path.casefold() for path in paths], n=3, cutoff=0.4)
    hint = f"Nearest: {', '.join(near)}." if near else "`taxocom show PROJECT` lists them."
    raise InputError(f"There is no topic {wanted!r}. {hint}")
