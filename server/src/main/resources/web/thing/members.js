/** Members of an exchange that somebody searches by name. */

import * as api from "../api.js";
import { quoted } from "../dimensions.js";
import * as schema from "../schema.js";

/** The name of the member with the most traffic of the last day whose name contains a text; null for none. */
export async function memberNamed(text) {
  if (!(await schema.columns()).includes("src_member")) return null;
  for (const column of ["src_member", "dst_member"]) {
    const { groups } = await api.series({ by: column, filter: `${column} ILIKE ${quoted(`%${text.trim()}%`)}`, last: "1d", n: 1, points: 1, rolled: "true" });
    if (groups[0]?.key[0] != null) return groups[0].key[0];
  }
  return null;
}
