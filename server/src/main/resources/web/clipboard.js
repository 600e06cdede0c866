/** Puts text into the clipboard. */

import { element } from "./element.js";

/** Browsers have `navigator.clipboard` over HTTPS and on loopback alone; elsewhere a selection is copied. */
export async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copySelection(text);
  }
}

function copySelection(text) {
  const focused = document.activeElement;
  const area = element("textarea", { readonly: "", class: "unseen", "aria-label": "text to copy" });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  focused?.focus();
}
