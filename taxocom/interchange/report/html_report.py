"""The whole taxonomy as one page of HTML that opens from disk: no script, no network, every text escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib import resources

from taxocom.expansion.proposals.proposal import Passage
from taxocom.interchange.base.context import ExportContext, TopicEvidence
from taxocom.interchange.base.timeline_data import Timeline, TopicLine
from taxocom.interchange.report.map_picture import draw_map
from taxocom.taxonomy import decisions as d
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Taxonomy, TopicNode
from taxocom.text.terms.vocabulary import display

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_MAX_ANCHORS = 12
_MAX_PASSAGES = 5


def write_report(tree: Taxonomy, context: ExportContext) -> bytes:
    """Write the report: tree, map, each topic with anchors and passages, and what was decided."""
    style = resources.files("taxocom.interchange.report").joinpath("report.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="{_text(tree.language)}">',
        "<head>",
        '<meta charset="utf-8">',
        # Nothing may be loaded and nothing may run; the one style sheet is named by its digest.
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{_text(tree.root.label)}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        *_header(tree, context),
        '<h2 id="topics">Topics</h2>',
        *_outline(tree),
        *_map(tree, context),
        *draw_timeline(context.timeline, _text),
        '<h2 id="details">Each topic</h2>',
        *(line for node in tree.walk() for line in _topic(tree, node, context)),
        *_decisions(context),
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(parts).encode()


def _header(tree: Taxonomy, context: ExportContext) -> Iterator[str]:
    n_novel = sum(node.origin == "novel" for node in tree.walk())
    yield f"<header><h1>{_text(tree.root.label)}</h1>"
    yield f'<p class="facts">{len(tree)} topics, {n_novel} of them found in the corpus</p>'
    said = {"Version": context.version, "By": context.author, "Written": context.generated}
    facts = [f"{name}: {_text(value)}" for name, value in said.items() if value]
    if facts:
        yield f'<p class="facts">{" · ".join(facts)}</p>'
    if tree.root.definition:
        yield f'<p class="prose">{_text(tree.root.definition)}</p>'
    yield "</header>"


def _outline(tree: Taxonomy) -> Iterator[str]:
    yield '<nav aria-label="All topics"><ul>'
    pending: list[str | TopicNode] = list(reversed(tree.children_of(ROOT_ID)))
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
            continue
        yield f'<li><a href="#{_anchor(item)}">{_text(item.label)}</a>{_badges(item)}'
        below = tree.children_of(item.node_id)
        if below:
            yield "<ul>"
            pending.append("</ul></li>")
            pending.extend(reversed(below))
        else:
            yield "</li>"
    yield "</ul></nav>"


def _map(tree: Taxonomy, context: ExportContext) -> Iterator[str]:
    picture = draw_map(tree, context.map_points)
    if picture:
        yield '<h2 id="map">Map of the terms</h2>'
        yield picture


def _topic(tree: Taxonomy, node: TopicNode, context: ExportContext) -> Iterator[str]:
    yield f'<section class="topic" id="{_anchor(node)}">'
    above = tree.path_of(node.node_id)[:-1]
    if above:
        yield f'<p class="path">{" / ".join(map(_text, above))}</p>'
    yield f"<h3>{_text(node.label)}{_badges(node)}</h3>"
    yield from (f'<p class="prose">{_text(text)}</p>' for text in (node.definition, node.scope_note) if text)
    lists = {
        "Also called": node.alt_labels,
        "Keywords": [display(keyword) for keyword in node.keywords],
        "Notes": node.notes,
    }
    yield from (
        f'<p class="facts">{name}: {", ".join(map(_text, values))}</p>' for name, values in lists.items() if values
    )
    evidence = context.evidence.get(node.node_id, TopicEvidence())
    numbers = {
        "documents": node.n_documents, "concentration": node.concentration, "novelty": evidence.novelty,
        "distinctness": evidence.distinctness, "stability": evidence.stability,
    }  # fmt: skip
    facts = [f"{name} {value:g}" for name, value in numbers.items() if value is not None]
    if facts:
        yield f'<p class="facts">{" · ".join(facts)}</p>'
    yield from _anchors(node.anchors)
    yield from (_passage(passage) for passage in evidence.passages[:_MAX_PASSAGES])
    yield "</section>"


def _anchors(anchors: Sequence[AnchorTerm]) -> Iterator[str]:
    if not anchors:
        return
    most = max(anchor.significance for anchor in anchors) or 1.0
    yield '<div class="anchors">'
    for anchor in anchors[:_MAX_ANCHORS]:
        share = min(max(anchor.significance / most, 0.0), 1.0)
        yield (
            f"<span>{_text(display(anchor.term))}</span>"
            f'<meter min="0" max="1" value="{share:.3f}" aria-hidden="true"></meter>'
            f'<span class="soft">{anchor.significance:.3g}</span>'
        )
    yield "</div>"


def _passage(passage: Passage) -> str:
    shown, at = [], 0
    for start, stop in sorted(passage.highlights):
        if at <= start < stop <= len(passage.text):
            shown.append(f"{_text(passage.text[at:start])}<mark>{_text(passage.text[start:stop])}</mark>")
            at = stop
    shown.append(_text(passage.text[at:]))
    return f"<blockquote>{''.join(shown)}<cite>{_text(passage.document_id)}</cite></blockquote>"


def _decisions(context: ExportContext) -> Iterator[str]:
    if not context.log:
        return
    entries = d.history(context.seed, context.log) if context.seed is not None else [
        d.HistoryEntry(logged, logged.decision.summary(Taxonomy.empty()), True) for logged in context.log
    ]  # fmt: skip
    yield f'<h2 id="decisions">Decisions ({len(entries)})</h2>'
    yield "<table><thead><tr><th>When</th><th>Who</th><th>What</th><th>Why</th></tr></thead><tbody>"
    for entry in entries:
        cells = (entry.logged.at, entry.logged.author, entry.summary, entry.logged.why)
        mark = "" if entry.in_force else ' class="undone"'
        yield f"<tr{mark}>{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>"
    yield "</tbody></table>"


def _badges(node: TopicNode) -> str:
    badges = (
        [] if node.origin == "seed" else [(node.origin, {"novel": "found in the corpus", "manual": "added by hand"})]
    )
    shown = [f'<span class="badge {origin}">{words[origin]}</span>' for origin, words in badges]
    if node.status != "approved":
        shown.append(f'<span class="badge {node.status}">{node.status}</span>')
    return "".join(shown)


def _anchor(node: TopicNode) -> str:
    return "t-" + hashlib.sha256(node.node_id.encode()).hexdigest()[:12]


def _text(text: str) -> str:
    return escape(_CONTROL.sub("\ufffd", text), quote=True)


_WIDTH, _HEIGHT = 120, 24
_SIGNS = {"new": "★ new", "rising": "▲ rising", "falling": "▼ falling", "gone": "✕ gone", "": ""}


def draw_timeline(found: Timeline | None, text: Callable[[str], str]) -> Iterator[str]:
    """Yield the section; `text` makes a text safe. Without a timeline there is nothing."""
    if found is None:
        return
    first, last = text(found.periods[0]), text(found.periods[-1])
    yield '<h2 id="time">Over time</h2>'
    yield (
        f'<p class="prose">From {first} to {last}, by {found.by}. A flag compares {last} with all before it; if '
        "nothing had changed, at most one table in twenty would have any.</p>"
    )
    yield "<table><thead><tr><th>Topic</th><th>Share</th><th>Documents</th><th>Before</th><th>Now</th><th></th></tr>"
    yield "</thead><tbody>"
    for line in found.lines:
        cells = (
            " / ".join(map(text, line.path)),
            _picture(found, line),
            f"{sum(line.counts):,}",
            f"{line.share_before:.1%}",
            f"{line.share_now:.1%}",
            _SIGNS[line.flag],
        )
        yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    yield "</tbody></table>"
    if found.n_undated:
        yield f'<p class="facts">{found.n_undated:,} documents without a date are left out.</p>'


def _picture(found: Timeline, line: TopicLine) -> str:
    shares = found.shares(line)
    most, step = max(shares) or 1.0, (_WIDTH - 4) / max(len(shares) - 1, 1)
    points = " ".join(
        f"{2 + n * step:.1f},{_HEIGHT - 2 - (_HEIGHT - 4) * share / most:.1f}" for n, share in enumerate(shares)
    )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" aria-hidden="true">'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>'
    )
