// The points on a canvas: which is drawn how and where, and what lies above them.

const SPRITE_BINS = 32;
const GENERAL = -1;
const NOVEL_BIT = 1, ANCHOR_BIT = 2, PINNED_BIT = 4, CENTER_BIT = 8;

// Luminance rises or falls in one direction only, so the scale reads without colour; `high` stands out from the ground.
const SCALES = {
  light: [[214, 205, 150], [166, 157, 117], [124, 123, 120], [75, 86, 109], [22, 52, 108], [0, 30, 74]],
  dark: [[52, 66, 92], [87, 93, 109], [124, 123, 120], [165, 156, 116], [211, 193, 100], [254, 232, 56]],
};

function scaleColour(fraction, dark) {
  const stops = dark ? SCALES.dark : SCALES.light;
  const at = clamp(fraction, 0, 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  const mix = stops[low].map((channel, i) => Math.round(channel + (stops[low + 1][i] - channel) * (at - low)));
  return `rgb(${mix.join(",")})`;
}

class Scatter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.ground = new Ground(this.context);
    this.drawn = "";
    this.mode = "kind";
    this.selected = new Set();
    this.matches = null;
    this.hidden = new Set();
    this.emphasis = null;
    this.preview = null;
    this.hovered = -1;
    this.view = { cx: 0, cy: 0, k: 1 };
    this.width = this.height = this.ratio = 1;
    this.pending = false;
  }

  setPoints(points) {
    this.points = points;
    this.n = points.n;
    this.selected.clear();
    this.hovered = -1;
    this.matches = null;
    this.screen = new Float32Array(2 * this.n);
    this.grid = buildGrid(points.xy, extent(points.xy));
    this.bounds = core(points.xy);
  }

  setState(state) {
    this.state = state;
    this.restyle();
  }

  // Which of the drawn classes each point is in, and in which order they are drawn.
  restyle() {
    const { state, points, n } = this;
    if (!state || !points || state.cluster.length !== n) return;
    const dark = this.theme.dark;
    const kinds = dark ? KIND.dark : KIND.light;
    const clusterStyles = state.clusters.map((_, i) => clusterStyle(state.clusters, i, dark));
    const size = clamp(Math.sqrt(4000 / n), 0.62, 1.5);
    const dense = clamp(Math.sqrt(6000 / n), 0.6, 1);
    const lookup = new Map();
    this.sprites = [];
    this.style = new Uint16Array(n);
    const layers = [[], [], [], []];
    for (let i = 0; i < n; i++) {
      const cluster = state.cluster[i];
      const flags = state.flags[i];
      const novel = this.isNovel(i);
      const general = cluster === GENERAL && !novel;
      const anchor = (flags & ANCHOR_BIT) !== 0;
      let shape = novel ? "triangle" : "circle";
      let colour = general ? kinds.general : novel ? kinds.novel : kinds.known;
      if (this.mode === "cluster" && cluster !== GENERAL) ({ colour, shape } = clusterStyles[cluster]);
      else if (this.mode === "cluster") colour = kinds.general;
      else if (this.mode === "novelty" || this.mode === "topicality") {
        const values = this.mode === "novelty" ? state.novelty : points.topicality;
        const bin = Math.min(SPRITE_BINS - 1, (values[i] * SPRITE_BINS) >> 16);
        colour = scaleColour(bin / (SPRITE_BINS - 1), dark);
      }
      const faded = this.isFaded(i, cluster, novel, general);
      const radius = size * (anchor ? 4.4 : general && this.mode !== "topicality" ? 1.9 : 2.9);
      const name = `${shape}|${colour}|${radius}|${anchor}|${faded}`;
      let style = lookup.get(name);
      if (style === undefined) {
        style = this.sprites.length;
        lookup.set(name, style);
        this.sprites.push({ shape, colour, radius, outlined: anchor, alpha: (faded ? 0.1 : general ? 0.5 : 0.85) * (anchor ? 1 : dense) });
      }
      this.style[i] = style;
      layers[faded ? 0 : general ? 1 : anchor ? 3 : 2].push(i);
    }
    this.order = Uint32Array.from(layers.flat());
    this.styled = (this.styled ?? 0) + 1;
    this.draw();
  }

  isNovel(i) {
    const { state } = this;
    if (this.preview === null || (state.flags[i] & PINNED_BIT) || state.cluster[i] === GENERAL) return (state.flags[i] & NOVEL_BIT) !== 0;
    return state.novelty[i] >= this.preview * 65535;
  }

  isFaded(i, cluster, novel, general) {
    if (this.emphasis !== null) return cluster !== this.emphasis;
    if (this.hidden.size === 0) return false;
    if (this.mode === "cluster") return this.hidden.has(cluster);
    return this.hidden.has(general ? "general" : novel ? "novel" : "known");
  }

  fit(indices) {
    const box = indices?.length ? extent(this.points.xy, indices) : this.bounds;
    const margin = 36;
    const wide = Math.max(box.right - box.left, 1e-6), high = Math.max(box.bottom - box.top, 1e-6);
    const k = Math.min((this.width - 2 * margin) / wide, (this.height - 2 * margin) / high);
    const fitted = indices?.length ? Math.min(k, this.fullScale() * 12) : k;
    Object.assign(this.view, { cx: (box.left + box.right) / 2, cy: (box.top + box.bottom) / 2, k: fitted });
    this.draw();
  }

  fullScale() {
    const { left, right, top, bottom } = this.bounds;
    return Math.min((this.width - 72) / Math.max(right - left, 1e-6), (this.height - 72) / Math.max(bottom - top, 1e-6));
  }

  zoomAt(factor, x, y) {
    const { view } = this;
    const full = this.fullScale();
    const k = clamp(view.k * factor, full * 0.5, full * 60);
    const worldX = (x - this.width / 2) / view.k + view.cx, worldY = (y - this.height / 2) / view.k + view.cy;
    view.cx = worldX - (x - this.width / 2) / k;
    view.cy = worldY - (y - this.height / 2) / k;
    view.k = k;
    this.draw();
  }

  pan(dx, dy) {
    this.view.cx -= dx / this.view.k;
    this.view.cy -= dy / this.view.k;
    this.draw();
  }

  resize(width, height) {
    if (width < 2 || height < 2) return;
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    const grown = this.width > 1 ? Math.min(width / this.width, height / this.height) : 1;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.view.k *= grown;
    this.draw();
  }

  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      if (this.points && this.state && this.order && this.width > 1) this.paint();
    });
  }

  paint() {
    const { context, view, ratio } = this;
    const zoom = view.k / this.fullScale();
    const grow = clamp(Math.pow(zoom, 0.35), 0.8, 2.4);
    this.paintPoints(grow);
    context.setTransform(1, 0, 0, 1, 0, 0);
    this.ground.show();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.rings(this.matches ?? [], this.theme.text, 6 * grow, 1.4);
    const many = this.selected.size > 150;
    this.rings(this.selected, this.theme.primary, (many ? 3.6 : 5.2) * grow, many ? 1 : 2);
    if (this.hovered >= 0) this.rings([this.hovered], this.theme.text, 8 * grow, 2);
    drawLabels(this, zoom);
    this.afterPaint?.();
  }

  // The points themselves, unless only what lies above them has changed: a ring, a label, a lasso.
  paintPoints(grow) {
    const { view, width, height, ratio, screen, order, style, ground } = this;
    const picture = `${this.styled} ${view.cx} ${view.cy} ${view.k} ${this.canvas.width} ${this.canvas.height}`;
    if (picture === this.drawn) return;
    this.drawn = picture;
    this.prepareStamps(grow);
    if (ground.wide !== this.canvas.width || ground.high !== this.canvas.height) ground.resize(this.canvas.width, this.canvas.height);
    ground.clear(this.theme.stage);
    const xy = this.points.xy;
    const left = width / 2 - view.cx * view.k, top = height / 2 - view.cy * view.k;
    for (let j = 0; j < order.length; j++) {
      const i = order[j];
      const x = xy[2 * i] * view.k + left, y = xy[2 * i + 1] * view.k + top;
      screen[2 * i] = x;
      screen[2 * i + 1] = y;
      if (x < -8 || y < -8 || x > width + 8 || y > height + 8) continue;
      const stamp = this.stamps[style[i]];
      ground.stamp(stamp, Math.floor(x * ratio - stamp.half), Math.floor(y * ratio - stamp.half));
    }
  }

  rings(indices, colour, radius, width) {
    const { context, screen } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (const i of indices) {
      const x = screen[2 * i], y = screen[2 * i + 1];
      if (x < -10 || y < -10 || x > this.width + 10 || y > this.height + 10) continue;
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.stroke();
  }

  prepareStamps(grow) {
    const wanted = `${this.styled} ${(Math.round(grow * 10) / 10) * this.ratio}`;
    if (this.stampedFor === wanted) return;
    this.stampedFor = wanted;
    this.stamps = this.sprites.map((sprite) => stamped(sprite, (Math.round(grow * 10) / 10) * this.ratio, this.theme.background));
  }

  nearest(x, y, reach = 14) {
    const { view, width, height, grid } = this;
    if (!grid) return -1;
    const worldX = (x - width / 2) / view.k + view.cx, worldY = (y - height / 2) / view.k + view.cy;
    const away = reach / view.k;
    let best = -1, bestDistance = away * away;
    eachNear(grid, worldX, worldY, away, (i) => {
      const dx = this.points.xy[2 * i] - worldX, dy = this.points.xy[2 * i + 1] - worldY;
      const distance = dx * dx + dy * dy;
      if (distance < bestDistance) { best = i; bestDistance = distance; }
    });
    return best;
  }

  inside(polygon) {
    const found = [];
    for (let i = 0; i < this.n; i++) if (contains(polygon, this.screen[2 * i], this.screen[2 * i + 1])) found.push(i);
    return found;
  }
}

