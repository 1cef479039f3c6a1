// One card per cluster: what it is, the evidence, and what to do with it. Every click shows at once; the page follows.

const KEYS = { a: "accept", x: "reject", e: "rename", m: "merge", s: "later", u: "undo" };
const VERDICTS = { accept: "Accepted", reject: "Rejected", later: "Later", remove: "To be removed" };
const percent = (share) => `${Math.round(share * 100)} %`;
const FACTS = [
  ["distinctness", "told apart", percent, "Share of its documents that the program, judging by other texts alone, gives to it and not to a known topic"],
  ["stability", "found again", percent, "Share of its documents that are put here again when the program may read only half of the texts"],
  ["concentration", "focus", (value) => value.toFixed(0), "How closely its terms keep company; topics beside each other should be alike"],
];

class Cards {
  constructor(parent) {
    this.parent = parent;
    this.owner = [];
    this.opened = new Set();
    this.panel = null;
    this.current = null;
    this.root = el("div", { class: "root cards" });
    parent.append(this.root);
    listen(this.owner, document, "keydown", (event) => this.key(event));
    listen(this.owner, shared.bus, "light-card", ({ detail }) => this.light(detail.cluster));
    listen(this.owner, shared.bus, "show-card", ({ detail }) => this.show(detail.cluster));
    this.owner.push(() => this.point(null));
  }

  update(data) {
    this.data = data;
    const { dark } = (this.theme = theme(this.parent));
    this.root.classList.toggle("dark", dark);
    const ids = data.clusters.map((cluster) => cluster.id);
    const gone = this.ids?.some((id) => !ids.includes(id));
    this.ids = ids;
    if (ids.includes(this.wanted)) {
      this.current = this.wanted;
      this.opened.add(this.current);
      this.judgedAt = Date.now();
      this.wanted = null;
    }
    if (!ids.includes(this.current)) {
      this.current = (data.clusters.find((cluster) => cluster.kind === "novel" && !cluster.verdict) ?? data.clusters[0])?.id ?? null;
      if (this.current) this.opened.add(this.current);
    }
    this.render();
    if (gone || Date.now() - this.judgedAt < 3000) this.reveal();
  }

  // When cards above it change or go, the current one must not slide out of the column.
  reveal() {
    const column = this.parent.host?.closest(".st-key-card-column");
    const card = this.root.querySelector(".card.current");
    if (column && card) column.scrollTop += card.getBoundingClientRect().top - column.getBoundingClientRect().top - 30;
  }

  render() {
    if (this.pressed) { this.late ??= this.data; return; }
    const active = this.parent.activeElement;
    const kept = active?.dataset.focus && active.dataset.focus !== this.leaving && { key: active.dataset.focus, value: active.value, from: active.selectionStart, to: active.selectionEnd };
    const groups = ["novel", "known"].map((kind) => {
      const members = this.data.clusters.filter((cluster) => cluster.kind === kind);
      if (!members.length) return null;
      const title = this.data.titles?.[kind] ?? (kind === "novel" ? `New topics proposed (${members.length})` : `Known topics (${members.length})`);
      return el("section", { "aria-label": title }, el("h3", {}, title), members.map((cluster) => this.card(cluster)));
    });
    groups.splice(1, 0, this.leftOut());
    const locked = this.data.locked && el("p", { class: "soft small refused" }, this.data.locked);
    this.root.replaceChildren(...[locked, ...groups, this.hints()].filter(Boolean));
    if (kept) {
      const again = this.root.querySelector(`[data-focus="${CSS.escape(kept.key)}"]`);
      if (again && kept.value !== undefined && again.tagName === "INPUT") again.value = kept.value;
      again?.focus({ preventScroll: true });
      if (kept.from !== null && again?.setSelectionRange) again.setSelectionRange(kept.from, kept.to);
    }
  }

