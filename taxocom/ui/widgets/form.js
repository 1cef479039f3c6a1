// Fields and buttons whose text is the person's until the page says that it is stored. A field that nobody touched shows
// what the page says; one that was typed into keeps its text, through every run of the page and when it is drawn again.

shared.drafts ??= new Map();

class Form {
  constructor(parent) {
    this.parent = parent;
    this.owner = [];
    this.open = null;
    this.parts = new Map();
    this.root = el("div", { class: "root form" });
    parent.append(this.root);
  }

  update(data) {
    this.data = data;
    this.root.classList.toggle("dark", theme(this.parent).dark);
    this.draft = shared.drafts.get(data.key) ?? { texts: {}, before: {}, sent: [] };
    shared.drafts.set(data.key, this.draft);
    this.forgetWhatIsStored();
    const shape = JSON.stringify(data.parts, (name, value) => (name === "value" ? undefined : value));
    if (shape !== this.shape) this.build();
    this.shape = shape;
    this.fill();
  }

  // What was typed after the click stays; what was sent and stored gives way to what the page says now.
  forgetWhatIsStored() {
    const { draft, data } = this;
    const isStored = (sent) => sent.serial <= data.answered && !data.refused.includes(sent.serial);
    for (const sent of draft.sent.filter(isStored)) {
      for (const [name, text] of Object.entries(sent.texts)) if (draft.texts[name] === text) delete draft.texts[name];
      if (this.open === sent.part) this.open = null;
    }
    draft.sent = draft.sent.filter((sent) => !isStored(sent));
  }

  build() {
    const active = this.parent.activeElement?.dataset.focus;
    this.parts.clear();
    const folded = this.data.parts.filter((part) => part.label);
    const row = folded.length ? el("div", { class: "row" }, folded.map((part) => this.opener(part))) : null;
    this.root.replaceChildren(...[row, ...this.data.parts.map((part) => this.part(part))].filter(Boolean));
    if (active) this.root.querySelector(`[data-focus="${CSS.escape(active)}"]`)?.focus({ preventScroll: true });
  }

  opener(part) {
    if (part.refused) return el("button", { type: "button", title: part.refused, disabled: true }, part.label);
    const press = part.fields.length ? () => { this.open = this.open === part.name ? null : part.name; this.fill(); } : () => this.submit(part, part.buttons[0]);
    return el("button", { type: "button", title: part.help, disabled: part.disabled, "data-focus": `open-${part.name}`, "aria-expanded": part.fields.length ? "false" : null, onclick: press }, part.label);
  }

  part(part) {
    if (part.label && !part.fields.length) return null;
    const inputs = Object.fromEntries(part.fields.map((field) => [field.name, this.input(part, field)]));
    const buttons = part.buttons.map((button, at) => el("button", { type: at ? "button" : "submit", class: button.primary ? "primary" : "", title: part.refused || button.refused || button.help, disabled: Boolean(part.refused || button.refused), "data-focus": `press-${part.name}-${button.name}`, onclick: at ? () => this.submit(part, button) : null }, button.label));
    const says = el("p", { class: "says small", role: "status" });
    const frame = el("form", { class: `part ${part.layout} ${part.label ? "panel" : ""}`, novalidate: true,
      onsubmit: (event) => { event.preventDefault(); this.submit(part, part.buttons[0]); },
      onkeydown: (event) => { if (event.key === "Escape" && part.label) { this.open = null; this.fill(); } } },
    part.says && el("p", { class: "soft small" }, part.says), part.refused && !part.label && el("p", { class: "soft small refused" }, part.refused), part.fields.map((field) => this.labelled(field, inputs[field.name])), el("div", { class: "row" }, buttons), says);
    this.parts.set(part.name, { part, inputs, says, frame });
    return frame;
  }

  labelled(field, input) {
    const note = el("p", { class: "note small" });
    input.note = note;
    if (field.kind === "tick") return el("label", { class: "tick" }, input, el("span", {}, field.label), note);
    return el("label", { class: `field ${field.half ? "half" : ""}` }, el("span", { class: "caption" }, field.label), input, note);
  }

