/**
 * Rows that are visible at once and stored exactly once.
 *
 * <p>A row's identity is its position in the log. {@link io.millrace.engine.sink.RewindableSink}
 * appends rows as they arrive and keeps the covered part of the log in each checkpoint. After a
 * failure the store is first rewound to the checkpoint ({@link
 * io.millrace.wire.sink.BlockSink#rewind}), then the log is read again from there. So readers never
 * wait for a checkpoint, and no row is lost or duplicated.
 */
package io.millrace.engine.sink;
