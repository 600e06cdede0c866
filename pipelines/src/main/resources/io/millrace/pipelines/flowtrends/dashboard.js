/** What rises in the flows in the newest bucket, each with a sparkline of its samples. */

import * as api from "../api.js";
import { list } from "./trends.js";

const COUNT = 10;

export const title = "Rising in the flows";

export async function refresh(place) {
  const answer = await api.ask(`flow_trends?n=${COUNT}`);
  place.replaceChildren(list(answer, ["Kind of key", "Key", ""], (row) => [row.key_kind, row.key, row.kind]));
}
