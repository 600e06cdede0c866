/** Starts the sections of the page; each asks for itself, one question at a time. */

import * as live from "./live/live.js";
import * as gateways from "./gateways/gateways.js";
import * as ledger from "./ledger/ledger.js";
import * as sql from "./sql/sql.js";
import * as top from "./top/top.js";

/** Calls again and again, a pause after each answer, and not while nobody looks. */
function repeat(refresh, pauseMs) {
  const turn = async () => {
    if (!document.hidden) {
      await refresh();
    }
    setTimeout(turn, pauseMs);
  };
  turn();
}

repeat(live.refresh, 1_000);
repeat(top.refresh, 5_000);
repeat(gateways.refresh, 1_000);
repeat(ledger.refresh, 5_000);
top.start();
sql.start();
