/** Queries run in this browser, newest first. */

const KEY = "millrace-queries";
const MOST = 50;

export function all() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? [];
  } catch {
    return []; // invalid
  }
}

export function add(query) {
  const kept = [query, ...all().filter((each) => each !== query)].slice(0, MOST);
  localStorage.setItem(KEY, JSON.stringify(kept));
}
