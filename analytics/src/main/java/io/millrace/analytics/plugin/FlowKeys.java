package io.millrace.analytics.plugin;

import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.FlowBlock;

/**
 * By what flows are dealt out over the parallel copies of an analyzer.
 *
 * @param by the same in words, for people: {@code country of the source}
 * @param rows hashes of the keys; made anew where the job runs, so it may hold anything
 */
public record FlowKeys(String by, RowKeys<FlowBlock> rows) {}