function extent(xy, indices) {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  const n = indices ? indices.length : xy.length / 2;
  for (let j = 0; j < n; j++) {
    const i = indices ? indices[j] : j;
    box.left = Math.min(box.left, xy[2 * i]);
    box.right = Math.max(box.right, xy[2 * i]);
    box.top = Math.min(box.top, xy[2 * i + 1]);
    box.bottom = Math.max(box.bottom, xy[2 * i + 1]);
  }
  return box;
}

// The extent without the outermost percent on each side: a few stray terms must not shrink all the others.
function core(xy) {
  const n = xy.length / 2;
  if (n < 400) return extent(xy);
  const cut = (offset) => {
    const sorted = Float32Array.from({ length: n }, (_, i) => xy[2 * i + offset]).sort();
    return [sorted[Math.floor(n * 0.012)], sorted[Math.ceil(n * 0.988) - 1]];
  };
  const [left, right] = cut(0), [top, bottom] = cut(1);
  return { left, right, top, bottom };
}

// Points by cell, in one run of indices with offsets: picking looks at a handful instead of all.
function buildGrid(xy, bounds) {
  const n = xy.length / 2;
  const side = clamp(Math.ceil(Math.sqrt(n / 3)), 1, 128);
  const wide = (bounds.right - bounds.left || 1) / side, high = (bounds.bottom - bounds.top || 1) / side;
  const cell = new Uint32Array(n);
  const offsets = new Uint32Array(side * side + 1);
  for (let i = 0; i < n; i++) {
    const column = clamp(Math.floor((xy[2 * i] - bounds.left) / wide), 0, side - 1);
    const row = clamp(Math.floor((xy[2 * i + 1] - bounds.top) / high), 0, side - 1);
    cell[i] = row * side + column;
    offsets[cell[i] + 1]++;
  }
  for (let c = 0; c < side * side; c++) offsets[c + 1] += offsets[c];
  const next = offsets.slice();
  const members = new Uint32Array(n);
  for (let i = 0; i < n; i++) members[next[cell[i]]++] = i;
  return { side, wide, high, bounds, offsets, members };
}

function eachNear(grid, x, y, away, visit) {
  const column = (value) => clamp(Math.floor((value - grid.bounds.left) / grid.wide), 0, grid.side - 1);
  const row = (value) => clamp(Math.floor((value - grid.bounds.top) / grid.high), 0, grid.side - 1);
  for (let r = row(y - away); r <= row(y + away); r++)
    for (let c = column(x - away); c <= column(x + away); c++) {
      const cell = r * grid.side + c;
      for (let at = grid.offsets[cell]; at < grid.offsets[cell + 1]; at++) visit(grid.members[at]);
    }
}

function contains(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i], [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}
