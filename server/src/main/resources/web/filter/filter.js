/** The filter field: completes columns and frequent values, and shows errors at their position. */

import * as api from "../api.js";
import * as dimensions from "../dimensions.js";
import { element } from "../element.js";
import * as schema from "../schema.js";
import { compared, matching, names, word } from "./complete.js";
import { offer } from "./field.js";

const KNOWN = 200; // values per column
const EITHER = { as: "src_as", addr: "src_addr", port: "dst_port", domain: "src_domain", dns: "src_dns", member: "src_member", if: "in_if", vlan: "src_vlan" };
const values = new Map(); // promises by column

/** {form parts, show(filter), reject(failure)}; calls onChange with a submitted filter. */
export function filterField(onChange) {
  const field = element("input", {
    class: "filter",
    name: "filter",
    type: "text",
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "none",
    placeholder: "src_as = AS64500 and dst port 443",
    "aria-label": "Filter",
  });
  const error = element("pre", { class: "filter-error problem", role: "alert", hidden: "" });
  const clear = element("button", { type: "button", class: "quiet" }, "Clear");
  const box = element("div", { class: "filter-box" }, field);
  offer(field, suggest);
  let held = "";
  const submit = () => {
    if (field.value.trim() !== held) {
      held = field.value.trim();
      onChange(held);
    }
  };
  field.addEventListener("change", submit);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.defaultPrevented) {
      event.preventDefault();
      submit();
    }
  });
  clear.addEventListener("click", () => {
    field.value = "";
    submit();
  });
  return {
    parts: [box, clear, error],
    show(filter) {
      held = filter;
      if (document.activeElement !== field || field.value.trim() === "") field.value = filter;
    },
    /** Shows a filter's error, or clears it with null. */
    reject(failure) {
      error.hidden = failure == null;
      error.textContent = failure == null ? "" : failure.message;
      field.setAttribute("aria-invalid", String(failure != null));
      if (failure?.position != null && document.activeElement === field) {
        field.setSelectionRange(failure.position, field.value.length);
      }
    },
  };
}

async function suggest(text, cursor) {
  const value = compared(text, cursor);
  if (value) {
    const column = EITHER[value.column] ?? value.column;
    const groups = await known(column);
    const labels = groups.map((group) => group.label[0]);
    const options = matching(labels, value.typed).map((label) => {
      const key = groups[labels.indexOf(label)].key[0];
      return { text: dimensions.written(column, key), label: label.split(" ")[0] === key ? label : `${label} (${key})` };
    });
    return { from: value.from, options };
  }
  const typed = word(text, cursor);
  if (!typed) return null;
  const options = matching(names(await schema.columns()), typed.typed).map((name) => ({ text: name }));
  return options.length === 1 && options[0].text === typed.typed ? null : { from: typed.from, options };
}

/** The largest values of a column in the last hour, by volume. */
function known(column) {
  if (!values.has(column)) {
    const pending = api.series({ by: column, measure: "bits", last: "1h", n: KNOWN, step: 3_600 });
    values.set(column, pending.then((result) => result.groups.filter((group) => group.key[0] != null)));
    values.get(column).catch(() => values.delete(column));
  }
  return values.get(column);
}
