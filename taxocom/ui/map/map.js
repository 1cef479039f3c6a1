// The map's frame: documents or terms, legend, tooltip, what to do with a selection. One instance lives as long as it is on
// the page; new data only changes what differs, so the zoom, the view and the selection stay.

const VIEWS = [["documents", "Documents"], ["terms", "Terms"]];
const TOWNS = 400;

export default (component) => mount(component, MapFrame);

class MapFrame {
  static isDragged = true;

  constructor(parent) {
    this.parent = parent;
    this.owner = [];
    this.lasso = false;
    this.build();
    this.map = new Scatter(this.canvas);
    this.map.afterPaint = () => this.remember();
    attachGestures(this.map, this.canvas, this.owner, {
      onHover: (i, at) => this.hover(i, at),
      onLasso: (found, adding) => this.select(found, adding),
      onPick: (i, adding, at) => this.pick(i, adding, at),
      onSearch: () => this.search.focus(),
      lassoOn: () => this.lasso,
    });
    const observer = new ResizeObserver(([entry]) => {
      this.map.resize(entry.contentRect.width, entry.contentRect.height);
      if (this.unfitted && this.map.points) { this.unfitted = false; this.place(); }
    });
    observer.observe(this.stage);
    this.owner.push(() => observer.disconnect());
    listen(this.owner, shared.bus, "threshold", ({ detail }) => this.previewThreshold(detail));
    listen(this.owner, shared.bus, "focus-cluster", ({ detail }) => this.emphasise(detail));
  }

  build() {
    this.views = VIEWS.map(([view, label]) => el("button", { type: "button", role: "radio", "data-view": view, onclick: () => this.setView(view) }, label));
    this.search = el("input", { type: "search", class: "search", oninput: () => this.find(), onkeydown: (event) => this.searchKey(event) });
    this.found = el("span", { class: "soft small found", role: "status", "aria-live": "polite" });
    this.lassoButton = el("button", { type: "button", "aria-pressed": "false", title: "Draw around points to select them (or hold Shift)", onclick: () => this.toggleLasso() }, "Lasso");
    this.canvas = el("canvas", { tabindex: 0, role: "img" });
    this.tip = el("div", { class: "tip", role: "status", "aria-live": "polite" });
    const zoom = (factor) => () => { this.hover(-1, null); this.map.zoomAt(factor, this.map.width / 2, this.map.height / 2); };
    this.bar = el("div", { class: "selection", role: "region", "aria-label": "Selected", hidden: true });
    this.stage = el("div", { class: "stage" }, this.canvas, this.found, this.tip, this.bar,
      el("div", { class: "zoom" },
        el("button", { type: "button", "aria-label": "Zoom in", title: "Zoom in", onclick: zoom(1.5) }, "+"),
        el("button", { type: "button", "aria-label": "Zoom out", title: "Zoom out", onclick: zoom(1 / 1.5) }, "−"),
        el("button", { type: "button", "aria-label": "Show everything", title: "Show everything", class: "fit", onclick: () => { this.hover(-1, null); this.map.fit(); } }, "Fit")));
    this.legend = el("ul", { class: "legend", "aria-label": "Legend" });
    this.root = el("div", { class: "root map" },
      el("div", { class: "tools" },
        el("div", { class: "segments", role: "radiogroup", "aria-label": "What the points are" }, this.views),
        el("div", { class: "spacer" }), this.search, this.lassoButton),
      this.stage, this.legend);
    this.parent.append(this.root);
  }

  update(data) {
    this.data = data;
    this.map.theme = theme(this.parent);
    this.root.classList.toggle("dark", this.map.theme.dark);
    const missing = Object.values(data.points).find((digest) => digest && !shared.points.has(digest));
    if (missing) {
      const waiting = shared.waiting.get(missing) ?? [];
      shared.waiting.set(missing, [...waiting, () => { if (this.data === data) this.update(data); }]);
      return;
    }
    const isChanged = this.layers && data.state !== this.layers.state;
    if (isChanged) this.map.preview = null;
    this.layers = this.unpacked(data);
    const view = this.viewFor(data);
    if (this.map.points !== this.layers[view].points) this.open(view);
    else this.map.setState(this.layers[view].state);
    this.showViews();
    this.showLegend();
    this.showSelection();
    this.root.dataset.state = data.state;
    shared.states.set(data.points.terms, { id: data.state, ...this.layers.terms.state });
    announce("state", { points: data.points.terms });
  }

  viewFor(data) {
    return data.points.documents ? shared.view ?? "documents" : "terms";
  }

