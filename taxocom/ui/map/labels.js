// Names on the map, placed greedily so that none covers another: clusters first, then anchors by significance.

const MAX_LABELS = 90;

function drawLabels(map, zoom) {
  const { context, state, points, theme, width, height } = map;
  // The buttons that zoom lie over the lower right corner.
  const taken = [[width - 48, height - 118, width, height]];
  context.textBaseline = "middle";
  context.lineJoin = "round";
  const place = (text, x, y, { size, weight, colour, offset }) => {
    context.font = `${weight} ${size}px ${theme.font}`;
    const wide = measured(context, text);
    for (const [dx, dy] of [[offset, 0], [-offset - wide, 0], [-wide / 2, -offset - 4], [-wide / 2, offset + 4]]) {
      const box = [x + dx - 2, y + dy - size * 0.62, x + dx + wide + 2, y + dy + size * 0.62];
      if (box[0] < 2 || box[1] < 2 || box[2] > width - 2 || box[3] > height - 2) continue;
      if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      taken.push(box);
      context.strokeStyle = theme.background;
      context.lineWidth = 3.5;
      context.strokeText(text, x + dx, y + dy);
      context.fillStyle = colour;
      context.fillText(text, x + dx, y + dy);
      return true;
    }
    return false;
  };
  const visible = (i) => {
    const x = map.screen[2 * i], y = map.screen[2 * i + 1];
    return x > 0 && y > 0 && x < width && y < height;
  };
  if (map.hovered >= 0) placeTerm(map.hovered, { size: 13, weight: 650, colour: theme.text, offset: 11 });
  state.clusters.forEach((cluster, index) => {
    const i = points.rowOf.get(cluster.center);
    if (i === undefined || !visible(i) || map.isFaded(i, index, cluster.kind === "novel", false)) return;
    const { colour } = clusterStyle(state.clusters, index, theme.dark);
    const kind = (theme.dark ? KIND.dark : KIND.light)[cluster.kind];
    const style = { size: 13.5, weight: 700, colour: map.mode === "cluster" ? colour : map.mode === "kind" ? kind : theme.text, offset: 8 };
    place(cluster.label, map.screen[2 * i], map.screen[2 * i + 1], style);
  });
  let room = Math.min(MAX_LABELS, Math.round(14 * Math.sqrt(zoom) * Math.sqrt((width * height) / 250000)));
  for (const i of labelOrder(map)) {
    if (room <= 0) break;
    if (!visible(i) || (map.emphasis !== null && state.cluster[i] !== map.emphasis)) continue;
    if (placeTerm(i, { size: 11, weight: 400, colour: theme.text, offset: 7 })) room--;
  }

  function placeTerm(i, style) {
    return place(display(points.terms[i]), map.screen[2 * i], map.screen[2 * i + 1], style);
  }
}

// Terms worth a name, best first; worked out once for a state because sorting is dearer than drawing.
function labelOrder(map) {
  if (map.labelled !== map.state) {
    const { state, points } = map;
    const centers = new Set(state.clusters.map((cluster) => points.rowOf.get(cluster.center)));
    const said = new Set(state.clusters.map((cluster) => cluster.label.toLowerCase()));
    // Rank and row in one number: a typed array sorts without a function, and that is ten times as fast.
    const keys = [];
    for (let i = 0; i < map.n; i++)
      if (state.cluster[i] !== GENERAL && !centers.has(i)) keys.push((state.significance[i] + (state.flags[i] & ANCHOR_BIT ? 70000 : 0)) * 2 ** 24 + (2 ** 24 - 1 - i));
    const best = Float64Array.from(keys).sort().reverse().subarray(0, 6000);
    map.labelRank = Array.from(best, (key) => 2 ** 24 - 1 - (key % 2 ** 24)).filter((i) => !said.has(display(points.terms[i]).toLowerCase()));
    map.labelled = map.state;
  }
  return map.labelRank;
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
