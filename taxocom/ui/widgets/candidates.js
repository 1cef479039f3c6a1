// Every count of novel clusters that was tried: its concentrations as dots, their spread, and why it won or lost.

class Candidates {
  constructor(parent) {
    this.parent = parent;
    this.owner = [];
    this.root = el("div", { class: "root candidates" });
    parent.append(this.root);
  }

  update(data) {
    this.data = data;
    const dark = theme(this.parent).dark;
    this.root.classList.toggle("dark", dark);
    const values = data.candidates.flatMap((candidate) => candidate.concentrations.filter((value) => value !== null));
    const low = Math.min(...values), high = Math.max(...values);
    const widest = Math.max(...data.candidates.map((candidate) => candidate.spread ?? 0), 1e-9);
    const colour = (dark ? GROUND.dark : GROUND.light);
    const rows = data.candidates.map((candidate) => {
      const dots = svgEl("svg", { viewBox: "0 0 120 16", class: "dots", "aria-hidden": "true" }, svgEl("line", { x1: 4, x2: 116, y1: 8, y2: 8, stroke: "currentColor", opacity: 0.15 }));
      candidate.concentrations.forEach((value, i) => {
        if (value === null) return;
        dots.append(svgEl("circle", { cx: 4 + (112 * (value - low)) / (high - low || 1), cy: 8, r: 3.2, fill: i < data.nKnown ? colour.known : colour.novel, opacity: 0.75 }));
      });
      const using = candidate.n === data.using;
      return el("tr", { class: `${using ? "using" : ""} ${candidate.eligible ? "" : "out"}` },
        el("th", { scope: "row" }, plural(candidate.n, "new topic"), candidate.chosen && el("span", { class: "badge" }, "proposed")),
        el("td", {}, using ? el("span", { class: "now" }, "shown") : el("button", { type: "button", disabled: !candidate.eligible, onclick: () => tell(this, "choose", candidate.n) }, "Show")),
        el("td", {}, dots, el("span", { class: "hidden-visually" }, candidate.concentrations.map((value) => (value === null ? "none" : Math.round(value))).join(", "))),
        el("td", { class: "spread" }, candidate.spread === null ? el("span", { class: "soft" }, "none") : [el("span", { class: "bar", style: { width: `${(candidate.spread / widest) * 2.2}rem` } }), candidate.spread.toFixed(1)]),
        el("td", { class: "reason soft", title: candidate.reason }, el("span", {}, candidate.reason)));
    });
    this.root.replaceChildren(el("table", {},
      el("thead", {}, el("tr", {}, ["Topics", "", "Concentrations", "Spread", "Why"].map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", {}, rows)),
    el("p", { class: "soft small" }, swatch("circle", colour.known), " known  ", swatch("circle", colour.novel), " novel. An even row means that all topics are equally narrow."));
  }
}

export default (component) => mount(component, Candidates);