  // Both kinds of points with their topics; the land of the topics is that of their documents, in either view.
  unpacked(data) {
    const { clusters, scales } = data;
    const terms = shared.points.get(data.points.terms), documents = shared.points.get(data.points.documents);
    const ofTerms = { clusters, scales, cluster: decode(data.terms.cluster, Int16Array), flags: decode(data.terms.flags, Uint8Array),
      novelty: decode(data.terms.novelty, Uint16Array), significance: decode(data.terms.significance, Uint16Array) };
    const ofDocuments = { clusters, scales, cluster: decode(data.documents.cluster, Int16Array), flags: null, under: decode(data.documents.below, Int16Array), namesBelow: data.documents.namesBelow };
    const [points, cluster] = documents ? [documents, ofDocuments.cluster] : [terms, ofTerms.cluster];
    const drawn = `${data.points.documents || data.points.terms} ${clusters.length} ${documents ? data.documents.cluster : data.terms.cluster}`;
    if (this.land?.drawn !== drawn) {
      const bounds = extent(points.xy);
      this.land = { drawn, bounds, ...findRegions(points.xy, cluster, clusters.length, bounds) };
    }
    const common = { regions: this.land.regions, ownerAt: this.land.ownerAt, below: documents ? middles(documents, ofDocuments) : [] };
    Object.assign(ofTerms, common);
    Object.assign(ofDocuments, common);
    ofDocuments.towns = bestTerms(terms, ofTerms).filter((i) => !saidAlready(ofTerms, terms.terms[i])).slice(0, TOWNS)
      .map((i) => ({ x: terms.xy[2 * i], y: terms.xy[2 * i + 1], text: display(terms.terms[i]), group: ofTerms.cluster[i] }));
    return { state: data.state, terms: { points: terms, state: ofTerms }, documents: { points: documents, state: ofDocuments } };
  }

  open(view) {
    const { points, state } = this.layers[view];
    this.view = view;
    this.map.found = null;
    this.search.value = "";
    this.found.textContent = "";
    this.map.setPoints(points, this.land.bounds);
    if (this.map.width > 1) this.place();
    else this.unfitted = true;
    this.map.general = this.isLooseShown();
    this.map.setState(state);
    const many = view === "documents" ? plural(points.n, "document") : plural(points.n, "term");
    this.canvas.setAttribute("aria-label", `Map of ${many} in ${plural(state.clusters.length, "topic")}. ` +
      "Arrow keys walk between points, plus and minus zoom, slash searches. The table below holds the terms.");
    const word = view === "documents" ? "document" : "term";
    this.search.placeholder = `Find a ${word}`;
    this.search.setAttribute("aria-label", `Find a ${word} on the map`);
    this.bar.setAttribute("aria-label", `Selected ${word}s`);
  }

  // Go back to where a person was on this map, in a frame that may have another size now.
  place() {
    const { map } = this;
    const kept = shared.views.get(this.data.points.terms);
    if (!kept) return map.fit();
    Object.assign(map.view, { cx: kept.cx, cy: kept.cy, k: kept.zoom * map.fullScale() });
    map.draw();
  }

  // Documents of no sub-topic may be what is missing; terms of none are general words, and there are very many.
  isLooseShown() {
    return shared.loose?.[this.view] ?? this.view === "documents";
  }

  remember() {
    const { cx, cy, k } = this.map.view;
    const zoom = k / this.map.fullScale();
    shared.views.set(this.data.points.terms, { cx, cy, zoom });
    this.root.dataset.zoom = zoom.toFixed(3);
    this.root.dataset.view = this.view;
    this.root.dataset.painted = String(Number(this.root.dataset.painted ?? 0) + 1);
  }

  setView(view) {
    if (view === this.view || !this.layers[view].points) return;
    shared.view = view;
    this.hover(-1, null);
    this.open(view);
    this.showViews();
    this.showLegend();
    this.showSelection();
  }

  showViews() {
    for (const button of this.views) {
      const on = button.dataset.view === this.view;
      button.setAttribute("aria-checked", String(on));
      button.tabIndex = on ? 0 : -1;
      button.disabled = button.dataset.view === "documents" && !this.data.points.documents;
      button.title = button.disabled ? "This proposal was made before documents had a place on the map. Expand again to see them." : "";
      button.onkeydown = (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = this.views[(this.views.indexOf(button) + step + this.views.length) % this.views.length];
        next.focus();
        next.click();
      };
    }
  }

