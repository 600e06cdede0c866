/**
 * Records of any stream that a pipeline declares: from JSON and Avro to columns, and the value in
 * which they stand in the log.
 *
 * <p>{@link io.millrace.wire.record.RecordSchema} declares them, {@link
 * io.millrace.wire.record.RecordDecoder} reads what a sender sends, and {@link
 * io.millrace.wire.record.RecordBatch} is what stands in the log. What reads JSON and Avro is also
 * what records of gateways and flows of others are read with.
 */
package io.millrace.wire.record;
