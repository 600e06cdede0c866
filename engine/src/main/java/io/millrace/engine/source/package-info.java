/**
 * The stream job's input from the log: {@link io.millrace.engine.source.LogSource}. Every value
 * becomes one {@link io.millrace.wire.block.RawBatch} with its partition and offset.
 */
package io.millrace.engine.source;
