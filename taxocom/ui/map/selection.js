// Search and selection: what was found, all that is selected, and what can become of it.

const LISTED = 200;

Object.assign(MapFrame.prototype, {
  find() {
    const isTerms = this.view === "terms";
    const typed = this.search.value.trim().toLowerCase();
    const wanted = isTerms ? typed.replaceAll(" ", "_") : typed;
    const { map } = this;
    map.matches = null;
    if (wanted && map.points) {
      map.matches = [];
      for (let i = 0; i < map.n; i++) if (map.points.terms[i].toLowerCase().includes(wanted)) map.matches.push(i);
      map.matches.sort((a, b) => map.points.terms[a].length - map.points.terms[b].length);
    }
    map.found = map.matches && new Set(map.matches);
    this.match = 0;
    if (!wanted) this.hover(-1, null);
    const none = `no such ${isTerms ? "term" : "title"} here`;
    this.found.textContent = map.matches ? (map.matches.length ? `${plural(map.matches.length, "match", "matches")}, Enter goes from one to the next` : none) : "";
    map.restyle();
  },

  searchKey(event) {
    if (event.key === "Escape") { this.search.value = ""; this.find(); }
    if (event.key !== "Enter" || !this.map.matches?.length) return;
    const i = this.map.matches[this.match++ % this.map.matches.length];
    const [x, y] = [this.map.points.xy[2 * i], this.map.points.xy[2 * i + 1]];
    Object.assign(this.map.view, { cx: x, cy: y, k: Math.max(this.map.view.k, this.map.fullScale() * 4) });
    this.map.draw();
    requestAnimationFrame(() => this.hover(i, null));
  },

  toggleLasso() {
    this.lasso = !this.lasso;
    this.lassoButton.setAttribute("aria-pressed", String(this.lasso));
    this.canvas.classList.toggle("drawing", this.lasso);
  },

  // A click on a point selects it and goes to its card; one on the land of a topic only goes to the card.
  pick(i, adding, at) {
    const cluster = this.map.state?.clusters[this.map.topicAt(i, ...(at ?? [-1e6, -1e6]))];
    if (cluster) announce("show-card", { cluster: cluster.id });
    if (i < 0) return adding ? undefined : this.select([], false);
    const { selected } = this.map;
    if (adding) selected.has(i) ? selected.delete(i) : selected.add(i);
    else { selected.clear(); selected.add(i); }
    this.showSelection();
  },

  select(found, adding) {
    if (!adding) this.map.selected.clear();
    for (const i of found) this.map.selected.add(i);
    this.showSelection();
  },

  showSelection() {
    const { map } = this;
    map.draw();
    const chosen = [...map.selected];
    this.root.dataset.selected = String(chosen.length);
    if (!chosen.length) { this.bar.replaceChildren(); this.bar.hidden = true; return; }
    if (map.state.significance) chosen.sort((a, b) => map.state.significance[b] - map.state.significance[a]);
    const word = this.view === "documents" ? "document" : "term";
    this.bar.replaceChildren(
      el("div", { class: "chosen" }, el("strong", {}, plural(chosen.length, word)), this.mixture(chosen),
        el("button", { type: "button", class: "quiet", onclick: () => this.select([], false) }, "Clear")),
      this.list(chosen),
      el("div", { class: "actions" },
        el("button", { type: "button", class: "primary", onclick: () => this.tellSelected(chosen, "") }, "Make a topic of these"),
        this.view === "documents" ? this.documentActions(chosen) : this.data.mayMoveTerms && this.termActions(chosen)));
    // On the side where the selection is not.
    const middle = chosen.reduce((sum, i) => sum + map.screen[2 * i], 0) / chosen.length;
    this.bar.classList.toggle("left", middle > map.width / 2);
    this.bar.hidden = false;
  },

  // Which topics the selection is from, the largest share first.
  mixture(chosen) {
    const { state, theme: { dark } } = this.map;
    const counts = new Map();
    for (const i of chosen) counts.set(state.cluster[i], (counts.get(state.cluster[i]) ?? 0) + 1);
    return el("span", { class: "mixture small" }, [...counts].sort((a, b) => b[1] - a[1]).map(([g, n]) => {
      const cluster = state.clusters[g];
      const { shape, colour } = cluster ? topicStyle(cluster, dark) : { shape: "circle", colour: (dark ? GROUND.dark : GROUND.light).general };
      return el("span", { class: "part" }, swatch(shape, colour, 10), ` ${number.format(n)} ${cluster?.label ?? "of no topic"}`);
    }));
  },

  // All that is selected, a piece at a time: thousands of rows at once would hold the page up.
  list(chosen) {
    const { points, state } = this.map;
    const rows = el("ul", { class: "listed small", tabindex: 0, "aria-label": "All that is selected" });
    const more = (from) => {
      const name = (i) => (state.flags ? display(points.terms[i]) : points.terms[i]);
      rows.append(...chosen.slice(from, from + LISTED).map((i) => el("li", {}, name(i))));
      const rest = chosen.length - from - LISTED;
      if (rest > 0) rows.append(el("li", {}, el("button", { type: "button", class: "quiet", onclick: (event) => { event.target.parentNode.remove(); more(from + LISTED); } }, `${number.format(rest)} more`)));
    };
    more(0);
    if (state.flags) rows.classList.add("words");
    return rows;
  },

  choice(label, options, onChosen) {
    const list = el("select", { "aria-label": label, onchange: () => list.value && onChosen(list.value) }, el("option", { value: "" }, `${label}…`), options);
    return list;
  },

  documentActions(chosen) {
    if (!this.data.topics.length) return null;
    return this.choice("They belong to", this.data.topics.map((topic) => el("option", { value: topic.id }, topic.label)), (to) => this.tellSelected(chosen, to));
  },

  termActions(chosen) {
    const { clusters } = this.map.state;
    const groups = [["novel", "proposed topics"], ["known", "topics"]].map(([kind, title]) => clusters.some((cluster) => cluster.kind === kind) &&
      el("optgroup", { label: title }, clusters.filter((cluster) => cluster.kind === kind).map((cluster) => el("option", { value: cluster.id }, cluster.label))));
    const action = (to, label) => el("button", { type: "button", onclick: () => this.move(chosen, to) }, label);
    return [this.choice("Move to cluster", groups, (to) => this.move(chosen, to)), action("known", "Mark known"), action("novel", "Mark novel"), action("general", "Drop as general")];
  },

  tellSelected(chosen, to) {
    const { map } = this;
    const group = map.state.clusters.findIndex((known) => known.id === to);
    if (group >= 0 && this.view === "documents") for (const i of chosen) map.state.cluster[i] = group;
    map.selected.clear();
    map.restyle();
    this.showSelection();
    tell(this, "selected", { view: this.view, ids: chosen.map((i) => map.points.ids[i]), to });
  },

  // The answer of the server takes a moment; the points change at once so that the hand sees what it did.
  move(chosen, to) {
    const { map } = this;
    const cluster = map.state.clusters.findIndex((known) => known.id === to);
    for (const i of chosen) {
      if (to === "general") { map.state.cluster[i] = GENERAL; map.state.flags[i] &= ~NOVEL_BIT; continue; }
      if (cluster >= 0) map.state.cluster[i] = cluster;
      const novel = to === "novel" || (cluster >= 0 && map.state.clusters[cluster].kind === "novel");
      map.state.flags[i] = (map.state.flags[i] & ~NOVEL_BIT) | (novel ? NOVEL_BIT : 0) | PINNED_BIT;
    }
    this.tellSelected(chosen, to);
    this.showLegend();
  },
});
