/** From an answer to what is drawn. Pure functions. */

/** The groups, largest first, and the others behind them where there are any. */
export function layers(answer) {
  const groups = answer.groups.map((group) => ({ label: group.label.join(" → "), values: group.values, errors: group.errors, group }));
  const rest = answer.others?.total > 0 ? [{ label: "all others", values: answer.others.values, errors: answer.others.errors, group: null }] : [];
  return [...groups, ...rest];
}

/** Each layer with those before it added to it; unknown only where all of them are. */
export function stacked(each) {
  let below = null;
  return each.map(({ values }) => {
    below = values.map((value, i) => (value == null ? (below?.[i] ?? null) : value + (below?.[i] ?? 0)));
    return below;
  });
}

/** Which layer a value lies in at an index: of a stack the first that reaches so high, else the nearest. Null for none. */
export function layerAt(drawn, index, value, isStack) {
  if (isStack) {
    const found = drawn.findIndex((values) => values[index] != null && values[index] >= value);
    return found < 0 ? null : found;
  }
  const distance = (values) => (values[index] == null ? Infinity : Math.abs(values[index] - value));
  const nearest = drawn.reduce((best, values, i) => (distance(values) < distance(drawn[best]) ? i : best), 0);
  return drawn.length > 0 && distance(drawn[nearest]) < Infinity ? nearest : null;
}
