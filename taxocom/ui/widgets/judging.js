// Ten documents to be judged: yes or no, by click or by key. Nothing is told before the person sends the answers.

shared.judged ??= new Map();

class Judging {
  constructor(parent) {
    this.parent = parent;
    this.owner = [];
    this.opened = new Set();
    this.root = el("div", { class: "root judging" });
    parent.append(this.root);
    listen(this.owner, this.root, "keydown", (event) => this.pressed_key(event));
  }

  update(data) {
    this.data = data;
    this.root.classList.toggle("dark", theme(this.parent).dark);
    if (!shared.judged.has(data.key)) shared.judged.set(data.key, new Map());
    this.answers = shared.judged.get(data.key);
    const active = this.parent.activeElement?.dataset.document;
    this.draw();
    if (this.sent && this.sent !== data.key) {
      // The next ten: begin at the first, whatever the page was scrolled to.
      this.sent = null;
      this.root.scrollIntoView({ block: "start" });
      this.root.querySelector("article")?.focus({ preventScroll: true });
    } else if (active) this.row(active)?.focus({ preventScroll: true });
  }

  draw() {
    const n = this.answers.size;
    this.button = el("button", { type: "button", class: "primary", disabled: !n || this.sent === this.data.key, onclick: () => this.send() },
      this.sent === this.data.key ? "Learning…" : n ? `Learn from ${plural(n, "answer")}` : "Learn from the answers");
    this.root.replaceChildren(
      el("p", { class: "soft small" }, this.data.question, " ", el("kbd", {}, "Y"), " yes, ", el("kbd", {}, "N"), " no, ", el("kbd", {}, "↑"), " ", el("kbd", {}, "↓"), " to go on."),
      ...this.data.documents.map((document) => this.document(document)),
      el("p", { class: "row" }, this.button, el("span", { class: "soft small", role: "status" }, `${n} of ${this.data.documents.length} judged`)));
  }

  document(item) {
    const answer = this.answers.get(item.id);
    const choice = (value, label) => el("button", { type: "button", class: `${value} ${answer === value ? "on" : ""}`, "aria-pressed": String(answer === value), tabindex: -1, "aria-label": `${label}: ${item.title || item.id}`, onclick: () => this.judge(item.id, value) }, label);
    const open = this.opened.has(item.id);
    const toggle = () => { open ? this.opened.delete(item.id) : this.opened.add(item.id); this.draw(); };
    return el("article", { "data-document": item.id, tabindex: 0, class: answer ?? "" },
      el("header", {}, el("strong", {}, item.title || item.id), item.now && el("span", { class: "soft small" }, item.now), el("span", { class: "spacer" }), el("span", { class: "choices" }, choice("yes", "Yes"), choice("no", "No"))),
      el("blockquote", {}, marked(item.sentence, item.highlights)),
      el("button", { type: "button", class: "quiet small", tabindex: -1, "aria-expanded": String(open), onclick: toggle }, open ? "Show less" : "Show more of it"),
      open && el("p", { class: "text" }, item.text));
  }

  judge(id, value) {
    if (this.answers.get(id) === value) this.answers.delete(id);
    else this.answers.set(id, value);
    this.draw();
    this.row(id)?.focus({ preventScroll: true });
  }

  row(id) {
    return this.root.querySelector(`article[data-document="${CSS.escape(id)}"]`);
  }

  pressed_key(event) {
    const row = event.target.closest("article");
    if (!row || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
    const beside = (step) => (step > 0 ? row.nextElementSibling : row.previousElementSibling);
    const key = event.key.toLowerCase();
    if (key === "y" || key === "n") {
      const id = row.dataset.document, ids = this.data.documents.map((each) => each.id);
      this.judge(id, key === "y" ? "yes" : "no");
      const next = ids[ids.indexOf(id) + 1];
      if (next) this.row(next).focus(); else this.button.focus();
    } else if (key === "arrowdown" || key === "arrowup") {
      beside(key === "arrowdown" ? 1 : -1)?.focus();
    } else return;
    event.preventDefault();
  }

  send() {
    const of = (value) => this.data.documents.map((each) => each.id).filter((id) => this.answers.get(id) === value);
    this.sent = this.data.key;
    tell(this, "answers", { yes: of("yes"), no: of("no") });
    this.draw();
  }
}

export default (component) => mount(component, Judging);
