/**
 * Flows in Avro: {@link io.millrace.wire.avro.FlowAvroEncoder} writes Avro's single-object
 * encoding, {@link io.millrace.wire.avro.FlowAvroSchema} the schema with its fingerprint.
 */
package io.millrace.wire.avro;
