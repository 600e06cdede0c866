/**
 * Telemetry of gateways: records in JSON and Avro to columns and back, and the value in which they
 * stand in the log.
 *
 * <p>{@link io.millrace.wire.gateway.GatewayDecoder} reads what a gateway sends, {@link
 * io.millrace.wire.gateway.GatewayEncoder} writes it; {@link
 * io.millrace.wire.gateway.GatewayPacker} deals the good records out over the partitions of the
 * log, and {@link io.millrace.wire.gateway.GatewayBatch} is what stands there.
 */
package io.millrace.wire.gateway;
