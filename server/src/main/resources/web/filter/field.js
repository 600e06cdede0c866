/** A text field with completion: a list operated by arrow keys, Tab, Enter or click. For filters and SQL. */

import { element } from "../element.js";
import { go } from "../route.js";

let fields = 0;

/**
 * Adds completion to a field.
 *
 * @param suggest called with text and cursor position; returns or promises {from, options: [{text, label}]}, where options
 *     replace the text from there to the cursor, or have a href; or null
 * @param kind class of the list
 */
export function offer(field, suggest, kind = "offers") {
  const id = `offers-${++fields}`;
  const list = element("ul", { id, class: kind, role: "listbox", "aria-label": "Completions", hidden: "" });
  field.after(list);
  const isLine = field.tagName === "INPUT"; // a multi-line field must not be a combobox
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", id);
  if (isLine) {
    field.setAttribute("role", "combobox");
    expanded(false);
  }
  let offered = null;
  let chosen = -1;
  let requests = 0;

  function expanded(is) {
    if (isLine) field.setAttribute("aria-expanded", String(is));
  }

  function close() {
    requests++;
    offered = null;
    list.hidden = true;
    expanded(false);
    field.removeAttribute("aria-activedescendant");
  }

  function choose(index) {
    chosen = index;
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === index)));
    if (index >= 0) {
      field.setAttribute("aria-activedescendant", `${id}-${index}`);
      list.children[index].scrollIntoView({ block: "nearest" });
    } else {
      field.removeAttribute("aria-activedescendant");
    }
  }

  function take(index) {
    const { text, href } = offered.options[index];
    if (href) {
      field.value = "";
      close();
      go(href);
      return;
    }
    field.setRangeText(text, offered.from, field.selectionStart, "end");
    close();
    field.focus();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  async function refresh() {
    const turn = ++requests;
    const found = await Promise.resolve(suggest(field.value, field.selectionStart)).catch(() => null);
    if (turn !== requests || document.activeElement !== field) return;
    if (!found || found.options.length === 0) {
      close();
      return;
    }
    offered = found;
    const options = found.options.map(({ text, label }, i) => {
      const made = element("li", { id: `${id}-${i}`, role: "option", "aria-selected": "false" }, label ?? text);
      made.addEventListener("mousedown", (event) => {
        event.preventDefault(); // keeps the focus in the field
        take(i);
      });
      return made;
    });
    list.replaceChildren(...options);
    list.hidden = false;
    expanded(true);
    choose(-1);
  }

  field.addEventListener("input", refresh);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (!offered) return;
    const { length } = offered.options;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      choose((chosen + step + length + (chosen < 0 && step < 0 ? 1 : 0)) % length);
    } else if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if ((event.key === "Enter" && chosen >= 0 && !event.ctrlKey) || (event.key === "Tab" && chosen >= 0)) {
      event.preventDefault();
      take(chosen);
    }
  });
}
