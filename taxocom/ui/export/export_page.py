"""The Export page: a tile per format with a preview, releases, and the command that rebuilds the same."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from typing import cast

import streamlit as st

from taxocom.errors import TaxocomError
from taxocom.interchange import FORMATS, check_integrity, compare, export, write_bundle
from taxocom.interchange.base.context import DEFAULT_BASE
from taxocom.interchange.formats import Format
from taxocom.store import Project
from taxocom.store.projects.exporting import ProjectExport, export_of
from taxocom.taxonomy.tree import Status, Taxonomy
from taxocom.ui.export import tagging_form
from taxocom.ui.export.previews import preview
from taxocom.ui.runtime import session
from taxocom.ui.runtime.safe_text import break_addresses, count, md
from taxocom.ui.runtime.telling import told
from taxocom.ui.shared import curator
from taxocom.ui.shared.bootstrap import guarded
from taxocom.ui.shared.deciding import may_decide
from taxocom.ui.shared.forms import Button, Field, Part, Submitted, form
from taxocom.ui.shared.offering import refusal
from taxocom.ui.shared.thinking import show_when_known

_COLUMNS = 3


def show(project: Project) -> None:
    """Show what can leave, in every format."""
    with st.container(key="export-head", horizontal=True, vertical_alignment="center"):
        st.title("Export", anchor=False)
    release, statuses, base_uri = _choices(project)
    author = curator.name()

    def collect() -> ProjectExport:
        return export_of(project, release=release, statuses=statuses, base_uri=base_uri or DEFAULT_BASE, author=author)

    name = f"export of {release}, {sorted(statuses)}, {base_uri}, {author}"
    options = _options(release, statuses, base_uri, author)
    show_when_known(project, name, collect, lambda found: _formats(project, found, statuses, options), "Collecting…")
    if project.has_corpus and len(project.taxonomy()):
        tagging_form.show(project, release, lambda file: _command(project, file, "tagger", _options_of_tagger(release)))
    _releases(project)


def _formats(project: Project, exported: ProjectExport, statuses: frozenset[Status], options: str) -> None:
    n_topics = sum(node.status in statuses for node in exported.taxonomy.walk())
    if not n_topics:
        st.info("No topic is approved yet. Accept some on the Expand page, or include the proposed ones above.")
        st.page_link("pages/expand.py", label="Go to Expand", query_params=session.params(project))
        return
    st.caption(f"{count(n_topics, 'topic')} will be exported.{_left_out(exported.taxonomy, statuses)}")
    _bundle(project, exported, options)
    formats = [entry for entry in FORMATS.values() if exported.context.documents or not entry.needs_documents]
    for row in range(0, len(formats), _COLUMNS):
        for column, entry in zip(st.columns(_COLUMNS), formats[row : row + _COLUMNS], strict=False):
            with column:
                _tile(project, exported, entry, options)
    _integrity(project, exported, options)


def _left_out(tree: Taxonomy, statuses: frozenset[Status]) -> str:
    """Say how many topics of the tree wait for approval and stay out."""
    waiting: Mapping[Status, str] = {"draft": "draft", "suggested": "suggested topic"}
    counts = Counter(node.status for node in tree.walk() if node.status not in statuses)
    said = [count(counts[status], word) for status, word in waiting.items() if counts[status]]
    verb = "is" if sum(counts[status] for status in waiting) == 1 else "are"
    return f" {' and '.join(said)} {verb} left out until somebody approves." if said else ""


def _choices(project: Project) -> tuple[str | None, frozenset[Status], str]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = [release.name for release in project.releases()]
        chosen = st.selectbox("Version", ["As it is now", *reversed(names)], key="version", width=220)
        included = st.pills(
            "Besides the approved topics",
            ["proposed", "rejected", "draft", "suggested"],
            selection_mode="multi",
            key="include",
            help="They are marked as what they are.",
        )
        base_uri = st.text_input("URIs start with (SKOS)", key="base-uri", placeholder=DEFAULT_BASE, width=320)
    statuses = cast("frozenset[Status]", frozenset({"approved", *included}))
    return (None if chosen == "As it is now" else chosen), statuses, (base_uri or "").strip()


def _options_of_tagger(release: str | None) -> str:
    return f"--release {shlex.quote(release)}" if release else ""


def _options(release: str | None, statuses: frozenset[Status], base_uri: str, author: str) -> str:
    parts = [f"--release {shlex.quote(release)}"] if release else []
    parts += [f"--include {status}" for status in sorted(statuses - {"approved"})]
    parts += [f"--base-uri {shlex.quote(base_uri)}"] if base_uri else []
    parts += [f"--author {shlex.quote(author)}"] if author else []
    return " ".join(parts)


def _command(project: Project, file_name: str, format_name: str, options: str) -> str:
    words = ["taxocom", "export", shlex.quote(project.name), file_name, f"--format {format_name}", options]
    return " ".join(filter(None, words))


def _bundle(project: Project, exported: ProjectExport, options: str) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="bundle"):
        with st.container(gap=None):
            st.markdown("**Everything in one file**")
            st.caption("All formats, the decisions and a manifest; `taxocom replay` rebuilds the taxonomy from it.")
        st.download_button(
            "Download the bundle",
            lambda: write_bundle(exported.taxonomy, exported.context),
            f"{project.path.name}.zip",
            "application/zip",
            type="primary",
            on_click="ignore",
            key="get-bundle",
        )
        _preview("bundle", lambda: write_bundle(exported.taxonomy, exported.context))
        with st.popover("Command", type="tertiary"):
            st.code(_command(project, f"{project.path.name}.zip", "bundle", options), language="bash")


def _tile(project: Project, exported: ProjectExport, entry: Format, options: str) -> None:
    with st.container(border=True, key=f"format-{entry.name}", gap="small", height="stretch"):
        st.markdown(f"**{entry.title}**")
        st.caption(entry.description)
        with st.container(horizontal=True, gap="small"):
            st.download_button(
                "Download",
                lambda: export(exported.taxonomy, entry.name, exported.context),
                entry.file_name,
                entry.media_type,
                on_click="ignore",
                key=f"get-{entry.name}",
            )
            _preview(entry.name, lambda: export(exported.taxonomy, entry.name, exported.context))
            with st.popover("Command", type="tertiary"):
                st.code(_command(project, entry.file_name, entry.name, options), language="bash")


@st.fragment
@guarded
def _preview(format_name: str, write: Callable[[], bytes]) -> None:
    """Offer the first lines of a file; it is written when somebody looks.

    A part of its own: if the page ran again as a box opens or closes, a download asked for meanwhile would be lost.
    """
    with st.popover("Preview", type="tertiary", on_change="rerun", key=f"preview-{format_name}") as box:
        if not box.open:
            return
        try:
            shown = preview(format_name, write())
        except TaxocomError as error:
            st.error(told(error))
            return
        if isinstance(shown, str):
            st.code(shown, language=None)
        else:
            st.dataframe(shown, hide_index=True, key=f"preview-table-{format_name}")


def _integrity(project: Project, exported: ProjectExport, options: str) -> None:
    """Check when somebody looks: thousands of topics take seconds."""
    with st.expander("Would SKOS tools accept it?", key="integrity", on_change="rerun") as box:
        if box.open:
            show_when_known(
                project,
                f"integrity of {options}",
                lambda: check_integrity(exported.taxonomy, exported.context).to_markdown(),
                lambda told: st.markdown(break_addresses(told)),
                "Checking…",
            )


def _releases(project: Project) -> None:
    st.subheader("Releases", anchor=False)
    st.caption("A release saves the taxonomy as it is now under a name. You can export it unchanged at any time.")
    releases = project.releases()
    if releases:
        st.dataframe(
            [
                {
                    "release": r.name,
                    "when": r.at[:16].replace("T", " "),
                    "who": r.author,
                    "note": r.note,
                    "topics": len(r.taxonomy),
                }
                for r in reversed(releases)
            ],
            hide_index=True,
            key="releases",
        )
        newest = releases[-1]
        with st.expander(f"What changed since {md(newest.name)}", key="since-release", on_change="rerun") as box:
            if box.open:
                told = compare(newest.taxonomy, project.taxonomy()).to_markdown(newest.name, "now")
                st.markdown(break_addresses(told))
    if not may_decide():
        return
    fields = [
        Field("name", "Name of a new release", placeholder="2026-11", required=True),
        Field("note", "Note", placeholder="what is new"),
    ]
    form(
        f"release-{project.path.name}",
        Part("release", fields, [Button("freeze", "Freeze")], layout="line", refused=refusal(project, "release")),
        on_submit=lambda sent: _freeze(project, sent),
    )


def _freeze(project: Project, sent: Submitted) -> None:
    project.freeze_release(sent.text("name"), author=curator.name(), note=sent.text("note"))
