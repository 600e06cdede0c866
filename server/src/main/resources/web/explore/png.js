/** A chart with its legend as an image. */

import { color, colors } from "../chart/colors.js";

const LINE = 20;
const EDGE = 16;

/** A Blob of the canvas or SVG. */
export async function png(place, result) {
  const drawn = place.querySelector("canvas") ?? (await picture(place.querySelector("svg")));
  const ratio = drawn instanceof HTMLCanvasElement ? devicePixelRatio : 1;
  const names = drawn instanceof HTMLCanvasElement ? result.groups.map((group) => group.label.join(" → ")) : [];
  const canvas = document.createElement("canvas");
  canvas.width = drawn.width + 2 * EDGE;
  canvas.height = drawn.height + 2 * EDGE + names.length * LINE * ratio;
  const context = canvas.getContext("2d");
  context.fillStyle = color("--panel");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(drawn, EDGE, EDGE, drawn.width, drawn.height);
  context.font = `${13 * ratio}px system-ui, sans-serif`;
  const paint = colors(names.length);
  names.forEach((name, i) => {
    const y = drawn.height + EDGE + (i + 1) * LINE * ratio;
    context.fillStyle = paint[i];
    context.fillRect(EDGE, y - 10 * ratio, 10 * ratio, 10 * ratio);
    context.fillStyle = color("--ink");
    context.fillText(name, EDGE + 18 * ratio, y);
  });
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function picture(svg) {
  const text = new XMLSerializer().serializeToString(svg);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const image = new Image(svg.clientWidth, svg.clientHeight);
  return new Promise((resolve, reject) => {
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error("cannot render the diagram"));
    image.src = url;
  }).finally(() => URL.revokeObjectURL(url));
}
