/** The URL's fragment: page/thing/…?key=value. It contains the whole view, so that links can be shared. */

/** {page, things, query} of a fragment; the overview by default. */
export function read(hash = location.hash) {
  const text = hash.replace(/^#/, "");
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  const [page, ...things] = path.split("/").map(decoded);
  return { page: page || "now", things, query: new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1)) };
}

/** The fragment of a page; omits empty and null values. */
export function link(page, things = [], query = {}) {
  const given = Object.entries(query).filter(([, value]) => value != null && value !== "");
  const path = [page, ...things].map(encodeURIComponent).join("/");
  return `#${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`;
}

/** Navigates to a fragment. `replace` keeps the previous history entry. */
export function go(address, replace = false) {
  if (replace) {
    location.replace(address);
  } else {
    location.hash = address;
  }
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // malformed
  }
}
