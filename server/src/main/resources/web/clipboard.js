/** Copies text to the clipboard. */

import { element } from "./element.js";

/** `navigator.clipboard` exists only over HTTPS and on loopback; elsewhere a selection is copied. */
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
