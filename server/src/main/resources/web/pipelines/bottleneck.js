/** Which step of a job is the narrow one. A pure function. */

const FULL = 0.9;
const HELD_BACK = 0.1;

/** A sentence on the step that can take no more, or null while none is near that. */
export function bottleneck({ steps }) {
  const busiest = steps.reduce((most, step) => ((step.load.busy ?? 0) > (most?.load.busy ?? 0) ? step : most), null);
  if (busiest == null) return null;
  if (busiest.load.busy >= FULL) {
    return `“${busiest.name}” is busy ${(100 * busiest.load.busy).toFixed(0)} % of its time and can take little more: give it more subtasks.`;
  }
  const held = steps.find((step) => step.load.back_pressured >= HELD_BACK);
  return held ? `“${held.name}” waits ${(100 * held.load.back_pressured).toFixed(0)} % of its time for the step behind it.` : null;
}