  // What was looked at and not proposed: a person may see in it what the engine could not.
  leftOut() {
    const groups = this.data.leftOut ?? [];
    if (!groups.length) return null;
    const title = `Looked at, not proposed (${groups.length})`;
    const shown = this.opened.has("all-left-out") ? groups : groups.slice(0, 3);
    const rest = groups.length - shown.length;
    const rows = shown.map((group) => el("li", {},
      el("div", { class: "line" }, el("span", { class: "term" }, group.terms.map(display).join(", ")), el("span", { class: "size soft small" }, plural(group.nDocuments, "document")),
        el("button", { type: "button", "data-focus": `include-${group.id}`, "aria-label": `Show ${display(group.terms[0] ?? "")} as a card`, title: "Show it as a card, with its documents", onclick: () => this.include(group) }, "Show"),
        el("button", { type: "button", "data-focus": `miss-${group.id}`, "aria-label": `Make ${display(group.terms[0] ?? "")} a topic`, title: "I miss this topic: give it a name, and judge ten documents", onclick: () => tell(this, "action", { type: "miss", cluster: group.id }) }, "I miss it")),
      el("div", { class: "soft small" }, `${group.reason[0].toUpperCase()}${group.reason.slice(1)}.`)));
    return el("section", { class: "left-out", "aria-label": title }, el("h3", {}, title), el("ul", {}, rows),
      rest > 0 && el("button", { type: "button", class: "quiet small more", onclick: () => { this.opened.add("all-left-out"); this.render(); } }, `${rest} more`));
  }

  include(group) {
    this.data.leftOut = this.data.leftOut.filter((other) => other.id !== group.id);
    this.wanted = group.id;
    this.render();
    tell(this, "action", { type: "include", cluster: group.id });
  }

  hints() {
    if (!this.data.keys || !this.data.clusters.length) return "";
    const parts = [["A", "accept"], ["X", "reject"], ["E", "rename"], ["M", "merge"], ["S", "later"], ["U", "undo"], ["↑ ↓", "next card"]];
    return el("p", { class: "hints soft small" }, parts.map(([key, word]) => [el("kbd", {}, key), ` ${word}  `]));
  }

  card(cluster) {
    const open = this.opened.has(cluster.id);
    const { colour, shape } = topicStyle(cluster, this.theme.dark);
    const toggle = el("button", { type: "button", class: "quiet twist", "aria-expanded": String(open), "aria-label": open ? "Hide the evidence" : "Show the evidence", title: open ? "Hide the evidence" : "Show the evidence",
      "data-focus": `twist-${cluster.id}`, onclick: () => this.toggle(cluster.id) }, open ? "▾" : "▸");
    const name = el("input", { class: "name", value: cluster.label, disabled: Boolean(this.data.locked), "aria-label": `Name of ${cluster.label}`, title: "Click to rename", maxlength: 120, "data-focus": `name-${cluster.id}`, spellcheck: "false",
      onkeydown: (event) => { if (event.key === "Enter") { event.target.blur(); this.focusCard(cluster.id); } if (event.key === "Escape") { event.target.value = cluster.label; event.target.blur(); } },
      onchange: (event) => this.rename(cluster, event.target.value), onfocus: () => this.choose(cluster.id), onclick: () => this.open(cluster.id) });
    const verdict = cluster.verdict && el("span", { class: `verdict ${cluster.verdict}` }, VERDICTS[cluster.verdict], cluster.reason ? `: ${cluster.reason}` : "");
    return el("article", { class: `card ${cluster.kind} ${cluster.verdict ?? ""} ${cluster.id === this.current ? "current" : ""}`, "data-cluster": cluster.id, "data-focus": `card-${cluster.id}`, tabindex: -1,
      "aria-label": `${cluster.label}, ${cluster.kind}`, onpointerenter: () => this.point(cluster.id), onpointerleave: () => this.point(null),
      onclick: (event) => this.press(event, cluster.id) },
    el("header", {}, toggle, swatch(shape, colour, 13), name, verdict,
      el("span", { class: "size soft small" }, `${plural(cluster.nTerms, "term")} · ${plural(cluster.nDocuments, "document")}`)),
    open && this.suggestions(cluster),
    cluster.where && el("div", { class: "where soft small" }, cluster.where),
    cluster.movedTo && el("div", { class: "note" }, cluster.movedTo),
    cluster.leaving > 0 && el("div", { class: "where soft small" }, `${number.format(cluster.leaving)} of them would go to topics proposed above.`),
    !cluster.movedTo && cluster.fits && el("div", { class: "note" }, `Goes under ${cluster.fits.label}, where it fits best. `,
      !cluster.verdict && el("button", { type: "button", class: "quiet small", onclick: () => this.act("move", cluster, { to: cluster.fits.node }) }, `Accept under ${cluster.fits.nodeLabel} instead`)),
    cluster.part && this.parting(cluster),
    cluster.included && !cluster.verdict && el("div", { class: "note" }, "Shown because you asked for it. ", el("button", { type: "button", class: "quiet small", "data-focus": `exclude-${cluster.id}`, onclick: () => this.act("exclude", cluster) }, "Leave it out again")),
    cluster.since && el("div", { class: "where soft small" }, cluster.since),
    cluster.warnings.map((warning) => el("div", { class: "warning" }, "⚠ ", warning)),
    !open && el("p", { class: "brief soft" }, cluster.anchors.slice(0, 7).map((anchor) => display(anchor.term)).join(", ")),
    // Above the evidence, however long that is: what can be done must not have to be looked for.
    this.actions(cluster),
    this.panel?.cluster === cluster.id && this.panels(cluster),
    open && this.evidence(cluster));
  }

