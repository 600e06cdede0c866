/**
 * Analyzers with keyed state: rows are partitioned by the hash of their key ({@link
 * io.millrace.analytics.keyed.RowKeys}), state moves by key group ({@link
 * io.millrace.analytics.KeyGroups}). Tables and timers are copied at a checkpoint and serialised
 * later ({@link io.millrace.analytics.keyed.KeyTable}, {@link
 * io.millrace.analytics.keyed.ByteKeyTable}, {@link io.millrace.analytics.keyed.EventTimers}).
 */
package io.millrace.analytics.keyed;
