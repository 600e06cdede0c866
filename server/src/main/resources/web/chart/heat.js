/** A heat map: a row per group, more opaque for larger shares of the overall maximum. */

import { color } from "../chart/colors.js";

const CHARACTER = 7; // approximate pixels of the axis's font
const LEAST = 0.04; // opacity of the smallest positive value

export const heat = {
  axis(layers, stroke, font, width) {
    const room = Math.min(220, Math.round(width * 0.35));
    const most = Math.floor(room / CHARACTER) - 2;
    const names = layers.map(({ label }) => (label.length > most ? `${label.slice(0, most - 1)}…` : label));
    return {
      stroke,
      font,
      size: room,
      grid: { show: false },
      ticks: { show: false },
      splits: () => names.map((_, i) => names.length - i - 0.5),
      values: () => names,
    };
  },

  draw(u, result, endMs) {
    const { ctx } = u;
    const highest = Math.max(...result.groups.flatMap((group) => group.values.filter((value) => value != null)), 0);
    const rows = result.groups.length;
    ctx.save();
    ctx.fillStyle = color("--accent");
    const edge = (ms) => Math.round(u.valToPos(ms, "x", true));
    result.groups.forEach((group, row) => {
      const top = Math.round(u.valToPos(rows - row, "y", true));
      const bottom = Math.round(u.valToPos(rows - row - 1, "y", true));
      group.values.forEach((value, i) => {
        if (!(value > 0)) return;
        const left = edge(result.times[i]);
        ctx.globalAlpha = LEAST + (1 - LEAST) * Math.sqrt(value / highest);
        ctx.fillRect(left, top + 1, edge(result.times[i + 1] ?? endMs) - left, bottom - top - 2);
      });
    });
    ctx.restore();
  },
};
