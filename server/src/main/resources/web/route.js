/** The address of what is shown, behind the #: page/thing/…?key=value. It holds all of a view, so that a view can be sent to somebody. */

/** {page, things, query} of an address; the first page where it names none. */
export function read(hash = location.hash) {
  const text = hash.replace(/^#/, "");
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  const [page, ...things] = path.split("/").map(decoded);
  return { page: page || "now", things, query: new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1)) };
}

/** The address of a page; what is empty or null is left out. */
export function link(page, things = [], query = {}) {
  const given = Object.entries(query).filter(([, value]) => value != null && value !== "");
  const path = [page, ...things].map(encodeURIComponent).join("/");
  return `#${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`;
}

/** Goes to an address. With `replace` the way back leads to where we were before. */
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
    return part; // typed by hand
  }
}
