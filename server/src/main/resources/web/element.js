/** Creates DOM elements. Text is never parsed as markup: names come from other networks. */

/** element("td", {class: "number"}, "12"): children are elements or texts; null ones are omitted. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

/** A table of a caption, headings and rows of cells (texts or elements); numeric columns by index. */
export function table(caption, headings, rows, numeric = new Set()) {
  const side = (i) => (numeric.has(i) ? { class: "number" } : {});
  const head = headings.map((text, i) =>
    isCell(text) ? text : text === "" ? element("td", side(i)) : element("th", { scope: "col", ...side(i) }, text),
  );
  const body = rows.map((cells) =>
    element("tr", {}, ...cells.map((cell, i) => (isCell(cell) ? cell : element("td", side(i), cell)))),
  );
  return element(
    "table",
    {},
    caption ? element("caption", {}, caption) : null,
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body),
  );
}

function isCell(cell) {
  return cell instanceof HTMLTableCellElement;
}

/** A region for wide content that can be scrolled, also by keyboard. */
export function wide(label, ...children) {
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label }, ...children);
}

/** A labelled select element: select(name, label, [[value, text], …], chosen). */
export function select(name, label, options, chosen) {
  const made = options.map(([value, text]) => element("option", value === chosen ? { value, selected: "" } : { value }, text));
  return element("label", {}, `${label} `, element("select", { name }, ...made));
}

/** A button with an action. */
export function button(text, action, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", action);
  return made;
}
