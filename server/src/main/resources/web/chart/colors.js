/** Colours of groups from the style sheet, in the current theme. */

const COUNT = 12;

/** A colour for each group, repeated from the twelfth on, and one for all others. */
export function colors(groups) {
  const style = getComputedStyle(document.documentElement);
  const named = (name) => style.getPropertyValue(name).trim();
  const own = Array.from({ length: groups }, (_, i) => named(`--group-${i % COUNT}`));
  return [...own, named("--group-others")];
}

/** A colour of the style sheet by its name. */
export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Calls a function when the theme changes; returns a function that stops this. */
export function onTheme(changed) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => dark.removeEventListener("change", changed);
}
