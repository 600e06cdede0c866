/**
 * The comparisons of the published platform for telemetry of gateways, made again: forms, encodings
 * and intervals ({@link io.millrace.lab.gateways.GatewaysBenchmark}).
 */
package io.millrace.lab.gateways;
