/**
 * The comparisons of the published platform for gateway telemetry, repeated: forms, encodings and
 * intervals ({@link io.millrace.lab.gateways.GatewaysBenchmark}).
 */
package io.millrace.lab.gateways;
