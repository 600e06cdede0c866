/**
 * Analyzers with state by key: rows are partitioned by the hash of their key ({@link
 * io.millrace.analytics.keyed.RowKeys}), state moves by key group ({@link
 * io.millrace.analytics.KeyGroups}), and is kept in tables and timers that are copied at once and
 * serialised later ({@link io.millrace.analytics.keyed.KeyTable}, {@link
 * io.millrace.analytics.keyed.ByteKeyTable}, {@link io.millrace.analytics.keyed.EventTimers}).
 */
package io.millrace.analytics.keyed;
