// The distribution of novelty with the threshold as a line that can be dragged. Where terms are split one by one, the map
// shows at once what would change; where groups of documents are, only the engine can tell, and it is asked as the line moves.

const BINS = 56;
const WIDE = 600, HIGH = 120, FLOOR = 116;
const TICKS = [0, 0.25, 0.5, 0.75, 1];
const PAUSE = 250, PATIENCE = 4000;

class NoveltyChart {
  static isDragged = true;

  constructor(parent) {
    this.parent = parent;
    this.owner = [];
    this.value = this.asked = null;
    this.askedAt = 0;
    this.svg = svgEl("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    this.handle = el("div", { class: "handle", role: "slider", tabindex: 0, "aria-label": "Novelty threshold", "aria-orientation": "horizontal" }, el("span", { class: "value" }));
    this.upright = el("div", { class: "upright soft small", "aria-hidden": "true" });
    this.chart = el("div", { class: "chart" }, this.svg, this.handle);
    this.level = el("div", { class: "level soft small", "aria-hidden": "true" });
    this.counts = el("div", { class: "counts", role: "status", "aria-live": "polite" });
    this.reset = el("button", { type: "button", class: "quiet", onclick: () => this.settle(this.data.proposed) }, "Back to the proposed");
    this.crossed = el("div", { class: "crossed" });
    this.root = el("div", { class: "root novelty" }, el("div", { class: "head" }, this.counts, this.reset),
      el("div", { class: "axes" }, this.upright, this.chart, this.level,
        el("div", { class: "title soft small" }, "← explained by the known topics · novelty of a term · explained by none →")), this.crossed);
    parent.append(this.root);
    listen(this.owner, shared.bus, "state", ({ detail }) => detail.points === this.data?.points && this.update(this.data));
    listen(this.owner, this.handle, "keydown", (event) => this.key(event));
    this.drag();
  }

  update(data) {
    if (data.answered !== this.data?.answered) this.askedAt = 0;
    this.data = data;
    this.root.classList.toggle("dark", theme(this.parent).dark);
    this.state = shared.states.get(data.points);
    this.points = shared.points.get(data.points);
    if (!this.state || !this.points) return;
    if (!this.dragging) this.value = data.threshold;
    const [low, high] = this.state.scales.novelty;
    this.low = low;
    this.high = high > low ? high : low + 1;
    this.topical = [];
    for (let i = 0; i < this.points.n; i++) if (this.state.cluster[i] !== -1) this.topical.push(i);
    this.paint();
    this.ask();
  }

  // What the engine said; while the line moves and terms are split one by one, what its new place means.
  isNovel(i) {
    return this.dragging && this.data.byTerm ? this.novelty(i) >= this.value : (this.state.flags[i] & 1) !== 0;
  }

  novelty(i) {
    return this.low + (this.state.novelty[i] / 65535) * (this.high - this.low);
  }

  paint() {
    const kinds = this.root.classList.contains("dark") ? GROUND.dark : GROUND.light;
    const bins = { known: new Uint32Array(BINS), novel: new Uint32Array(BINS) };
    const novel = this.topical.filter((i) => this.isNovel(i));
    for (const i of this.topical) bins[this.isNovel(i) ? "novel" : "known"][Math.min(BINS - 1, (this.state.novelty[i] * BINS) >> 16)]++;
    const most = Math.max(...bins.known.map((count, bin) => count + bins.novel[bin]), 1);
    const step = WIDE / BINS;
    const at = ((this.value - this.low) / (this.high - this.low)) * WIDE;
    const bars = [];
    for (let bin = 0; bin < BINS; bin++) {
      let floor = FLOOR;
      for (const kind of ["known", "novel"]) {
        const high = bins[kind][bin] ? Math.max(2, (bins[kind][bin] / most) * (FLOOR - 8)) : 0;
        floor -= high;
        if (high) bars.push(svgEl("rect", { x: bin * step + 0.5, width: step - 1, y: floor, height: high, rx: 1, fill: kinds[kind], opacity: 0.8 }));
      }
    }
    this.svg.replaceChildren(...bars, svgEl("line", { x1: 0, x2: WIDE, y1: FLOOR, y2: FLOOR, stroke: "currentColor", opacity: 0.25 }));
    this.drawAxes(most);
    this.handle.style.left = `${clamp((at / WIDE) * 100, 0, 100)}%`;
    this.handle.firstChild.textContent = this.value.toFixed(3);
    for (const [name, value] of [["valuemin", this.low], ["valuemax", this.high], ["valuenow", this.value]]) this.handle.setAttribute(`aria-${name}`, value.toFixed(3));
    const known = this.topical.length - novel.length;
    this.counts.replaceChildren(swatch("circle", kinds.known), ` ${number.format(known)} known  `, swatch("triangle", kinds.novel), ` ${number.format(novel.length)} novel`);
    this.handle.setAttribute("aria-valuetext", `${this.value.toFixed(3)}: ${known} known, ${novel.length} novel`);
    this.reset.hidden = Math.abs(this.value - this.data.proposed) < 1e-6;
    this.showCrossed();
  }

  // Terms upwards, as many as the highest bar has; novelty to the right.
  drawAxes(most) {
    this.upright.replaceChildren(el("span", {}, number.format(most)), el("span", { class: "what" }, "terms"), el("span", {}, "0"));
    this.level.replaceChildren(...TICKS.map((share) => el("span", { style: { left: `${share * 100}%` } }, (this.low + share * (this.high - this.low)).toFixed(2))));
    this.svg.append(...TICKS.map((share) => svgEl("line", { x1: share * WIDE, x2: share * WIDE, y1: FLOOR, y2: HIGH, stroke: "currentColor", opacity: 0.4 })));
  }

  showCrossed() {
    const chips = (became, n, terms) => n ? [el("span", { class: "soft" }, `${number.format(n)} became ${became}: `), ...terms.slice(0, 12).map((term) => el("span", { class: "chip" }, display(term))), n > 12 ? "… " : " "] : [];
    let told;
    if (this.dragging) {
      const novel = [], known = [];
      for (const i of this.topical) {
        const was = (this.before[i] & 1) !== 0;
        if (this.isNovel(i) !== was) (was ? known : novel).push(i);
      }
      const named = (rows) => rows.sort((a, b) => this.state.significance[b] - this.state.significance[a]).slice(0, 12).map((i) => this.points.terms[i]);
      told = [...chips("novel", novel.length, named(novel)), ...chips("known", known.length, named(known))];
    } else {
      const { novel, nNovel, known, nKnown } = this.data.crossed;
      told = [...chips("novel", nNovel, novel), ...chips("known", nKnown, known)];
    }
    const isMoved = Math.abs(this.value - this.data.proposed) > 1e-6;
    this.crossed.replaceChildren(...(told.length ? told : [el("span", { class: "soft" }, isMoved ? "Nothing changes sides here." : this.data.byTerm
      ? "Drag the line or use the arrow keys. Further left, more terms count as new."
      : "Drag the line. Further left, more counts as new. Whole groups of documents change sides.")]));
  }

  drag() {
    const place = (event) => {
      const box = this.svg.getBoundingClientRect();
      this.moveTo(this.low + ((event.clientX - box.left) / box.width) * (this.high - this.low));
    };
    listen(this.owner, this.chart, "pointerdown", (event) => {
      if (!this.state) return;
      this.begin();
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
    this.begin();
    this.moveTo(this.value + step);
    clearTimeout(this.later);
    this.later = setTimeout(() => this.settle(this.value), 450);
  }

  begin() {
    if (this.dragging) return;
    this.dragging = true;
    this.gesture = Date.now();
    this.before = this.state.flags;
  }

  moveTo(value) {
    this.value = clamp(value, this.low, this.high);
    this.paint();
    if (this.data.byTerm) announce("threshold", { state: this.state.id, value: this.value });
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.ask(), PAUSE);
  }

  // One question at a time, or a slow machine would still be answering when the hand has long stopped.
  ask() {
    if (!this.dragging || this.data.byTerm || this.value === this.asked || Date.now() - this.askedAt < PATIENCE) return;
    this.asked = this.value;
    this.askedAt = Date.now();
    tell(this, "threshold", { value: this.value, gesture: this.gesture });
  }

  settle(value) {
    clearTimeout(this.soon);
    if (!this.dragging) this.gesture = Date.now();
    const isAsked = this.dragging && value === this.asked;
    this.dragging = false;
    this.asked = null;
    this.value = value;
    this.paint();
    if (!isAsked) tell(this, "threshold", { value, gesture: this.gesture });
  }
}

export default (component) => mount(component, NoveltyChart);