  input(part, field) {
    const common = { disabled: Boolean(part.refused), "data-focus": `field-${part.name}-${field.name}`, "aria-label": field.label, placeholder: field.placeholder, maxlength: field.longest };
    const typed = () => this.typed(field, field.kind === "tick" ? input.checked : input.value);
    let input;
    if (field.kind === "choice") input = el("select", { ...common, onchange: typed }, Object.entries(field.options).map(([value, label]) => el("option", { value }, label)));
    else if (field.kind === "text") input = el("textarea", { ...common, rows: field.rows, oninput: typed, onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.submit(part, part.buttons[0]); } });
    else if (field.kind === "tick") input = el("input", { ...common, type: "checkbox", onchange: typed });
    else input = el("input", { ...common, type: "text", autocomplete: "off", oninput: typed });
    return input;
  }

  typed(field, value) {
    const { draft } = this;
    if (!(field.name in draft.texts)) draft.before[field.name] = this.said(field.name);
    draft.texts[field.name] = value;
    this.refill();
  }

  said(name) {
    return this.data.parts.flatMap((part) => part.fields).find((field) => field.name === name).value;
  }

  fill() {
    for (const opener of this.root.querySelectorAll("[aria-expanded]")) opener.setAttribute("aria-expanded", String(opener.dataset.focus === `open-${this.open}`));
    for (const part of this.data.parts) {
      const held = this.parts.get(part.name);
      if (!held) continue;
      // The spare copy of a part's data is the newest; what was built may be older.
      held.part = part;
      held.frame.hidden = Boolean(part.label) && this.open !== part.name;
      for (const field of part.fields) this.show(field, held.inputs[field.name]);
    }
    this.refill();
  }

  show(field, input) {
    const value = this.draft.texts[field.name] ?? field.value;
    if (field.kind === "tick") input.checked = value;
    else if (input.value !== value) input.value = value;
  }

  // Say how what was typed stands to what the page says.
  refill() {
    const { draft, data } = this;
    for (const { part, inputs, says } of this.parts.values()) {
      const sent = draft.sent.filter((each) => each.part === part.name);
      const waits = sent.some((each) => each.serial > data.answered);
      says.textContent = waits ? "Saving…" : sent.length ? "Not stored yet. What you typed is still here." : this.missing === part.name ? "Fill this in first." : "";
      says.classList.toggle("bad", !waits && sent.length > 0);
      for (const field of part.fields) {
        const overtaken = field.name in draft.texts && field.value !== draft.before[field.name] && field.value !== draft.texts[field.name] && !waits && field.kind !== "tick";
        const shown = field.kind === "choice" ? field.options[field.value] : field.value;
        inputs[field.name].note.textContent = overtaken ? `Changed meanwhile to: ${shown || "(nothing)"}` : "";
      }
    }
  }

  submit({ name }, button) {
    const part = this.data.parts.find((each) => each.name === name);
    // The Enter key goes to the first button, whether or not it can be pressed.
    if (part.refused || button.refused) return;
    const { draft } = this;
    const missing = part.fields.find((field) => field.required && !String(draft.texts[field.name] ?? field.value).trim());
    this.missing = missing ? name : null;
    if (missing) { this.refill(); this.parts.get(name).inputs[missing.name].focus(); return; }
    const values = Object.fromEntries(part.fields.map((field) => [field.name, draft.texts[field.name] ?? field.value]));
    const texts = Object.fromEntries(Object.entries(draft.texts).filter(([field]) => field in values));
    const same = (sent) => sent.serial > this.data.answered && sent.part === name && sent.button === button.name && JSON.stringify(sent.texts) === JSON.stringify(texts);
    // A second click on the same is the same: a double click must not add two notes.
    if (draft.sent.some(same)) return;
    const serial = tell(this, "submit", { part: name, button: button.name, values, changed: Object.keys(texts) });
    draft.sent = [...draft.sent.filter((sent) => sent.serial > this.data.answered || sent.part !== name), { serial, part: name, button: button.name, texts }];
    this.refill();
  }
}

export default (component) => mount(component, Form);
