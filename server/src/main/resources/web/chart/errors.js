/** 95% confidence intervals of estimates: a band around a line. */

import { color } from "./colors.js";

const STRENGTH = 0.25;

/**
 * The lines that get a band: all lines, or of a stack only the total. None without estimates.
 *
 * @param layers as drawn @returns {values, errors, shade} each
 */
export function bands(result, layers, paint, isStack) {
  if (!(result.total?.errors?.length > 0)) return [];
  if (isStack) return [{ ...result.total, shade: color("--ink") }];
  return layers.map((layer, i) => ({ values: layer.values, errors: layer.errors ?? [], shade: layer.group ? paint[i] : paint.at(-1) }));
}

/** The highest value of all bands. */
export function highest(bands) {
  return Math.max(0, ...bands.flatMap(({ values, errors }) => values.map((value, i) => (value ?? 0) + (errors[i] ?? 0))));
}

/** Draws the bands; for stepped lines a point lasts until the next one. */
export function draw(u, bands, times, endMs, isStepped) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.globalAlpha = STRENGTH;
  for (const { values, errors, shade } of bands) {
    ctx.fillStyle = shade;
    values.forEach((value, i) => {
      if (value == null || !(errors[i] > 0)) return;
      const next = isStepped ? i : i + 1;
      if (values[next] == null) return;
      const [left, right] = [times[i], times[i + 1] ?? endMs].map((ms) => u.valToPos(ms, "x", true));
      const edge = (at, sign) => u.valToPos(Math.max(0, values[at] + sign * (errors[at] ?? 0)), "y", true);
      ctx.beginPath();
      ctx.moveTo(left, edge(i, 1));
      ctx.lineTo(right, edge(next, 1));
      ctx.lineTo(right, edge(next, -1));
      ctx.lineTo(left, edge(i, -1));
      ctx.fill();
    });
  }
  ctx.restore();
}
