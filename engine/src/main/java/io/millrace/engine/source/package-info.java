/**
 * How the stream job reads the log: {@link io.millrace.engine.source.LogSource}. Every value
 * becomes one {@link io.millrace.wire.block.RawBatch} that knows its partition and offset.
 */
package io.millrace.engine.source;
