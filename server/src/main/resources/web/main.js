/** Starts the sections of the page; each asks for itself, one question at a time. */

import * as live from "./live/live.js";
import * as ledger from "./ledger/ledger.js";
import * as pipelines from "./pipelines/pipelines.js";
import { repeat } from "./repeat.js";
import * as sql from "./sql/sql.js";
import * as top from "./top/top.js";

repeat(live.refresh, 1_000);
repeat(top.refresh, 5_000);
repeat(pipelines.refresh, 5_000);
repeat(ledger.refresh, 5_000);
top.start();
sql.start();
