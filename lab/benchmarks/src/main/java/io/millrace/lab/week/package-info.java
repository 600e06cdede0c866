/**
 * Long-run benchmark of the store, with rollups and retention: an hour with a week of flows. Size,
 * memory, freshness and query latency must not grow.
 */
package io.millrace.lab.week;
