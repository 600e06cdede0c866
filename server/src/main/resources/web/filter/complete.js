/** Completion of filters and queries. Pure functions. */

const WORD = /[A-Za-z_][\w.]*$/;
const COMPARED = /([A-Za-z_]\w*)\s*(?:=|==|!=|<>|\bIN\s*\(?)\s*('?)([^\s'()=<>!&|]*(?:\s[^\s'()=<>!&|]+)*)$/i;
const KEYWORDS = ["AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "ILIKE", "IS NULL", "IS NOT NULL"];
const WORDS = ["as", "addr", "port", "dns", "domain", "member", "if", "vlan"];
const MOST = 12;

/** The column of a comparison before the cursor and the typed part of its value: {column, from, typed}; or null. */
export function compared(text, cursor) {
  const match = COMPARED.exec(text.slice(0, cursor));
  if (!match) return null;
  return { column: match[1], from: cursor - match[2].length - match[3].length, typed: match[3] };
}

/** The word before the cursor and its start: {from, typed}; or null. */
export function word(text, cursor) {
  const match = WORD.exec(text.slice(0, cursor));
  return match ? { from: match.index, typed: match[0] } : null;
}

/** Names that start with the typed text, followed by those that contain it. */
export function matching(names, typed) {
  const low = typed.toLowerCase();
  const begins = names.filter((name) => name.toLowerCase().startsWith(low));
  const contains = names.filter((name) => !begins.includes(name) && name.toLowerCase().includes(low));
  return [...begins, ...contains].slice(0, MOST);
}

/** Completions of a filter other than values. */
export function names(columns) {
  return [...columns, ...WORDS, ...KEYWORDS];
}
