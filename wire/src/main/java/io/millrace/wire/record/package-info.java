/**
 * Records of the streams that pipelines declare: from JSON and Avro to columns, and their value in
 * the log.
 *
 * <p>{@link io.millrace.wire.record.RecordSchema} declares them, {@link
 * io.millrace.wire.record.RecordDecoder} decodes requests, and {@link
 * io.millrace.wire.record.RecordBatch} is the value in the log. The reader of JSON is also used for
 * GoFlow2.
 */
package io.millrace.wire.record;
