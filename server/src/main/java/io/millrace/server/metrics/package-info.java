/**
 * Metrics for Prometheus: {@link io.millrace.server.metrics.Metric} lists them, {@link
 * io.millrace.server.metrics.MetricsText} formats them, and {@link
 * io.millrace.server.metrics.Latencies} counts query durations. The runtime supplies the values.
 */
package io.millrace.server.metrics;
