// Shared by our components: each is concatenated behind this file, so all of it has to be self-contained.
// Text from the corpus is hostile: everything is built from nodes and text, nothing from markup.

const shared = (globalThis.taxocom ??= { points: new Map(), waiting: new Map(), views: new Map(), states: new Map(), bus: new EventTarget() });

function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else if (name === "style") Object.assign(node.style, value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function svgEl(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function decode(base64, Type) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Type(bytes.buffer);
}

const number = new Intl.NumberFormat("en");
const plural = (n, one, many = one + "s") => `${number.format(n)} ${n === 1 ? one : many}`;
const display = (term) => term.replaceAll("_", " ");
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

function announce(type, detail) {
  shared.bus.dispatchEvent(new CustomEvent(type, { detail }));
}

// A listener that goes with its component: `owner` collects what to undo on unmount.
function listen(owner, target, type, handler, options) {
  target.addEventListener(type, handler, options);
  owner.push(() => target.removeEventListener(type, handler, options));
}

// One instance per place on the page. Streamlit calls again with new data, and runs the clean-up of an overtaken call too:
// only the clean-up of the latest call may end the instance.
const instances = new WeakMap();
function mount(component, Instance) {
  const { parentElement, data } = component;
  let instance = instances.get(parentElement);
  if (!instance) {
    instance = new Instance(parentElement);
    instances.set(parentElement, instance);
    if (!Instance.isDragged) holdWhilePressed(instance);
  }
  instance.component = component;
  const call = (instance.calls = (instance.calls ?? 0) + 1);
  instance.session = data.session;
  settle(instance, data.answered);
  if (instance.pressed) instance.late = data;
  else instance.update(data);
  return () => {
    if (instance.calls !== call) return;
    shared.unanswered.delete(instance);
    for (const undo of instance.owner) undo();
    instance.root.remove();
    instances.delete(parentElement);
  };
}

// What is replaced between press and release loses the click, so new data waits for the release; a component that is
// dragged shows what the page says on the way.
function holdWhilePressed(instance) {
  listen(instance.owner, instance.root, "pointerdown", () => { instance.pressed = true; }, true);
  const release = () => setTimeout(() => {
    instance.pressed = false;
    if (!instance.late) return;
    const data = instance.late;
    instance.late = null;
    instance.update(data);
  });
  for (const type of ["pointerup", "pointercancel"]) listen(instance.owner, document, type, release, true);
}

// Tell the page that something happened. A trigger of Streamlit's is lost if another run starts before it was heard; so
// what happened travels as a list of [serial number, value, session] that stays with the component until the page has
// answered, and the page takes each entry once. A server that was started again is told what the one before it did not answer.
const ASKED_FOR = 10_000, TOLD_AGAIN = 1_500;
function tell(instance, event, value) {
  shared.serial = Math.max((shared.serial ?? 0) + 1, Date.now() * 1000);
  instance.told ??= {};
  instance.told[event] = [...(instance.told[event] ?? []), [shared.serial, value]];
  shared.unanswered.set(instance, shared.serial);
  send(instance);
  return shared.serial;
}

function send(instance) {
  instance.sentAt = Date.now();
  for (const [event, told] of Object.entries(instance.told ?? {}))
    if (told.length) instance.component.setStateValue(event, told.map(([serial, value]) => [serial, value, instance.session]));
}

function settle(instance, answered) {
  for (const [event, told] of Object.entries(instance.told ?? {})) instance.told[event] = told.filter(([serial]) => serial > answered);
  if (answered >= shared.unanswered.get(instance)) shared.unanswered.delete(instance);
}

if (!shared.unanswered) {
  shared.unanswered = new Map();
  // What the page has not answered is lost if the browser leaves it now: let it ask. An answer that never comes holds nobody.
  addEventListener("beforeunload", (event) => {
    if ([...shared.unanswered.values()].some((serial) => Date.now() - serial / 1000 < ASKED_FOR)) event.preventDefault();
  });
  // A page at rest that has not answered never heard it: Streamlit drops what reaches it between two runs.
  setInterval(() => {
    const app = document.querySelector('[data-testid="stApp"]');
    if (app?.dataset.testScriptState !== "notRunning" || app.dataset.testConnectionState !== "CONNECTED") return;
    for (const instance of shared.unanswered.keys()) if (Date.now() - instance.sentAt > TOLD_AGAIN) send(instance);
  }, 500);
}

function theme(element) {
  const style = getComputedStyle(element.host ?? element);
  const read = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
  const background = read("--st-background-color", "#ffffff");
  const [r, g, b] = rgb(background);
  return {
    background,
    text: read("--st-text-color", "#1b2631"),
    primary: read("--st-primary-color", "#0b6e99"),
    border: read("--st-border-color", "#d7dee5"),
    stage: mixed(background, read("--st-text-color", "#1b2631"), 0.015),
    font: read("--st-font", "sans-serif"),
    dark: 0.299 * r + 0.587 * g + 0.114 * b < 128,
  };
}

function mixed(ground, over, share) {
  const above = rgb(over);
  return rgb(ground).map((channel, i) => Math.round(channel + (above[i] - channel) * share));
}

function rgb(colour) {
  const hex = /^#([0-9a-f]{6})/i.exec(colour);
  if (hex) return [0, 2, 4].map((at) => parseInt(hex[1].slice(at, at + 2), 16));
  return (colour.match(/[\d.]+/g) ?? [255, 255, 255]).slice(0, 3).map(Number);
}

// A topic's colour, the same on the map, the cards and in the tree. Any two are at least 14 apart (CIEDE2000) for people who
// see all colours and for those who lack red, green or blue, and each stands out from the ground; a test measures it.
const PALETTE = {
  light: ["#195c9f", "#d87b1f", "#389b8d", "#713952", "#8d7aef", "#b74a2e", "#20175e", "#3d301d"],
  dark: ["#7d90ff", "#fff948", "#51edbc", "#a2536c", "#d2d9ff", "#d59554", "#5655c5", "#6d6c07"],
};
const GROUND = { light: { known: "#9aa5b1", novel: "#33414e", general: "#b3bcc5" }, dark: { known: "#64717e", novel: "#d5dee7", general: "#45505b" } };

// Colour alone never carries the meaning: known topics are round or square, proposed ones pointed; beyond the palette's
// length the other shape tells two topics of one colour apart, and each has its name on the map.
function topicStyle({ slot, kind }, dark) {
  const palette = dark ? PALETTE.dark : PALETTE.light;
  const shapes = kind === "known" ? ["circle", "square"] : ["triangle", "diamond"];
  return { colour: palette[slot % palette.length], shape: shapes[Math.floor(slot / palette.length) % 2] };
}

const OUTLINES = {
  square: [[-0.86, -0.86], [0.86, -0.86], [0.86, 0.86], [-0.86, 0.86]],
  triangle: [[0, -1.15], [1.05, 0.8], [-1.05, 0.8]],
  diamond: [[0, -1.2], [1.05, 0], [0, 1.2], [-1.05, 0]],
};

function swatch(shape, colour, size = 12) {
  const mark = shape === "circle"
    ? svgEl("circle", { r: 0.95 })
    : svgEl("polygon", { points: OUTLINES[shape].map((p) => p.join(",")).join(" ") });
  mark.setAttribute("fill", colour);
  const icon = svgEl("svg", { viewBox: "-1.3 -1.3 2.6 2.6", width: size, height: size, "aria-hidden": "true" }, mark);
  icon.classList.add("swatch");
  return icon;
}

// Text with some of its parts marked; `highlights` are [start, stop] pairs in order.
function marked(text, highlights) {
  const parts = [];
  let at = 0;
  for (const [start, stop] of highlights) {
    if (start < at || stop > text.length) continue;
    parts.push(text.slice(at, start), el("mark", {}, text.slice(start, stop)));
    at = stop;
  }
  const end = text.slice(at);
  // A long sentence arrives cut; without a mark it would read as if the document stopped there.
  return [...parts, end, /[\p{L}\p{N},]$/u.test(text) ? "…" : ""];
}

const typing = (event) => {
  const target = event.composedPath()[0];
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
};