  suggestions(cluster) {
    const names = cluster.verdict || this.data.locked ? [] : cluster.suggestions.filter((name) => name !== cluster.label).slice(0, 4);
    const meant = (name) => cluster.namesByMeaning.includes(name);
    return names.length > 0 && el("div", { class: "suggest" }, el("span", { class: "soft small" }, "or "), names.map((name) =>
      el("button", { type: "button", class: "chip", title: meant(name) ? `Name it ${name}. Suggested by what its words mean: look whether it fits, few of its texts may say it` : `Name it ${name}`,
        onclick: () => this.rename(cluster, name) }, name, meant(name) && el("span", { class: "soft" }, " (by meaning)"))));
  }

  evidence(cluster) {
    const shown = this.opened.has(`all-${cluster.id}`) ? cluster.anchors : cluster.anchors.slice(0, 8);
    const most = Math.max(...cluster.anchors.map((anchor) => anchor.significance), 1e-9);
    const rows = shown.map((anchor) => el("li", { title: `relevance ${anchor.relevance.toFixed(2)}, integrity ${anchor.integrity.toFixed(2)}, distinctiveness ${anchor.distinctiveness.toFixed(2)}, popularity ${anchor.popularity.toFixed(2)}` },
      el("span", { class: "term" }, display(anchor.term)), el("span", { class: "bar" }, el("span", { style: { width: `${(anchor.significance / most) * 100}%` } })), el("span", { class: "figure" }, anchor.significance.toFixed(2))));
    const rest = cluster.anchors.length - shown.length;
    const facts = FACTS.filter(([name]) => typeof cluster[name] === "number").map(([name, title, said, told]) => [title, said(cluster[name]), told]);
    return [
      el("ul", { class: "anchors", "aria-label": "Anchor terms with their significance" }, rows),
      rest > 0 && el("button", { type: "button", class: "quiet small more", onclick: () => { this.opened.add(`all-${cluster.id}`); this.render(); } }, `${rest} more`),
      facts.length > 0 && el("dl", { class: "facts small" }, facts.map(([term, value, told]) => el("div", { title: told }, el("dt", {}, term), el("dd", {}, value)))),
      cluster.passages.length > 0 && el("div", { class: "passages" }, cluster.passages.slice(0, 5).map((passage) => el("blockquote", {}, marked(passage.text, passage.highlights), el("cite", { class: "soft small" }, passage.title || passage.document)))),
    ];
  }

  actions(cluster) {
    if (this.data.locked) return null;
    const button = (label, key, act, extra = "") => el("button", { type: "button", class: extra, "data-focus": `${label}-${cluster.id}`, "aria-keyshortcuts": key, onclick: act }, label, key && this.data.keys && !extra.includes("quiet") && [" ", el("kbd", {}, key)]);
    const panel = (name) => () => this.openPanel(cluster.id, name);
    if (cluster.verdict || (cluster.kind === "novel" && cluster.movedTo)) return el("div", { class: "actions" }, button("Take back", "", () => this.act("clear", cluster)));
    if (cluster.kind === "known") return el("div", { class: "actions" }, button("Rename", "", () => this.editName(cluster.id), "quiet"), button("Merge…", "", panel("merge"), "quiet"), !cluster.part && button("Split", "", () => this.act("split", cluster), "quiet"), button("Move…", "", panel("move"), "quiet"),
      button("Remove…", "", panel("reject"), "quiet"), (cluster.movedTo || cluster.part) && button("Take back", "", () => this.act("clear", cluster), "quiet"));
    return el("div", { class: "actions" }, button("Accept", "A", () => this.act("accept", cluster), "primary"), button("Reject…", "X", panel("reject")), button("Later", "S", () => this.act("later", cluster)),
      [el("span", { class: "spacer" }), button("Merge…", "M", panel("merge"), "quiet"), !this.data.queue && button("Split", "", () => this.act("split", cluster), "quiet"), button("Move…", "", panel("move"), "quiet")]);
  }

