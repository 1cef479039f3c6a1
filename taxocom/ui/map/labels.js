// Names on the map, placed greedily so that none covers another: topics first, then what is below them, then single terms
// or documents, the more the closer one looks.

const MAX_LABELS = 90;
const BELOW_FROM = 1.4, TITLES_FROM = 4.5;
const TITLE_LENGTH = 44;

function drawLabels(map, zoom) {
  const placer = new Placer(map);
  const { state } = map;
  if (map.hovered >= 0 && state.flags) placer.beside(display(map.points.terms[map.hovered]), map.hovered, { size: 13, weight: 650, offset: 11 });
  const order = state.clusters.map((_, g) => g).sort((a, b) => state.clusters[b].nDocuments - state.clusters[a].nDocuments);
  for (const g of order) placer.topic(g);
  if (zoom >= BELOW_FROM || state.clusters.length < 2) for (const each of state.below) placer.middle(each, { size: 12.5, weight: 600 });
  const room = Math.min(MAX_LABELS, Math.round(12 * Math.pow(zoom, 0.9) * Math.sqrt((map.width * map.height) / 250000)));
  if (state.flags) placer.some(labelOrder(map), room, (i) => placer.beside(display(map.points.terms[i]), i, { size: 11, weight: 400, offset: 7 }));
  else {
    placer.some(state.towns, room, (town) => placer.middle(town, { size: 11, weight: 400 }));
    if (zoom >= TITLES_FROM) placer.some(map.order, MAX_LABELS - room, (i) => placer.beside(cut(map.points.terms[i]), i, { size: 10.5, weight: 400, offset: 6 }));
  }
  map.canvas.dataset.names = String(placer.taken.length - 1);
}

class Placer {
  constructor(map) {
    this.map = map;
    map.context.textBaseline = "middle";
    map.context.lineJoin = "round";
    // The buttons that zoom lie over the lower right corner.
    this.taken = [[map.width - 48, map.height - 118, map.width, map.height]];
  }

  // Take a place for a text if nothing is there; x and y are its left edge and its middle.
  take(text, x, y, { size, weight, mark }) {
    const { context, theme, width, height } = this.map;
    context.font = `${weight} ${size}px ${theme.font}`;
    const wide = measured(context, text) + (mark ? size + 3 : 0);
    const box = [x - 2, y - size * 0.66, x + wide + 2, y + size * 0.66];
    if (box[0] < 2 || box[1] < 2 || box[2] > width - 2 || box[3] > height - 2) return false;
    if (this.taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) return false;
    this.taken.push(box);
    const start = x + (mark ? size + 3 : 0);
    context.strokeStyle = theme.background;
    context.lineWidth = 4;
    context.strokeText(text, start, y);
    if (mark) this.mark(mark, x + size / 2, y, size * 0.42);
    context.fillStyle = theme.text;
    context.fillText(text, start, y);
    return true;
  }

  mark({ shape, colour }, x, y, radius) {
    const { context } = this.map;
    context.beginPath();
    if (shape === "circle") context.arc(x, y, radius, 0, 2 * Math.PI);
    else OUTLINES[shape].forEach(([px, py], at) => (at ? context.lineTo(x + px * radius, y + py * radius) : context.moveTo(x + px * radius, y + py * radius)));
    context.closePath();
    context.stroke();
    context.fillStyle = colour;
    context.fill();
  }

  // A topic's name stands over its land, or as near to the middle of it as there is room.
  topic(g) {
    const { map } = this;
    const cluster = map.state.clusters[g], centre = map.state.regions[g]?.centre;
    if (!centre || map.hidden.has(cluster.id) || (map.emphasis !== null && map.emphasis !== g)) return;
    const style = { size: 15, weight: 700, mark: topicStyle(cluster, map.theme.dark) };
    const [x, y] = map.onScreen(...centre);
    if (x < -60 || y < -20 || x > map.width + 60 || y > map.height + 20) return;
    const half = (this.wide(cluster.label, style) + style.size) / 2;
    const near = clamp(x, half + 6, map.width - half - 6);
    for (const step of [0, -1, 1, -2, 2, -3, 3, -4, 4]) if (this.take(cluster.label, near - half, y + step * 19, style)) return;
  }

  wide(text, { size, weight }) {
    this.map.context.font = `${weight} ${size}px ${this.map.theme.font}`;
    return measured(this.map.context, text);
  }

  middle({ x, y, text, group }, style) {
    const { map } = this;
    if (map.emphasis !== null && map.emphasis !== group) return false;
    if (map.hidden.has(map.state.clusters[group]?.id)) return false;
    const [left, top] = map.onScreen(x, y);
    return this.take(text, left - this.wide(text, style) / 2, top, style);
  }

  beside(text, i, style) {
    const { map } = this;
    if (map.style[i] === 65535) return false;
    const x = map.screen[2 * i], y = map.screen[2 * i + 1];
    if (x < 0 || y < 0 || x > map.width || y > map.height || map.isFaded(i)) return false;
    const wide = this.wide(text, style), { offset } = style;
    return [[offset, 0], [-offset - wide, 0], [-wide / 2, -offset - 4], [-wide / 2, offset + 4]].some(([dx, dy]) => this.take(text, x + dx, y + dy, style));
  }

  some(candidates, room, place) {
    for (const each of candidates) {
      if (room <= 0) return;
      if (place(each)) room--;
    }
  }
}

const cut = (title) => (title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH - 1)}…` : title);

// Terms worth a name, best first; worked out once for a state because sorting is dearer than drawing.
function labelOrder(map) {
  if (map.labelled !== map.state) {
    const { state, points } = map;
    map.labelRank = bestTerms(points, state).filter((i) => !saidAlready(state, points.terms[i]));
    map.labelled = map.state;
  }
  return map.labelRank;
}

function saidAlready(state, term) {
  state.said ??= new Set(state.clusters.map((cluster) => cluster.label.toLowerCase()));
  return state.said.has(display(term).toLowerCase());
}

function bestTerms(points, state) {
  // Rank and row in one number: a typed array sorts without a function, and that is ten times as fast.
  const keys = [];
  for (let i = 0; i < points.n; i++)
    if (state.cluster[i] !== GENERAL) keys.push((state.significance[i] + (state.flags[i] & ANCHOR_BIT ? 70000 : 0)) * 2 ** 24 + (2 ** 24 - 1 - i));
  return Array.from(Float64Array.from(keys).sort().reverse().subarray(0, 6000), (key) => 2 ** 24 - 1 - (key % 2 ** 24));
}

const widths = new Map();
function measured(context, text) {
  const key = context.font + text;
  let wide = widths.get(key);
  if (wide === undefined) {
    wide = context.measureText(text).width;
    if (widths.size > 20000) widths.clear();
    widths.set(key, wide);
  }
  return wide;
}
