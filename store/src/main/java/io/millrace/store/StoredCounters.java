package io.millrace.store;

import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.Frontier;

/**
 * What became of all datagrams whose rows a table holds, by exporter.
 *
 * @param counts sums over all log values that were stored
 * @param values log values that were stored
 * @param skipped log values in front of the last checkpoint that are not in the counts: the log had
 *     deleted them before they were read
 * @param covered how many log values of each partition are in the counts or skipped, told as the
 *     offset behind them: all of the partition when nothing is on its way
 */
public record StoredCounters(
    ExporterCounters counts, long values, long skipped, Frontier covered) {}