  // A known topic in two: a click on a term lets it go to the other part.
  parting(cluster) {
    const { part } = cluster;
    const tellPart = (changes) => { Object.assign(part, changes); this.render(); tell(this, "action", { type: "part", cluster: cluster.id, label: part.label, terms: part.leaving }); };
    const leave = (term) => tellPart({ leaving: [...part.leaving, term], staying: part.staying.filter((other) => other !== term) });
    const stay = (term) => tellPart({ staying: [...part.staying, term], leaving: part.leaving.filter((other) => other !== term) });
    const chips = (terms, title, act) => terms.map((term) =>
      el("button", { type: "button", class: "chip", title: title, disabled: terms.length < 2, "data-focus": `term-${term}-${cluster.id}`, onclick: () => act(term) }, display(term)));
    const name = el("input", { class: "part-name", value: part.label, maxlength: 120, "aria-label": `Name of what leaves ${cluster.label}`, "data-focus": `part-${cluster.id}`, spellcheck: "false",
      onkeydown: (event) => event.key === "Enter" && event.target.blur(),
      onchange: (event) => { const label = event.target.value.trim().replace(/\s+/g, " "); label && label !== part.label ? tellPart({ label }) : this.render(); } });
    return el("div", { class: "panel parting", role: "group", "aria-label": `${cluster.label} in two` },
      el("div", { class: "line" }, el("label", {}, "Beside it"), name), el("p", {}, chips(part.leaving, `Keep it with ${cluster.label}`, stay)),
      el("div", { class: "line" }, el("label", {}, `With ${cluster.label} stay`)), el("p", {}, chips(part.staying, `Give it to ${part.label}`, leave)),
      el("p", { class: "soft small" }, "Click a term to move it to the other side."));
  }

  panels(cluster) {
    const close = () => { this.panel = null; this.render(); this.focusCard(cluster.id); };
    const frame = (...content) => el("div", { class: "panel", onkeydown: (event) => event.key === "Escape" && (event.stopPropagation(), close()) }, content, el("button", { type: "button", class: "quiet", onclick: close }, "Cancel"));
    if (this.panel.name === "reject") {
      const reason = el("input", { type: "text", placeholder: "Why? (optional)", "aria-label": "Reason", maxlength: 200, "data-focus": "reason", onkeydown: (event) => event.key === "Enter" && decide(event.target.value) });
      const decide = (why) => { this.panel = null; this.act(cluster.kind === "known" ? "remove" : "reject", cluster, { reason: why.trim() }); };
      return frame(el("div", { class: "reasons" }, ["not one topic", "mostly general words", "part of a known topic", "too narrow"].map((why) => el("button", { type: "button", class: "chip", onclick: () => decide(why) }, why))),
        el("div", { class: "line" }, reason, el("button", { type: "button", class: "primary", onclick: () => decide(reason.value) }, cluster.kind === "known" ? "Remove" : "Reject")));
    }
    const merging = this.panel.name === "merge";
    const options = merging
      ? (cluster.mergeTargets ?? this.data.clusters.filter((other) => other.id !== cluster.id && other.verdict !== "reject").map((other) => ({ id: other.id, label: `${other.label} (${other.kind})` })))
      : (this.data.parents ?? []).filter((option) => !cluster.notUnder?.includes(option.id));
    const choice = el("select", { "aria-label": merging ? "Merge with" : "Move under", "data-focus": "choice" }, options.map((option) => el("option", { value: option.id, selected: !merging && option.id === cluster.fitsUnder }, option.label)));
    const word = merging ? "Merge" : cluster.kind === "novel" ? "Accept there" : "Move";
    return frame(el("div", { class: "line" }, el("label", {}, merging ? "Merge with" : "Move under"), choice,
      el("button", { type: "button", class: "primary", disabled: !options.length, onclick: () => { this.panel = null; this.act(merging ? "merge" : "move", cluster, { to: choice.value }); } }, word)));
  }

  openPanel(id, name) {
    this.panel = { cluster: id, name };
    this.current = id;
    this.render();
    this.root.querySelector(".panel input, .panel select")?.focus();
  }

  editName(id) {
    const input = this.root.querySelector(`[data-focus="${CSS.escape(`name-${id}`)}"]`);
    input?.focus();
    input?.select();
  }

  rename(cluster, value) {
    const label = value.trim().replace(/\s+/g, " ");
    if (!label || label === cluster.label) return this.render();
    cluster.label = label;
    this.leaving = `name-${cluster.id}`;
    this.render();
    this.leaving = null;
    tell(this, "action", { type: "rename", cluster: cluster.id, label });
  }

