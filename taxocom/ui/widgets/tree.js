// The tree of topics: status in a word and a shape, the share that no topic explains, arrow keys as in any file tree.

const STATUS = {
  seed: ["●", "seed"], accepted: ["✓", "accepted"], proposed: ["◆", "to judge"], rejected: ["✕", "rejected"],
  stale: ["↻", "out of date"], expanding: ["…", "expanding"], manual: ["+", "added by hand"],
};

const LARGE = 400;

class TopicTree {
  constructor(parent) {
    this.owner = [];
    this.closed = new Set();
    this.root = el("div", { class: "root tree" });
    this.parent = parent;
    parent.append(this.root);
  }

  update(data) {
    const told = JSON.stringify(data);
    if (told === this.told_before) return;
    this.told_before = told;
    this.data = data;
    this.root.classList.toggle("dark", theme(this.parent).dark);
    this.foldIfLarge(data);
    this.byParent = Map.groupBy(data.nodes, (node) => node.parent);
    const top = data.nodes.filter((node) => node.parent === null);
    const suggested = data.suggested && el("button", { class: "suggested", type: "button", onclick: () => this.open(data.suggested.id) },
      el("span", { class: "small soft" }, "Suggested next"), el("strong", {}, data.suggested.label), el("span", { class: "small soft" }, data.suggested.why));
    this.list = el("ul", { role: "tree", "aria-label": data.label }, top.map((node) => this.item(node, 1)));
    listen([], this.list, "keydown", (event) => this.key(event));
    const had = this.parent.activeElement?.dataset.id;
    this.root.replaceChildren(...[suggested, this.list, this.legend()].filter(Boolean));
    if (had) this.items().find((item) => item.dataset.id === had)?.focus();
  }

  // Thousands of topics take seconds to draw: of a large tree only the first level and the way to the current topic is open.
  foldIfLarge(data) {
    if (this.wasFolded || data.nodes.length <= LARGE) return;
    this.wasFolded = true;
    const parents = new Map(data.nodes.map((node) => [node.id, node.parent]));
    this.closed = new Set(data.nodes.map((node) => node.id));
    for (let id = data.current; id !== null && id !== undefined; id = parents.get(id)) this.closed.delete(id);
    for (const node of data.nodes) if (node.parent === null) this.closed.delete(node.id);
  }

  // Every mark with its word; only those in use, so that it stays a line.
  legend() {
    const used = Object.entries(STATUS).filter(([status]) => this.data.nodes.some((node) => node.status === status));
    return el("p", { class: "legend small soft", "aria-label": "What the marks mean" }, used.map(([status, [mark, word]]) =>
      el("span", {}, el("span", { class: `status ${status}`, "aria-hidden": "true" }, mark), word)),
    this.data.nodes.some((node) => node.gap !== null && node.gap !== undefined) && el("span", {}, "gap: documents that do not fit any known sub-topic"));
  }

  // The colour that a sub-topic of the open topic has on its map.
  colour(node) {
    if (node.slot === null || node.slot === undefined) return null;
    const { shape, colour } = topicStyle({ slot: node.slot, kind: "known" }, this.root.classList.contains("dark"));
    return el("span", { class: "colour" }, swatch(shape, colour, 10));
  }

  item(node, level) {
    const children = this.byParent.get(node.id) ?? [];
    const closed = this.closed.has(node.id);
    const current = node.id === this.data.current;
    const [mark, word] = STATUS[node.status] ?? STATUS.seed;
    const twist = el("span", { class: "twist", "aria-hidden": "true", onclick: (event) => { event.stopPropagation(); this.fold(node.id); } }, children.length ? (closed ? "▸" : "▾") : "");
    const waiting = node.waiting ? el("span", { class: "count", title: `${plural(node.waiting, "cluster")} to judge` }, node.waiting, el("span", { class: "hidden-visually" }, " to judge")) : null;
    const share = node.gap === null || node.gap === undefined ? null : `${Math.round(node.gap * 100)} %`;
    const gap = share && el("span", { class: "gap", title: `${share} of its documents do not fit any known sub-topic` }, `gap ${share}`);
    const row = el("div", { class: `row ${node.status}` }, twist,
      el("span", { class: `status ${node.status}`, title: word }, mark, el("span", { class: "hidden-visually" }, word + ": ")),
      el("span", { class: "label" }, node.label, this.colour(node)), waiting, gap, current && this.data.canMiss && this.missButton(node));
    return el("li", { role: "treeitem", "aria-level": level, "aria-expanded": children.length ? String(!closed) : null, "aria-selected": String(current),
      tabindex: current || (!this.data.nodes.some((other) => other.id === this.data.current) && level === 1) ? 0 : -1, "data-id": node.id,
      onclick: (event) => { event.stopPropagation(); this.open(node.id); } },
    row, children.length && !closed ? el("ul", { role: "group" }, children.map((child) => this.item(child, level + 1))) : null);
  }

  missButton(node) {
    const said = node.parent === null ? "I miss a topic" : `I miss a topic under ${node.label}`;
    return el("button", { type: "button", class: "miss", title: said, "aria-label": said, tabindex: -1, onclick: (event) => { event.stopPropagation(); this.miss(node.id); } }, "+");
  }

  miss(id) {
    tell(this, "open", { miss: id });
    this.uncover();
  }

  open(id) {
    tell(this, "open", id);
    this.uncover();
  }

  // On a phone the side panel lies over the page: what was chosen is to be seen, so the panel goes.
  uncover() {
    const panel = this.parent.host?.closest("[data-testid=stSidebar]");
    if (panel && innerWidth <= 768) panel.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
  }

  fold(id) {
    this.closed.has(id) ? this.closed.delete(id) : this.closed.add(id);
    this.update(this.data);
    this.items().find((item) => item.dataset.id === id)?.focus();
  }

  items() {
    return [...this.root.querySelectorAll("[role=treeitem]")];
  }

  key(event) {
    const item = event.composedPath()[0].closest?.("[role=treeitem]");
    if (!item) return;
    const items = this.items();
    const at = items.indexOf(item);
    const id = item.dataset.id;
    const open = item.getAttribute("aria-expanded");
    const go = (target) => { if (target) { item.tabIndex = -1; target.tabIndex = 0; target.focus(); } };
    const act = {
      ArrowDown: () => go(items[at + 1]), ArrowUp: () => go(items[at - 1]), Home: () => go(items[0]), End: () => go(items.at(-1)),
      ArrowRight: () => (open === "false" ? this.fold(id) : open === "true" && go(items[at + 1])),
      ArrowLeft: () => (open === "true" ? this.fold(id) : go(item.parentElement.closest("[role=treeitem]"))),
      Enter: () => this.open(id), " ": () => this.open(id),
      "+": () => this.data.canMiss && this.miss(id),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}

export default (component) => mount(component, TopicTree);
