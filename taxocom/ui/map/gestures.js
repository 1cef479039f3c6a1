// Pointer, wheel and keyboard on the map. One finger or button pans, two fingers zoom, the lasso draws.

function attachGestures(map, canvas, owner, { onHover, onLasso, onPick, onSearch, lassoOn }) {
  const pointers = new Map();
  let path = null, moved = false, spread = 0;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  listen(owner, canvas, "pointerdown", (event) => {
    if (event.button > 0) return;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
    moved = false;
    path = pointers.size === 1 && (lassoOn() || event.shiftKey) ? [at(event)] : null;
    spread = distance(pointers);
  });

  listen(owner, canvas, "pointermove", (event) => {
    const here = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) return onHover(map.nearest(...here), here);
    if (Math.abs(here[0] - before[0]) + Math.abs(here[1] - before[1]) > 2) moved = true;
    if (path) {
      path.push(here);
      pointers.set(event.pointerId, here);
      return drawPath(map, path);
    }
    pointers.set(event.pointerId, here);
    if (pointers.size === 2) {
      const now = distance(pointers);
      const [a, b] = [...pointers.values()];
      if (spread > 0) map.zoomAt(now / spread, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
      spread = now;
    } else if (moved) {
      map.pan(here[0] - before[0], here[1] - before[1]);
      onHover(-1, here);
    }
  });

  const release = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    spread = distance(pointers);
    if (path && path.length > 3) onLasso(map.inside(path), event.shiftKey || event.ctrlKey || event.metaKey);
    else if (!moved && event.type === "pointerup") onPick(map.nearest(...at(event)), event.shiftKey || event.ctrlKey || event.metaKey, at(event));
    path = null;
    map.draw();
  };
  listen(owner, canvas, "pointerup", release);
  listen(owner, canvas, "pointercancel", release);
  listen(owner, canvas, "pointerleave", (event) => { if (!pointers.size) onHover(-1, at(event)); });
  listen(owner, canvas, "dblclick", (event) => map.zoomAt(1.8, ...at(event)));
  listen(owner, canvas, "wheel", (event) => {
    event.preventDefault();
    map.zoomAt(Math.exp(-clamp(event.deltaY, -120, 120) * 0.0022), ...at(event));
  }, { passive: false });

  listen(owner, canvas, "keydown", (event) => {
    const step = 60, centre = [map.width / 2, map.height / 2];
    const keys = {
      "+": () => map.zoomAt(1.35, ...centre), "=": () => map.zoomAt(1.35, ...centre), "-": () => map.zoomAt(1 / 1.35, ...centre),
      0: () => map.fit(), "/": onSearch, Escape: () => onLasso([], false), Enter: () => onPick(map.hovered, true), " ": () => onPick(map.hovered, true),
    };
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (directions[event.key]) {
      const [dx, dy] = directions[event.key];
      if (event.shiftKey) map.pan(-dx * step, -dy * step);
      else onHover(neighbour(map, dx, dy), null);
    } else if (keys[event.key] && !event.metaKey && !event.ctrlKey) keys[event.key]();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

function distance(pointers) {
  if (pointers.size !== 2) return 0;
  const [a, b] = [...pointers.values()];
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

function drawPath(map, path) {
  const { context, theme, ratio } = map;
  map.paint();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.beginPath();
  path.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.fillStyle = theme.primary;
  context.globalAlpha = 0.12;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = theme.primary;
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.stroke();
  context.setLineDash([]);
}

// The nearest point in one direction; among terms the nearest anchor, so that the arrow keys walk from name to name.
function neighbour(map, dx, dy) {
  const from = map.hovered >= 0 ? [map.screen[2 * map.hovered], map.screen[2 * map.hovered + 1]] : [map.width / 2, map.height / 2];
  let best = -1, bestCost = Infinity;
  for (const i of map.order) {
    if (i === map.hovered || (map.state.flags && !(map.state.flags[i] & ANCHOR_BIT))) continue;
    const along = (map.screen[2 * i] - from[0]) * dx + (map.screen[2 * i + 1] - from[1]) * dy;
    const across = Math.abs((map.screen[2 * i] - from[0]) * dy) + Math.abs((map.screen[2 * i + 1] - from[1]) * dx);
    if (along <= 0.5) continue;
    const cost = along + 2.5 * across;
    if (cost < bestCost) { best = i; bestCost = cost; }
  }
  return best >= 0 ? best : map.hovered;
}
