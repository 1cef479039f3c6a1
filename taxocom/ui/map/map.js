// The map's frame: toolbar, legend, tooltip, what to do with a selection. One instance lives as long as it is on the page;
// new data only changes what differs, so the zoom, the mode and the selection stay.

const MODES = [["kind", "Known or novel"], ["cluster", "Cluster"], ["novelty", "Novelty"], ["topicality", "Topicality"]];

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
      onPick: (i, adding) => this.pick(i, adding),
      onSearch: () => this.search.focus(),
      lassoOn: () => this.lasso,
    });
    const observer = new ResizeObserver(([entry]) => {
      this.map.resize(entry.contentRect.width, entry.contentRect.height);
      if (this.unfitted && this.map.points) { this.unfitted = false; this.map.fit(); }
    });
    observer.observe(this.stage);
    this.owner.push(() => observer.disconnect());
    listen(this.owner, shared.bus, "threshold", ({ detail }) => this.previewThreshold(detail));
    listen(this.owner, shared.bus, "focus-cluster", ({ detail }) => this.emphasise(detail));
  }

  build() {
    this.modes = MODES.map(([mode, label]) => el("button", { type: "button", role: "radio", "data-mode": mode, onclick: () => this.setMode(mode) }, label));
    this.search = el("input", { type: "search", placeholder: "Find a term", "aria-label": "Find a term on the map", class: "search",
      oninput: () => this.find(), onkeydown: (event) => this.searchKey(event) });
    this.found = el("span", { class: "soft small found", role: "status", "aria-live": "polite" });
    this.lassoButton = el("button", { type: "button", "aria-pressed": "false", title: "Draw around terms to select them (or hold Shift)", onclick: () => this.toggleLasso() }, "Lasso");
    this.canvas = el("canvas", { tabindex: 0, role: "img" });
    this.tip = el("div", { class: "tip", role: "status", "aria-live": "polite" });
    const zoom = (factor) => () => { this.hover(-1, null); this.map.zoomAt(factor, this.map.width / 2, this.map.height / 2); };
    this.bar = el("div", { class: "selection", role: "region", "aria-label": "Selected terms", hidden: true });
    this.stage = el("div", { class: "stage" }, this.canvas, this.found, this.tip, this.bar,
      el("div", { class: "zoom" },
        el("button", { type: "button", "aria-label": "Zoom in", title: "Zoom in", onclick: zoom(1.5) }, "+"),
        el("button", { type: "button", "aria-label": "Zoom out", title: "Zoom out", onclick: zoom(1 / 1.5) }, "−"),
        el("button", { type: "button", "aria-label": "Show everything", title: "Show everything", class: "fit", onclick: () => { this.hover(-1, null); this.map.fit(); } }, "Fit")));
    this.legend = el("ul", { class: "legend", "aria-label": "Legend" });
    this.root = el("div", { class: "root map" },
      el("div", { class: "tools" },
        el("div", { class: "segments", role: "radiogroup", "aria-label": "Colour the map by" }, this.modes),
        el("div", { class: "spacer" }), this.search, this.lassoButton),
      this.stage, this.legend);
    this.parent.append(this.root);
  }

  update(data) {
    this.data = data;
    this.map.theme = theme(this.parent);
    this.root.classList.toggle("dark", this.map.theme.dark);
    const points = shared.points.get(data.points);
    if (!points) {
      const waiting = shared.waiting.get(data.points) ?? [];
      shared.waiting.set(data.points, [...waiting, () => { if (this.data.points === data.points) this.update(this.data); }]);
      return;
    }
    if (this.map.points !== points) this.open(points);
    const state = {
      id: data.state, clusters: data.clusters, scales: data.scales,
      cluster: decode(data.cluster, Int16Array), flags: decode(data.flags, Uint8Array),
      novelty: decode(data.novelty, Uint16Array), significance: decode(data.significance, Uint16Array),
    };
    if (this.map.state && data.state !== this.map.state.id) { this.map.preview = null; if (data.clearSelection) this.map.selected.clear(); }
    this.map.setState(state);
    this.canvas.setAttribute("aria-label", `Map of ${plural(points.n, "term")} in ${plural(data.clusters.length, "cluster")}. ` +
      "Arrow keys walk between names, plus and minus zoom, slash searches. The table below holds the same terms.");
    this.showModes();
    this.showLegend();
    this.showSelection();
    this.root.dataset.state = data.state;
    shared.states.set(data.points, state);
    announce("state", { points: data.points });
  }

  open(points) {
    this.map.setPoints(points);
    const kept = shared.views.get(this.data.points);
    if (kept) { Object.assign(this.map.view, kept.view); this.map.mode = kept.mode; }
    else if (this.map.width > 1) { this.map.state = null; this.map.fit(); }
    else this.unfitted = true;
    if (!kept) this.map.mode = shared.mode ?? "kind";
  }

  remember() {
    shared.views.set(this.data.points, { view: { ...this.map.view }, mode: this.map.mode });
    this.root.dataset.zoom = (this.map.view.k / this.map.fullScale()).toFixed(3);
    this.root.dataset.painted = String(Number(this.root.dataset.painted ?? 0) + 1);
  }

  setMode(mode) {
    this.map.mode = shared.mode = mode;
    this.map.hidden.clear();
    this.map.restyle();
    this.showModes();
    this.showLegend();
  }

  showModes() {
    for (const button of this.modes) {
      const on = button.dataset.mode === this.map.mode;
      button.setAttribute("aria-checked", String(on));
      button.tabIndex = on ? 0 : -1;
      button.onkeydown = (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = this.modes[(this.modes.indexOf(button) + step + this.modes.length) % this.modes.length];
        next.focus();
        next.click();
      };
    }
  }

  showLegend() {
    const { map } = this;
    if (!map.state || !map.points) return;
    const kinds = map.theme.dark ? KIND.dark : KIND.light;
    const tally = { known: 0, novel: 0, general: 0 };
    const sizes = new Array(map.state.clusters.length).fill(0);
    for (let i = 0; i < map.n; i++) {
      const cluster = map.state.cluster[i];
      if (cluster !== GENERAL) sizes[cluster]++;
      tally[map.isNovel(i) ? "novel" : cluster === GENERAL ? "general" : "known"]++;
    }
    let entries;
    if (map.mode === "cluster") {
      entries = map.state.clusters.map((cluster, i) => {
        const { colour, shape } = clusterStyle(map.state.clusters, i, map.theme.dark);
        return this.legendEntry(i, swatch(shape, colour), `${cluster.label}`, sizes[i], cluster.kind);
      });
      entries.push(this.legendEntry(GENERAL, swatch("circle", kinds.general, 9), "general", tally.general, ""));
    } else if (map.mode === "kind") {
      entries = [["known", "circle"], ["novel", "triangle"], ["general", "circle"]].map(([kind, shape]) =>
        this.legendEntry(kind, swatch(shape, kinds[kind], kind === "general" ? 9 : 12), kind, tally[kind], ""));
    } else {
      const scale = map.state.scales[map.mode];
      const ramp = Array.from({ length: 12 }, (_, i) => scaleColour(i / 11, map.theme.dark));
      entries = [el("li", { class: "ramp" }, `${map.mode} ${scale[0].toFixed(2)}`,
        el("span", { class: "bar", style: { background: `linear-gradient(90deg, ${ramp.join(",")})` } }), scale[1].toFixed(2),
        el("span", { class: "soft" }, swatch("circle", map.theme.text, 10), " known ", swatch("triangle", map.theme.text, 11), " novel"))];
    }
    this.legend.replaceChildren(...entries);
  }

  legendEntry(key, icon, label, size, kind) {
    const off = this.map.hidden.has(key);
    const toggle = () => {
      off ? this.map.hidden.delete(key) : this.map.hidden.add(key);
      this.map.restyle();
      this.showLegend();
    };
    return el("li", {}, el("button", { type: "button", class: "quiet", "aria-pressed": String(!off), title: off ? "Show" : "Fade out", onclick: toggle },
      icon, el("span", {}, label), el("span", { class: "soft small" }, number.format(size) + (kind ? ` ${kind}` : ""))));
  }

  hover(i, at) {
    if (i === this.map.hovered && i < 0) return;
    this.map.hovered = i;
    this.map.draw();
    if (i < 0) return void (this.tip.hidden = true);
    const { points, state } = this.map;
    const read = (values, name) => { const [low, high] = state.scales[name]; return (low + (values[i] / 65535) * (high - low)).toFixed(2); };
    const cluster = state.clusters[state.cluster[i]];
    const rows = [["novelty", read(state.novelty, "novelty")], ["topicality", read(points.topicality, "topicality")],
      ["significance", read(state.significance, "significance")], ["documents", number.format(points.documents[i])]];
    const where = cluster ? `${cluster.label} (${cluster.kind})` : "general: stays with the topic itself";
    this.tip.replaceChildren(el("strong", {}, display(points.terms[i])), el("div", { class: "soft small" }, where),
      el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
    this.tip.hidden = false;
    const [x, y] = at ?? [this.map.screen[2 * i], this.map.screen[2 * i + 1]];
    const right = x > this.map.width - 210;
    Object.assign(this.tip.style, { left: right ? "" : `${x + 14}px`, right: right ? `${this.map.width - x + 14}px` : "", top: `${clamp(y - 20, 4, Math.max(4, this.map.height - 130))}px` });
  }

  emphasise({ cluster }) {
    const index = this.map.state?.clusters.findIndex((known) => known.id === cluster) ?? -1;
    this.map.emphasis = index >= 0 ? index : null;
    this.map.restyle();
  }

  previewThreshold({ state, value }) {
    if (!this.map.state || state !== this.data.state) return;
    const [low, high] = this.map.state.scales.novelty;
    this.map.preview = value === null ? null : (value - low) / (high - low || 1);
    this.map.restyle();
    this.showLegend();
  }
}
