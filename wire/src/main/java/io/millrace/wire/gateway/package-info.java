/**
 * Telemetry of gateways: records in JSON and Avro to columns and back, and the value in which they
 * stand in the log.
 *
 * <p>{@link io.millrace.wire.gateway.GatewayDecoder} reads what a gateway sends, {@link
 * io.millrace.wire.gateway.GatewayEncoder} writes it, and {@link
 * io.millrace.wire.gateway.GatewayBatch} is what stands in the log.
 */
package io.millrace.wire.gateway;
