// Passages of documents with the terms of a topic marked, and what can be done with each document.

class Passages {
  constructor(parent) {
    this.parent = parent;
    this.owner = [];
    this.opened = new Set();
    this.root = el("div", { class: "root passages" });
    parent.append(this.root);
  }

  update(data) {
    this.data = data;
    this.root.classList.toggle("dark", theme(this.parent).dark);
    this.root.replaceChildren(...data.documents.map((document) => this.document(document)));
  }

  document(item) {
    const open = this.opened.has(item.id);
    const toggle = () => { open ? this.opened.delete(item.id) : this.opened.add(item.id); this.update(this.data); };
    const targets = this.data.targets?.length ? this.targets(item) : null;
    return el("article", { "data-document": item.id },
      el("header", {}, el("strong", {}, item.title || item.id), item.title ? el("span", { class: "soft small" }, item.id) : null, item.badge && el("span", { class: "badge" }, item.badge), el("span", { class: "spacer" }), targets),
      item.passages.map((passage) => el("blockquote", {}, marked(passage.text, passage.highlights))),
      item.why && el("p", { class: "why soft small" }, item.why),
      item.terms?.length ? el("p", { class: "terms small" }, el("span", { class: "soft" }, "Mentions "), item.terms.map((term) => el("span", { class: "chip" }, display(term.term), el("span", { class: "soft" }, ` ${term.value}`)))) : null,
      item.text && el("button", { type: "button", class: "quiet small", "aria-expanded": String(open), onclick: toggle }, open ? "Show less" : "Show the whole document"),
      open && el("p", { class: "text" }, item.text));
  }

  // Filled when somebody turns to it: twenty lists of thousands of topics would keep the browser busy for a quarter of a minute.
  targets(item) {
    const fill = () => {
      if (choice.options.length > 1) return;
      choice.append(...this.data.targets.map((target) => el("option", { value: target.id, disabled: target.id === item.topic }, target.label)));
    };
    const move = () => choice.value && tell(this, "move", { document: item.id, to: choice.value });
    const choice = el("select", { "aria-label": `Move ${item.id} to a topic`, onchange: move, onfocus: fill, onpointerdown: fill }, el("option", { value: "" }, "Move to…"));
    return choice;
  }
}

export default (component) => mount(component, Passages);
