/**
 * Telemetry of gateways: records in JSON and Avro to columns and back, and their value in the log.
 *
 * <p>{@link io.millrace.wire.gateway.GatewayDecoder} reads requests of gateways, {@link
 * io.millrace.wire.gateway.GatewayEncoder} writes them, and {@link
 * io.millrace.wire.gateway.GatewayBatch} is the value in the log.
 */
package io.millrace.wire.gateway;
