/** Signals of the last hour by rule, and the newest signals. */

import * as api from "../api.js";
import { element, table } from "../element.js";
import { percent, whole } from "../format.js";

const COUNT = 10;
const HOUR = "time > (SELECT max(time) - INTERVAL 1 HOUR FROM signals)";

export const title = "Quotas";

/** The cells of a row: time, subscriber, rule, used share of the quota. */
export function cells([time, msisdn, rule, limit, used]) {
  return [String(time).slice(11, 19), String(msisdn), rule, percent(used, limit)];
}

export async function refresh(place) {
  const rules = await api.sql(`SELECT rule, count(*) FROM signals WHERE ${HOUR} GROUP BY ALL ORDER BY 1`);
  if (rules.rows.length === 0) {
    place.replaceChildren(element("p", {}, "No signals yet."));
    return;
  }
  const newest = await api.sql(
    `SELECT time, msisdn, rule, quota_limit, quota_used FROM signals ORDER BY time DESC, msisdn LIMIT ${COUNT}`);
  const heading = `Signals of the last hour:  ${rules.rows.map(([rule, count]) => `${whole(count)} ${rule}`).join(", ")}`;
  const headings = ["Time", "Subscriber", "Rule", "Used"];
  place.replaceChildren(table(heading, headings, newest.rows.map(cells), new Set([0, 1, 3])));
}
