// Where each topic lies: the ground is divided among the topics as a map is among countries, so outlines never cross.
// A place belongs to the topic with the most documents around it, if these are enough; the line is drawn where that ends.

const CELLS = 132;
const REACH = 2;
const HELD = 0.94;
const LEAST_PIECE = 0.04;

// `group` is the topic of each point or -1; what comes back has a piece of land a topic, in the coordinates of the points.
function findRegions(xy, group, nGroups, bounds) {
  const side = Math.max(bounds.right - bounds.left, bounds.bottom - bounds.top, 1e-6) * 1.12;
  const cell = side / CELLS;
  const left = (bounds.left + bounds.right - side) / 2, top = (bounds.top + bounds.bottom - side) / 2;
  const at = new Int32Array(group.length);
  const counts = Array.from({ length: nGroups }, () => new Float32Array(CELLS * CELLS));
  for (let i = 0; i < group.length; i++) {
    at[i] = clamp(Math.floor((xy[2 * i + 1] - top) / cell), 0, CELLS - 1) * CELLS + clamp(Math.floor((xy[2 * i] - left) / cell), 0, CELLS - 1);
    if (group[i] >= 0) counts[group[i]][at[i]]++;
  }
  const fields = counts.map((field) => blurred(field, REACH));
  const floors = fields.map((field, g) => leastHeld(field, at, group, g));
  const owner = new Int16Array(CELLS * CELLS).fill(-1);
  const best = new Float32Array(CELLS * CELLS);
  fields.forEach((field, g) => { for (let c = 0; c < field.length; c++) if (field[c] > best[c] && field[c] >= floors[g]) { best[c] = field[c]; owner[c] = g; } });
  const regions = fields.map((field, g) => {
    const lead = new Float32Array(field.length);
    for (let c = 0; c < lead.length; c++) {
      let other = floors[g];
      for (let h = 0; h < nGroups; h++) if (h !== g && fields[h][c] > other) other = fields[h][c];
      lead[c] = field[c] - other;
    }
    const rings = contours(lead).map((ring) => ring.map(([x, y]) => [left + (x + 0.5) * cell, top + (y + 0.5) * cell]));
    const areas = rings.map(area);
    const whole = areas.reduce((sum, each) => sum + Math.abs(each), 0);
    const spot = highest(blurred(field, 3), owner, g);
    return { rings: rings.filter((_, i) => Math.abs(areas[i]) > LEAST_PIECE * whole), centre: spot < 0 ? null : [left + ((spot % CELLS) + 0.5) * cell, top + (Math.floor(spot / CELLS) + 0.5) * cell] };
  });
  const ownerAt = (x, y) => {
    const column = Math.floor((x - left) / cell), row = Math.floor((y - top) / cell);
    return column < 0 || row < 0 || column >= CELLS || row >= CELLS ? -1 : owner[row * CELLS + column];
  };
  return { regions, ownerAt };
}

// Two passes of a moving mean in each direction are as good as a bell curve here.
function blurred(field, reach) {
  let from = field;
  for (let pass = 0; pass < 4; pass++) {
    const to = new Float32Array(from.length);
    const step = pass % 2 ? CELLS : 1, across = pass % 2 ? 1 : CELLS;
    for (let line = 0; line < CELLS; line++) {
      let sum = 0;
      for (let k = -reach; k < CELLS; k++) {
        if (k + reach < CELLS) sum += from[line * across + (k + reach) * step];
        if (k - reach - 1 >= 0) sum -= from[line * across + (k - reach - 1) * step];
        if (k >= 0) to[line * across + k * step] = sum / (2 * reach + 1);
      }
    }
    from = to;
  }
  return from;
}

// How much of a topic has to be around a place so that nearly all of it lies where there is as much.
function leastHeld(field, at, group, g) {
  const values = [];
  for (let i = 0; i < group.length; i++) if (group[i] === g) values.push(field[at[i]]);
  values.sort((a, b) => a - b);
  return values.length ? Math.max(values[Math.floor(values.length * (1 - HELD))], 1e-6) : Infinity;
}

function highest(field, owner, g) {
  let spot = -1;
  for (let c = 0; c < field.length; c++) if (owner[c] === g && (spot < 0 || field[c] > field[spot])) spot = c;
  return spot;
}

function area(ring) {
  let sum = 0;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) sum += ring[j][0] * ring[i][1] - ring[i][0] * ring[j][1];
  return sum / 2;
}

// The lines on which a field is zero, as closed rings, by marching squares; each square's edges are named by its corners.
const EDGES = { 1: [[3, 0]], 2: [[0, 1]], 3: [[3, 1]], 4: [[1, 2]], 5: [[3, 0], [1, 2]], 6: [[0, 2]], 7: [[3, 2]], 8: [[2, 3]], 9: [[2, 0]], 10: [[0, 1], [2, 3]], 11: [[2, 1]], 12: [[1, 3]], 13: [[1, 0]], 14: [[0, 3]] };
function contours(field) {
  const value = (x, y) => (x < 0 || y < 0 || x >= CELLS || y >= CELLS ? -1 : field[y * CELLS + x]);
  const next = new Map(), place = new Map();
  for (let y = -1; y < CELLS; y++)
    for (let x = -1; x < CELLS; x++) {
      const corners = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]];
      const values = corners.map(([cx, cy]) => value(cx, cy));
      const kind = values.reduce((sum, each, i) => sum + (each > 0 ? 1 << i : 0), 0);
      for (const [from, to] of EDGES[kind] ?? []) next.set(crossing(corners, values, from, place), crossing(corners, values, to, place));
    }
  const rings = [];
  while (next.size) {
    const ring = [];
    let key = next.keys().next().value;
    while (next.has(key)) {
      ring.push(place.get(key));
      const after = next.get(key);
      next.delete(key);
      key = after;
    }
    if (ring.length > 5) rings.push(ring);
  }
  return rings;
}

// Where the field is zero on an edge, under a name that the square on its other side gives it too.
function crossing(corners, values, edge, place) {
  const [a, b] = [edge, (edge + 1) % 4];
  const [[ax, ay], [bx, by]] = [corners[a], corners[b]];
  const share = clamp(values[a] / (values[a] - values[b]), 0, 1);
  const key = ((Math.min(ay, by) + 1) * (CELLS + 2) + Math.min(ax, bx) + 1) * 2 + (ax === bx ? 1 : 0);
  place.set(key, [ax + (bx - ax) * share, ay + (by - ay) * share]);
  return key;
}