  act(type, cluster, extra = {}) {
    const verdicts = { accept: "accept", reject: "reject", later: "later", remove: "remove", clear: null };
    if (type === "move" && cluster.kind === "novel") cluster.verdict = "accept";
    if (type in verdicts) Object.assign(cluster, { verdict: verdicts[type], reason: extra.reason ?? "" });
    const next = ["accept", "reject", "later"].includes(type) || (type === "move" && cluster.kind === "novel") ? this.nextUndecided(cluster.id) : null;
    if (next) { this.opened.delete(cluster.id); this.opened.add(next); this.current = next; }
    this.render();
    if (next) { this.judgedAt = Date.now(); this.focusCard(next); }
    tell(this, "action", { type, cluster: cluster.id, ...extra });
  }

  nextUndecided(id) {
    const clusters = this.data.clusters.filter((cluster) => cluster.kind === "novel");
    const at = clusters.findIndex((cluster) => cluster.id === id);
    return [...clusters.slice(at + 1), ...clusters.slice(0, at)].find((cluster) => !cluster.verdict)?.id ?? null;
  }

  toggle(id) {
    this.opened.has(id) ? this.opened.delete(id) : this.opened.add(id);
    this.current = id;
    this.render();
  }

  // A click anywhere opens a card; one on its head closes it again, unless it is for a button or a field there.
  press(event, id) {
    if (event.target.closest("button, input, select, a")) return;
    const isMarking = String(getSelection?.() ?? "") !== "";
    if (!this.opened.has(id) || (event.target.closest("header") && !isMarking)) this.toggle(id);
    else this.choose(id);
  }

  open(id) {
    if (this.opened.has(id)) return;
    this.opened.add(id);
    this.current = id;
    this.render();
  }

  // The map says what is under its pointer.
  light(id) {
    for (const card of this.root.querySelectorAll(".card")) card.classList.toggle("lit", card.dataset.cluster === id);
  }

  show(id) {
    if (!this.data?.clusters.some((cluster) => cluster.id === id)) return;
    this.opened.add(id);
    this.current = id;
    this.render();
    this.reveal();
    this.light(id);
  }

  choose(id) {
    if (this.current === id) return;
    this.current = id;
    for (const card of this.root.querySelectorAll(".card")) card.classList.toggle("current", card.dataset.cluster === id);
  }

  // The map shows the cluster of the card under the pointer; a pointer that only passes by changes nothing.
  point(id) {
    clearTimeout(this.pointing);
    this.pointing = setTimeout(() => announce("focus-cluster", { cluster: id }), id ? 120 : 0);
  }

  focusCard(id) {
    const card = this.root.querySelector(`[data-cluster="${CSS.escape(id)}"]`);
    card?.focus({ preventScroll: true });
    // A card taller than its window is shown from its top: that is where its name and its buttons are.
    card?.scrollIntoView({ block: card.offsetHeight > innerHeight * 0.5 ? "start" : "nearest" });
  }

  key(event) {
    if (!this.data?.keys || typing(event) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const within = event.composedPath().includes(this.root);
    const idle = document.activeElement === document.body || document.activeElement === null || document.activeElement?.matches?.("section, main, [data-testid=stMain], [data-testid=stAppScrollToBottomContainer]");
    if (!within && !idle) return;
    const order = this.data.clusters.filter((cluster) => cluster.kind === "novel").concat(this.data.clusters.filter((cluster) => cluster.kind === "known"));
    const at = order.findIndex((cluster) => cluster.id === this.current);
    const cluster = order[at];
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
    const name = KEYS[event.key.toLowerCase()];
    if (step && order[at + step]) {
      this.current = order[at + step].id;
      this.opened.add(this.current);
      if (this.data.queue) this.opened.delete(cluster.id);
      this.render();
      this.focusCard(this.current);
    } else if (name === "undo") tell(this, "action", { type: "undo" });
    else if (event.key === "Enter" && within && event.composedPath()[0].classList?.contains("card")) this.toggle(cluster.id);
    else if (name && cluster && !cluster.verdict) {
      if (name === "rename") this.editName(cluster.id);
      else if (name === "reject" || name === "merge") this.openPanel(cluster.id, name);
      else if (cluster.kind === "novel") this.act(name, cluster);
    } else return;
    event.preventDefault();
  }
}

export default (component) => mount(component, Cards);
