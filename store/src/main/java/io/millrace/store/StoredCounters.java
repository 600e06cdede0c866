package io.millrace.store;

import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.Frontier;

/**
 * Counts of what happened to all datagrams whose rows a table has, by exporter.
 *
 * @param counts sums over all stored log values
 * @param values number of stored log values
 * @param skipped log values before the last checkpoint that are not in the counts: the log had
 *     deleted them before they were read
 * @param covered counted or skipped log values of each partition, as the following offset: the end
 *     of the partition if nothing is in flight
 */
public record StoredCounters(
    ExporterCounters counts, long values, long skipped, Frontier covered) {}
