/** Hides estimates with a half-width above 30%. Pure functions. */

const MOST = 0.3; // half-width of the 95% confidence interval, relative
export const TOO_FEW = "too few samples";

function isTooWide(error, value) {
  return error > 0 && !(error <= MOST * value);
}

/**
 * A line without estimates that are too uncertain: such points become unknown, and with them the maximum and the percentile. If
 * the total is too uncertain, all values become unknown and `isVague` is true.
 *
 * @param line of a result of api/v1/series
 */
export function certain(line) {
  if (!(line.error > 0 || line.errors.length > 0)) return line;
  const isVague = isTooWide(line.error, line.total);
  const isHidden = line.values.map((value, i) => isVague || (value != null && isTooWide(line.errors[i], value)));
  if (!isHidden.includes(true)) return line;
  return {
    ...line,
    isVague,
    values: line.values.map((value, i) => (isHidden[i] ? null : value)),
    errors: line.errors.map((error, i) => (isHidden[i] ? 0 : error)),
    average: isVague ? null : line.average,
    maximum: null,
    p95: null,
  };
}
