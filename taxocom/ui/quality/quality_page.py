"""The Quality page: is this taxonomy any good, would it come out the same again, does it find what is missing?"""

from __future__ import annotations

from functools import partial

import streamlit as st

from taxocom.jobs.quality_tasks import approved
from taxocom.store import Project
from taxocom.taxonomy.tree import Taxonomy
from taxocom.ui.quality.quality_charts import ORIGIN_COLOURS, Bar, bar_figure, gap_figure
from taxocom.ui.quality.quality_tree import TopicQuality, TreeQuality, measure_tree
from taxocom.ui.quality.quality_views import SCORE, SHARE, beside_its_table, listed, plain_tile, score_table, tile
from taxocom.ui.quality.quality_words import COHERENCY, DIVERSITY, INTRUSION, tree_advice
from taxocom.ui.runtime import session
from taxocom.ui.runtime.safe_text import count, md, percent
from taxocom.ui.shared import jobs_view
from taxocom.ui.shared.thinking import show_when_known

_BARS = 24
_ICONS = {"good": "✓", "fair": "–", "poor": "!"}


def heading() -> None:
    """Show what the page is about."""
    with st.container(key="quality-head", horizontal=True, vertical_alignment="center"):
        st.title("Quality", anchor=False, width="content")
        st.caption("Nothing on this page changes the taxonomy. Long measurements run on copies, in the background.")


def ready(project: Project) -> bool:
    """Tell whether there is something to measure; say what to do first if there is not."""
    if project.has_corpus:
        return True
    if jobs_view.is_running(project, "index"):
        st.caption("The texts are being read. There is nothing to measure before that.")
        jobs_view.show_jobs(project, ("index",))
        return False
    session.empty_state("This project has no corpus yet", "Quality is measured on texts. Choose them first.")
    st.page_link("pages/corpus.py", label="Go to Corpus & seed", query_params=session.params(project))
    return False


def taxonomy_tab(project: Project) -> None:
    """Show what can be measured of the current tree without labels."""
    tree = approved(project.taxonomy())
    if not any(record.node_id in tree for record in project.proposals()):
        session.empty_state(
            "Nothing has been expanded yet",
            "A topic's documents are known once the topic above it has been expanded. Start at the top. Then this page "
            "shows how well the topics fit together and how much of the corpus they explain.",
        )
        st.page_link("pages/expand.py", label="Go to Expand", query_params=session.params(project))
        return
    measure = partial(measure_tree, project, session.expansion)
    show_when_known(project, "quality", measure, lambda quality: _quality(project, tree, quality), "Measuring…")


def _quality(project: Project, tree: Taxonomy, quality: TreeQuality) -> None:
    if not quality.gaps:
        session.empty_state(
            "The texts have been read again since the last expansion",
            "Expand the taxonomy again, so that each document has its topic.",
        )
        st.page_link("pages/expand.py", label="Go to Expand", query_params=session.params(project))
        return
    _tiles(quality)
    if not any(topic.origin == "novel" for topic in quality.topics):
        st.info("No new topic has been accepted yet, so this is the seed alone. Judge the proposed topics first.")
        st.page_link("pages/review.py", label="Go to Review", query_params=session.params(project, view="Queue"))
    _to_look_at(project, quality, tree)
    _explained(quality)
    _gaps(quality)
    _topics(quality)


def _tiles(quality: TreeQuality) -> None:
    with st.container(key="quality-tiles", horizontal=True, gap="small"):
        explained = 1 - quality.gap_after
        gained = quality.gap_before - quality.gap_after
        plain_tile(
            "Documents explained",
            percent(explained),
            "The share of documents that a first-level topic holds; with the seed's topics alone it was "
            f"{percent(1 - quality.gap_before)}.",
            f"{percent(gained)} by new topics" if gained > 0 else None,
        )
        for scale, value in (
            (COHERENCY, quality.coherency),
            (INTRUSION, quality.intrusion),
            (DIVERSITY, quality.diversity),
        ):
            tile(scale, value)


