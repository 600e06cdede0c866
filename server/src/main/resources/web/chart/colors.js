/** The colours of groups: the style sheet's, in the theme that is shown. */

const COUNT = 12;

/** One for each of so many groups, and one for all others behind them; from the twelfth on they come again. */
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

/** Calls when the theme changes; gives what ends that. */
export function onTheme(changed) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => dark.removeEventListener("change", changed);
}
