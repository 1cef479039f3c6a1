// Search and selection: what was found, what is selected, and where the selected terms may go.

Object.assign(MapFrame.prototype, {
  find() {
    const wanted = this.search.value.trim().toLowerCase().replaceAll(" ", "_");
    const { map } = this;
    map.matches = null;
    if (wanted && map.points) {
      map.matches = [];
      for (let i = 0; i < map.n; i++) if (map.points.terms[i].toLowerCase().includes(wanted)) map.matches.push(i);
      map.matches.sort((a, b) => map.points.terms[a].length - map.points.terms[b].length);
    }
    this.match = 0;
    if (!wanted) this.hover(-1, null);
    this.found.textContent = map.matches ? (map.matches.length ? `${plural(map.matches.length, "match", "matches")}, Enter goes from one to the next` : "no such term here") : "";
    map.draw();
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

  pick(i, adding) {
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
    const { state, points } = map;
    chosen.sort((a, b) => state.significance[b] - state.significance[a]);
    const targets = el("select", { "aria-label": "Move to cluster", onchange: () => targets.value && this.move(targets.value) },
      el("option", { value: "" }, "Move to…"),
      ["novel", "known"].map((kind) => state.clusters.some((cluster) => cluster.kind === kind) && el("optgroup", { label: `${kind} clusters` },
        state.clusters.filter((cluster) => cluster.kind === kind && cluster.label).map((cluster) => el("option", { value: cluster.id }, cluster.label)))));
    const action = (to, label) => el("button", { type: "button", onclick: () => this.move(to) }, label);
    const names = chosen.slice(0, 7).map((i) => display(points.terms[i])).join(", ");
    this.bar.replaceChildren(
      el("div", { class: "chosen" }, el("strong", {}, plural(chosen.length, "term")), el("span", { class: "soft" }, ` ${names}${chosen.length > 7 ? ", …" : ""}`)),
      el("div", { class: "actions" }, targets, action("known", "Mark known"), action("novel", "Mark novel"), action("general", "Drop as general"),
        el("button", { type: "button", class: "quiet", onclick: () => this.select([], false) }, "Clear")));
    this.bar.hidden = false;
  },

  // The answer of the server takes a moment; the points change at once so that the hand sees what it did.
  move(to) {
    const { map } = this;
    const chosen = [...map.selected];
    const cluster = map.state.clusters.findIndex((known) => known.id === to);
    for (const i of chosen) {
      if (to === "general") { map.state.cluster[i] = GENERAL; map.state.flags[i] &= ~NOVEL_BIT; continue; }
      if (cluster >= 0) map.state.cluster[i] = cluster;
      const novel = to === "novel" || (cluster >= 0 && map.state.clusters[cluster].kind === "novel");
      map.state.flags[i] = (map.state.flags[i] & ~NOVEL_BIT) | (novel ? NOVEL_BIT : 0) | PINNED_BIT;
    }
    map.selected.clear();
    map.restyle();
    this.showSelection();
    this.showLegend();
    tell(this, "moved", { terms: chosen.map((i) => map.points.ids[i]), to });
  },
});
