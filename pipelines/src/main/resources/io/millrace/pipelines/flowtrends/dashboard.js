/** Trends of flows in the newest bucket, each with a sparkline of its samples. */

import * as api from "../api.js";
import { refill } from "../values/groups.js";
import { keyCell } from "../values/keys.js";
import { view } from "../view.js";
import { list } from "./trends.js";

const COUNT = 10;
const VIEW = view(new URLSearchParams());

export const title = "Rising flow keys";

export async function refresh(place) {
  const result = await api.get(`flow_trends?n=${COUNT}`);
  refill(place, list(result, ["Kind of key", "Key", ""], (row) => [row.key_kind, keyCell(row.key_kind, row.key, VIEW), row.kind]));
}
