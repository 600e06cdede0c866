/**
 * The comparisons of the published platform for telemetry of gateways, made again: forms, encodings
 * and intervals ({@link io.millrace.bench.gateways.GatewaysBenchmark}).
 */
package io.millrace.bench.gateways;