def _to_look_at(project: Project, quality: TreeQuality, tree: Taxonomy) -> None:
    st.subheader("What to look at", anchor=False)
    advice = tree_advice(quality, tree)
    if not advice:
        st.markdown("Nothing stands out: every topic holds documents, and its terms belong together.")
    for number, item in enumerate(advice):
        with st.container(
            key=f"advice-{number}", border=True, horizontal=True, vertical_alignment="center", gap="small"
        ):
            st.markdown(item.text)
            st.page_link(
                "pages/expand.py",
                label=item.button,
                icon=":material/arrow_forward:",
                query_params=session.params(project, node=item.node_id),
            )


def _explained(quality: TreeQuality) -> None:
    st.subheader("How much of the corpus each topic explains", anchor=False)
    placed = [topic for topic in quality.topics if topic.is_placed]
    n_out = len(quality.topics) - len(placed)
    st.caption(
        f"The share of the {count(quality.n_documents, 'document')} in a topic or below it. "
        "Green: found in the corpus. Grey-blue: from the seed. Pink: added by hand."
        + (f" {count(n_out, 'topic')} left out, because the topic above has not been expanded yet." if n_out else "")
    )
    first = [topic for topic in placed if len(topic.path) == 1]
    rows = sorted(first if len(placed) > _BARS else placed, key=lambda topic: -topic.share)
    bars = [Bar(" › ".join(t.path), t.share, ORIGIN_COLOURS[t.origin], count(t.n_documents, "document")) for t in rows]
    beside_its_table(
        bar_figure(bars[:_BARS], percent=True),
        {
            "topic": [" › ".join(topic.path) for topic in rows],
            "documents": [topic.n_documents for topic in rows],
            "share": [100 * topic.share for topic in rows],
        },
        formats={"share": SHARE},
        key="explained",
        alt="Share of the documents that each topic holds",
    )


def _gaps(quality: TreeQuality) -> None:
    st.subheader("What no topic holds", anchor=False)
    st.caption(
        "Of the documents of each topic that was expanded, the share that none of its sub-topics holds: with the "
        "seed's sub-topics alone, and with those that were accepted. Some are always left: not every text has a topic."
    )
    names = [gap.label for gap in quality.gaps]
    before, after = [gap.before for gap in quality.gaps], [gap.after for gap in quality.gaps]
    beside_its_table(
        gap_figure(names[:12], before[:12], after[:12]),
        {
            "topic": names,
            "documents": [gap.n_documents for gap in quality.gaps],
            "seed alone": [100 * share for share in before],
            "now": [100 * share for share in after],
        },
        formats={"seed alone": SHARE, "now": SHARE},
        key="gaps",
        alt="Share of documents that no sub-topic holds, before and after",
    )


def _topics(quality: TreeQuality) -> None:
    st.subheader("Every topic", anchor=False)
    st.caption(
        "Weakest coherency first. The word rates the worse of the two numbers. A topic gets scores once the topic "
        "above it has been expanded. The terms of a broad topic are those of its sub-topics, which seldom occur in "
        "the same document, so low numbers are normal there."
    )
    with st.popover("What the numbers mean"):
        for scale in (COHERENCY, INTRUSION, DIVERSITY):
            st.markdown(f"**{scale.name}.** {scale.help}")
    rows = sorted(quality.topics, key=lambda t: (t.coherency is None, t.is_broad, t.coherency or 0.0))
    score_table(
        {
            "topic": [" › ".join(topic.path) for topic in rows],
            "coherency": [topic.coherency for topic in rows],
            "odd one out": [topic.intrusion for topic in rows],
            "": [_word(topic) for topic in rows],
            "documents": [topic.n_documents for topic in rows],
            "from": [topic.origin for topic in rows],
            "first terms": [listed(topic.top_terms) for topic in rows],
        },
        formats={"coherency": SCORE, "odd one out": SCORE},
        key="topic",
        alt="Every topic with its scores and first terms",
    )


def _word(topic: TopicQuality) -> str:
    if topic.is_broad:
        return "broad topic"
    given = [COHERENCY.verdict(topic.coherency), INTRUSION.verdict(topic.intrusion)]
    worst = next((word for word in ("poor", "fair", "good") if word in given), "")
    return f"{_ICONS[worst]} {worst}" if worst else ""


def topic_name(tree: Taxonomy, node_id: str) -> str:
    """Return a topic as a list shows it: its path, or the title for the root."""
    return md(" › ".join(tree.path_of(node_id)) or tree[node_id].label)
