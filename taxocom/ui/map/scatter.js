// The points on a canvas: which is drawn how and where, and what lies above them.

const GENERAL = -1;
const NOVEL_BIT = 1, ANCHOR_BIT = 2, PINNED_BIT = 4;

class Scatter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.ground = new Ground(this.context);
    this.drawn = "";
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

  // Show other points: of another proposal, or the other kind of this one. Both kinds have one ground, so the view stays.
  setPoints(points, bounds) {
    this.points = points;
    this.n = points.n;
    this.selected.clear();
    this.hovered = -1;
    this.matches = null;
    this.state = null;
    this.screen = new Float32Array(2 * this.n);
    this.grid = buildGrid(points.xy, extent(points.xy));
    this.bounds = bounds;
  }

  // `state` has the topics and, for each point, which one it is in; `regions` and `ownerAt` are the land of the topics.
  setState(state) {
    this.state = state;
    this.restyle();
  }

  // Which of the drawn classes each point is in, and in which order they are drawn.
  restyle() {
    const { state, points, n } = this;
    if (!state || !points || state.cluster.length !== n) return;
    const dark = this.theme.dark;
    const general = (dark ? GROUND.dark : GROUND.light).general;
    const styles = state.clusters.map((cluster) => topicStyle(cluster, dark));
    const size = clamp(Math.sqrt(2000 / n), 0.6, 1.4);
    const dense = clamp(Math.sqrt(6000 / n), 0.6, 1);
    const lookup = new Map();
    this.sprites = [];
    this.style = new Uint16Array(n);
    const layers = [[], [], [], []];
    for (let i = 0; i < n; i++) {
      if (this.isOff(i)) { this.style[i] = 65535; continue; }
      const cluster = state.cluster[i];
      const anchor = state.flags !== null && (state.flags[i] & ANCHOR_BIT) !== 0;
      let { colour, shape } = cluster === GENERAL ? { colour: general, shape: "circle" } : styles[cluster];
      if (this.preview !== null && cluster !== GENERAL) shape = this.isNovel(i) ? "triangle" : "circle";
      const faded = this.isFaded(i);
      const radius = size * (anchor ? 3.9 : cluster === GENERAL ? 1.9 : 2.9);
      const name = `${shape}|${colour}|${radius}|${anchor}|${faded}`;
      let style = lookup.get(name);
      if (style === undefined) {
        style = this.sprites.length;
        lookup.set(name, style);
        this.sprites.push({ shape, colour, radius, outlined: anchor, alpha: (faded ? 0.12 : cluster === GENERAL ? 0.6 : 0.8) * (anchor ? 1 : dense) });
      }
      this.style[i] = style;
      layers[faded ? 0 : cluster === GENERAL ? 1 : anchor ? 3 : 2].push(i);
    }
    this.order = Uint32Array.from(layers.flat());
    this.styled = (this.styled ?? 0) + 1;
    this.draw();
  }

  isNovel(i) {
    const { state } = this;
    if (this.preview === null || !state.flags || (state.flags[i] & PINNED_BIT)) return state.clusters[state.cluster[i]]?.kind === "novel";
    return state.novelty[i] >= this.preview * 65535;
  }

  // Points of no topic are there only if they are asked for, are looked for by name, or were put by hand.
  isOff(i) {
    return this.state.cluster[i] === GENERAL && !this.general && !this.found?.has(i) && !(this.state.flags && this.state.flags[i] & PINNED_BIT);
  }

  isFaded(i) {
    const cluster = this.state.cluster[i];
    return this.emphasis !== null ? cluster !== this.emphasis : this.hidden.has(this.state.clusters[cluster]?.id);
  }

  fit() {
    const box = this.bounds;
    Object.assign(this.view, { cx: (box.left + box.right) / 2, cy: (box.top + box.bottom) / 2, k: this.fullScale() });
    this.draw();
  }

  fullScale() {
    const { left, right, top, bottom } = this.bounds;
    return Math.min((this.width - 52) / Math.max(right - left, 1e-6), (this.height - 52) / Math.max(bottom - top, 1e-6));
  }

  zoomAt(factor, x, y) {
    const { view } = this;
    const full = this.fullScale();
    const k = clamp(view.k * factor, full * 0.5, full * 60);
    const [worldX, worldY] = this.world(x, y);
    view.cx = worldX - (x - this.width / 2) / k;
    view.cy = worldY - (y - this.height / 2) / k;
    view.k = k;
    this.draw();
  }

  world(x, y) {
    const { view, width, height } = this;
    return [(x - width / 2) / view.k + view.cx, (y - height / 2) / view.k + view.cy];
  }

  onScreen(x, y) {
    const { view, width, height } = this;
    return [(x - view.cx) * view.k + width / 2, (y - view.cy) * view.k + height / 2];
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
    this.paintRegions();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.rings(this.matches ?? [], this.theme.text, 6 * grow, 1.4);
    const many = this.selected.size > 150;
    context.globalAlpha = many ? 0.45 : 1;
    this.rings(this.selected, this.theme.text, (many ? 3.6 : 5.2) * grow, many ? 0.8 : 2);
    context.globalAlpha = 1;
    if (this.hovered >= 0) this.rings([this.hovered], this.theme.text, 8 * grow, 2);
    drawLabels(this, zoom);
    this.afterPaint?.();
  }

  // The land of each topic: a wash and an outline, dashed where the topic is only proposed.
  paintRegions() {
    const { context, view, ratio, state } = this;
    const scale = view.k * ratio;
    context.setTransform(scale, 0, 0, scale, (this.width / 2 - view.cx * view.k) * ratio, (this.height / 2 - view.cy * view.k) * ratio);
    state.regions.forEach((region, g) => {
      const cluster = state.clusters[g];
      const out = this.hidden.has(cluster.id) || (this.emphasis !== null && this.emphasis !== g);
      const { colour } = topicStyle(cluster, this.theme.dark);
      region.path ??= outline(region.rings);
      context.globalAlpha = out ? 0.02 : this.emphasis === g ? 0.2 : 0.09;
      context.fillStyle = colour;
      context.fill(region.path, "evenodd");
      context.globalAlpha = out ? 0.15 : 0.9;
      context.strokeStyle = colour;
      context.lineWidth = (this.emphasis === g ? 2.6 : 1.5) / view.k;
      context.setLineDash(cluster.kind === "novel" ? [6 / view.k, 4 / view.k] : []);
      context.stroke(region.path);
    });
    context.globalAlpha = 1;
    context.setLineDash([]);
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
    const { view, grid } = this;
    if (!grid || !this.state) return -1;
    const [worldX, worldY] = this.world(x, y);
    const away = reach / view.k;
    let best = -1, bestDistance = away * away;
    eachNear(grid, worldX, worldY, away, (i) => {
      if (this.style[i] === 65535) return;
      const dx = this.points.xy[2 * i] - worldX, dy = this.points.xy[2 * i + 1] - worldY;
      const distance = dx * dx + dy * dy;
      if (distance < bestDistance) { best = i; bestDistance = distance; }
    });
    return best;
  }

  // The topic at a place: that of the point there, or the one whose land it is.
  topicAt(i, x, y) {
    if (i >= 0) return this.state.cluster[i];
    return this.state?.ownerAt(...this.world(x, y)) ?? GENERAL;
  }

  inside(polygon) {
    const found = [];
    for (const i of this.order) if (contains(polygon, this.screen[2 * i], this.screen[2 * i + 1])) found.push(i);
    return found;
  }
}

function outline(rings) {
  const path = new Path2D();
  for (const ring of rings) {
    ring.forEach(([x, y], at) => (at ? path.lineTo(x, y) : path.moveTo(x, y)));
    path.closePath();
  }
  return path;
}

function extent(xy) {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (let i = 0; i < xy.length / 2; i++) {
    box.left = Math.min(box.left, xy[2 * i]);
    box.right = Math.max(box.right, xy[2 * i]);
    box.top = Math.min(box.top, xy[2 * i + 1]);
    box.bottom = Math.max(box.bottom, xy[2 * i + 1]);
  }
  return box;
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
