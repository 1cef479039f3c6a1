// The points as pixels, blended here. Without a graphics card 25,000 calls of drawImage take a tenth of a second and as much
// again to raster; this takes a few milliseconds, and what only lies above the points costs nothing of it.

class Ground {
  constructor(context) {
    this.context = context;
  }

  resize(width, height) {
    this.image = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.wide = width;
    this.high = height;
  }

  clear([r, g, b]) {
    this.pixels.fill((0xff000000 | (b << 16) | (g << 8) | r) >>> 0);
  }

  // Draw a stamp with its top left corner at whole pixels; what lies beyond the edge is left out.
  stamp(stamp, left, top) {
    const { pixels, wide, high } = this;
    const { dx, dy, redBlue, green, rest } = stamp;
    const isInside = left >= 0 && top >= 0 && left + stamp.size <= wide && top + stamp.size <= high;
    for (let k = 0; k < rest.length; k++) {
      const x = left + dx[k], y = top + dy[k];
      if (!isInside && (x < 0 || y < 0 || x >= wide || y >= high)) continue;
      const at = y * wide + x, below = pixels[at], share = rest[k];
      pixels[at] = 0xff000000
        | (((redBlue[k] + Math.imul(below & 0xff00ff, share)) >>> 8) & 0xff00ff)
        | (((green[k] + Math.imul(below & 0x00ff00, share)) >>> 8) & 0x00ff00);
    }
  }

  show() {
    this.context.putImageData(this.image, 0, 0);
  }
}

// A shape as the list of its pixels, each colour multiplied by how much of it covers what lies below (in 256ths).
function stamped({ shape, colour, radius, outlined, alpha }, scale, background) {
  const r = radius * scale;
  const size = Math.ceil(2 * r * 1.25 + 4);
  const canvas = new OffscreenCanvas(size, size);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.translate(size / 2, size / 2);
  context.globalAlpha = alpha;
  context.beginPath();
  if (shape === "circle") context.arc(0, 0, r, 0, 2 * Math.PI);
  else {
    OUTLINES[shape].forEach(([x, y], at) => (at ? context.lineTo(x * r, y * r) : context.moveTo(x * r, y * r)));
    context.closePath();
  }
  context.fillStyle = colour;
  context.fill();
  if (outlined) {
    context.lineWidth = Math.max(1, 0.9 * scale);
    context.strokeStyle = background;
    context.stroke();
  }
  const { data } = context.getImageData(0, 0, size, size);
  const covered = [];
  for (let at = 0; at < size * size; at++) if (data[4 * at + 3] > 2) covered.push(at);
  const share = (at) => Math.round((data[4 * at + 3] * 256) / 255);
  return {
    size,
    half: size / 2,
    dx: Int16Array.from(covered, (at) => at % size),
    dy: Int16Array.from(covered, (at) => Math.floor(at / size)),
    redBlue: Int32Array.from(covered, (at) => Math.imul((data[4 * at + 2] << 16) | data[4 * at], share(at))),
    green: Int32Array.from(covered, (at) => Math.imul(data[4 * at + 1] << 8, share(at))),
    rest: Int32Array.from(covered, (at) => 256 - share(at)),
  };
}
