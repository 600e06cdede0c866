/** A progress bar while waiting for a slow result. */

import { element } from "../element.js";

const AFTER_MS = 300;

/** Waits for a promise; after 300 ms shows an indeterminate progress bar at the top of the section. */
export async function awaited(section, promise) {
  const bar = element("progress", { "aria-label": "Waiting for the result" });
  const timer = setTimeout(() => section.prepend(bar), AFTER_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    bar.remove();
  }
}
