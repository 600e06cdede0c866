/**
 * The contract between a job and whatever stores its rows: {@link io.millrace.wire.sink.BlockSink}.
 * The engine calls it; stores, topics and other systems implement it.
 */
package io.millrace.wire.sink;