  // Each topic with the number that its card and the tree have; a click leaves it out of the picture or brings it back.
  showLegend() {
    const { map } = this;
    if (!map.state) return;
    const entries = map.state.clusters.map((cluster) => {
      const { colour, shape } = topicStyle(cluster, map.theme.dark);
      const said = `${number.format(cluster.nDocuments)}${cluster.kind === "novel" ? " proposed" : ""}`;
      return this.legendEntry(!map.hidden.has(cluster.id), swatch(shape, colour), cluster.label, said, () => {
        map.hidden.has(cluster.id) ? map.hidden.delete(cluster.id) : map.hidden.add(cluster.id);
      });
    });
    let loose = 0;
    for (let i = 0; i < map.n; i++) if (map.state.cluster[i] === GENERAL) loose++;
    const general = (map.theme.dark ? GROUND.dark : GROUND.light).general;
    if (loose) entries.push(this.legendEntry(map.general, swatch("circle", general, 9), this.view === "documents" ? "in no sub-topic" : "general terms", number.format(loose), () => {
      shared.loose = { ...shared.loose, [this.view]: !map.general };
      map.general = this.isLooseShown();
    }));
    const { nAll } = this.data.documents;
    const part = this.view === "documents" && map.n < nAll && el("li", { class: "soft small" }, `${number.format(map.n)} of ${plural(nAll, "document")} are drawn.`);
    this.legend.replaceChildren(...entries, ...(part ? [part] : []));
  }

  legendEntry(isOn, icon, label, size, change) {
    const toggle = () => { change(); this.map.restyle(); this.showLegend(); };
    return el("li", {}, el("button", { type: "button", class: "quiet", "aria-pressed": String(isOn), title: isOn ? "Hide" : "Show", onclick: toggle },
      icon, el("span", {}, label), el("span", { class: "soft small" }, size)));
  }

  hover(i, at) {
    this.light(i, at);
    if (i === this.map.hovered && i < 0) return;
    this.map.hovered = i;
    this.map.draw();
    if (i < 0) return void (this.tip.hidden = true);
    const { points, state } = this.map;
    const cluster = state.clusters[state.cluster[i]];
    const under = state.flags ? null : state.namesBelow[state.under[i]];
    const where = cluster ? cluster.label + (under ? ` › ${under}` : "") + (cluster.kind === "novel" ? " (proposed)" : "") : state.flags ? "general: stays with the topic itself" : "in no sub-topic";
    this.tip.replaceChildren(el("strong", {}, state.flags ? display(points.terms[i]) : points.terms[i]), el("div", { class: "soft small" }, where), this.facts(i));
    this.tip.hidden = false;
    const [x, y] = at ?? [this.map.screen[2 * i], this.map.screen[2 * i + 1]];
    const right = x > this.map.width - 210;
    Object.assign(this.tip.style, { left: right ? "" : `${x + 14}px`, right: right ? `${this.map.width - x + 14}px` : "", top: `${clamp(y - 20, 4, Math.max(4, this.map.height - 130))}px` });
  }

  facts(i) {
    const { points, state } = this.map;
    if (!state.flags) return "";
    const read = (values, name) => { const [low, high] = state.scales[name]; return (low + (values[i] / 65535) * (high - low)).toFixed(2); };
    const rows = [["novelty", read(state.novelty, "novelty")], ["topicality", read(points.strength, "topicality")],
      ["significance", read(state.significance, "significance")], ["documents", number.format(points.counts[i])]];
    return el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  }

  // The card of what is under the pointer lights up, as the points do of the card under it.
  light(i, at) {
    const group = this.map.state && (i >= 0 || at) ? this.map.topicAt(i, ...(at ?? [-1e6, -1e6])) : GENERAL;
    const id = this.map.state?.clusters[group]?.id ?? null;
    if (id === this.lit) return;
    this.lit = id;
    announce("light-card", { cluster: id });
  }

  emphasise({ cluster }) {
    const index = this.map.state?.clusters.findIndex((known) => known.id === cluster) ?? -1;
    this.map.emphasis = index >= 0 ? index : null;
    this.root.dataset.emphasis = index >= 0 ? cluster : "";
    this.map.restyle();
  }

  previewThreshold({ state, value }) {
    if (!this.layers || state !== this.data.state) return;
    const [low, high] = this.data.scales.novelty;
    this.map.preview = value === null ? null : (value - low) / (high - low || 1);
    this.map.restyle();
  }
}

// Where the name of a topic below a group stands: in the middle of its documents.
function middles(points, { cluster, under, namesBelow }) {
  const sums = namesBelow.map((text) => ({ x: 0, y: 0, n: 0, text, group: GENERAL }));
  for (let i = 0; i < points.n; i++) {
    const sum = sums[under[i]];
    if (!sum) continue;
    sum.x += points.xy[2 * i];
    sum.y += points.xy[2 * i + 1];
    sum.group = cluster[i];
    sum.n++;
  }
  return sums.filter((sum) => sum.n).sort((a, b) => b.n - a.n).map(({ x, y, n, text, group }) => ({ x: x / n, y: y / n, text, group }));
}
