// The distribution of novelty with the threshold as a line that can be dragged. While it moves, the map shows what would
// change; the engine is asked once it is let go.

const BINS = 56;
const WIDE = 600, HIGH = 132, FLOOR = 112;

class NoveltyChart {
  constructor(parent) {
    this.parent = parent;
    this.owner = [];
    this.value = null;
    this.svg = svgEl("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    this.handle = el("div", { class: "handle", role: "slider", tabindex: 0, "aria-label": "Novelty threshold", "aria-orientation": "horizontal" }, el("span", { class: "value" }));
    this.chart = el("div", { class: "chart" }, this.svg, this.handle);
    this.counts = el("div", { class: "counts", role: "status", "aria-live": "polite" });
    this.reset = el("button", { type: "button", class: "quiet", onclick: () => this.settle(this.data.proposed) }, "Back to the proposed");
    this.crossed = el("div", { class: "crossed" });
    this.root = el("div", { class: "root novelty" }, el("div", { class: "head" }, this.counts, this.reset), this.chart, this.crossed);
    parent.append(this.root);
    listen(this.owner, shared.bus, "state", ({ detail }) => detail.points === this.data?.points && this.update(this.data));
    listen(this.owner, this.handle, "keydown", (event) => this.key(event));
    this.drag();
  }

  update(data) {
    this.data = data;
    this.root.classList.toggle("dark", theme(this.parent).dark);
    this.state = shared.states.get(data.points);
    this.points = shared.points.get(data.points);
    if (!this.state || !this.points) return;
    if (!this.dragging) this.value = data.threshold;
    const [low, high] = this.state.scales.novelty;
    this.low = low;
    this.high = high > low ? high : low + 1;
    this.bins = new Uint32Array(BINS);
    this.topical = [];
    for (let i = 0; i < this.points.n; i++) {
      if (this.state.cluster[i] === -1) continue;
      this.topical.push(i);
      this.bins[Math.min(BINS - 1, (this.state.novelty[i] * BINS) >> 16)]++;
    }
    this.paint();
  }

  novelty(i) {
    return this.low + (this.state.novelty[i] / 65535) * (this.high - this.low);
  }

  paint() {
    const kinds = this.root.classList.contains("dark") ? KIND.dark : KIND.light;
    const most = Math.max(...this.bins, 1);
    const step = WIDE / BINS;
    const at = ((this.value - this.low) / (this.high - this.low)) * WIDE;
    const bars = [...this.bins].map((count, bin) => {
      const high = count ? Math.max(2, (count / most) * (FLOOR - 8)) : 0;
      return svgEl("rect", { x: bin * step + 0.5, width: step - 1, y: FLOOR - high, height: high, rx: 1, fill: (bin + 0.5) * step >= at ? kinds.novel : kinds.known, opacity: 0.8 });
    });
    this.svg.replaceChildren(...bars, svgEl("line", { x1: 0, x2: WIDE, y1: FLOOR, y2: FLOOR, stroke: "currentColor", opacity: 0.25 }));
    this.handle.style.left = `${clamp((at / WIDE) * 100, 0, 100)}%`;
    this.handle.firstChild.textContent = this.value.toFixed(3);
    for (const [name, value] of [["valuemin", this.low], ["valuemax", this.high], ["valuenow", this.value]]) this.handle.setAttribute(`aria-${name}`, value.toFixed(3));
    const novel = this.topical.filter((i) => this.novelty(i) >= this.value);
    const known = this.topical.length - novel.length;
    this.counts.replaceChildren(swatch("circle", kinds.known), ` ${number.format(known)} known  `, swatch("triangle", kinds.novel), ` ${number.format(novel.length)} novel`);
    this.handle.setAttribute("aria-valuetext", `${this.value.toFixed(3)}: ${known} known, ${novel.length} novel`);
    this.reset.hidden = Math.abs(this.value - this.data.proposed) < 1e-6;
    this.showCrossed();
  }

  // While dragging, against the last answer of the engine; at rest, against the proposal as it was made.
  showCrossed() {
    const from = this.dragging ? this.data.threshold : this.data.proposed;
    const [low, high] = [Math.min(from, this.value), Math.max(from, this.value)];
    const over = this.topical.filter((i) => this.novelty(i) >= low && this.novelty(i) < high);
    over.sort((a, b) => this.state.significance[b] - this.state.significance[a]);
    const became = this.value < from ? "novel" : "known";
    this.crossed.replaceChildren(...(over.length
      ? [el("span", { class: "soft" }, `${number.format(over.length)} became ${became}: `), ...over.slice(0, 14).map((i) => el("span", { class: "chip" }, display(this.points.terms[i]))), over.length > 14 ? "…" : ""]
      : [el("span", { class: "soft" }, "Drag the line, or use the arrow keys: terms to its right are novel.")]));
  }

  drag() {
    const place = (event) => {
      const box = this.svg.getBoundingClientRect();
      this.value = clamp(this.low + ((event.clientX - box.left) / box.width) * (this.high - this.low), this.low, this.high);
      this.paint();
      announce("threshold", { state: this.state.id, value: this.value });
    };
    listen(this.owner, this.chart, "pointerdown", (event) => {
      if (!this.state) return;
      this.dragging = true;
      this.chart.setPointerCapture(event.pointerId);
      this.handle.focus();
      place(event);
    });
    listen(this.owner, this.chart, "pointermove", (event) => this.dragging && place(event));
    listen(this.owner, this.chart, "pointerup", () => this.dragging && this.settle(this.value));
  }

  key(event) {
    const unit = (this.high - this.low) / 200;
    const step = { ArrowLeft: -unit, ArrowDown: -unit, ArrowRight: unit, ArrowUp: unit, PageDown: -10 * unit, PageUp: 10 * unit }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    this.dragging = true;
    this.value = clamp(this.value + step, this.low, this.high);
    this.paint();
    announce("threshold", { state: this.state.id, value: this.value });
    clearTimeout(this.later);
    this.later = setTimeout(() => this.settle(this.value), 450);
  }

  settle(value) {
    this.dragging = false;
    this.value = value;
    this.paint();
    this.component.setTriggerValue("threshold", value);
  }
}

export default (component) => mount(component, NoveltyChart);
