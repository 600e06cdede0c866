/** Layers of a chart from a result. Pure functions. */

/** The groups, largest first, and the others last, if any. */
export function layers(result) {
  const groups = result.groups.map((group) => ({ label: group.label.join(" → "), values: group.values, errors: group.errors, group }));
  const rest = result.others?.total > 0 ? [{ label: "all others", values: result.others.values, errors: result.others.errors, group: null }] : [];
  return [...groups, ...rest];
}

/** Cumulative layers; a point is unknown only if all layers are unknown there. */
export function stacked(each) {
  let below = null;
  return each.map(({ values }) => {
    below = values.map((value, i) => (value == null ? (below?.[i] ?? null) : value + (below?.[i] ?? 0)));
    return below;
  });
}

/** The layer at a value and index: of a stack the first that reaches it, else the nearest. Null for none. */
export function layerAt(drawn, index, value, isStack) {
  if (isStack) {
    const found = drawn.findIndex((values) => values[index] != null && values[index] >= value);
    return found < 0 ? null : found;
  }
  const distance = (values) => (values[index] == null ? Infinity : Math.abs(values[index] - value));
  const nearest = drawn.reduce((best, values, i) => (distance(values) < distance(drawn[best]) ? i : best), 0);
  return drawn.length > 0 && distance(drawn[nearest]) < Infinity ? nearest : null;
}
