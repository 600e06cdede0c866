/**
 * Figures for Prometheus: {@link io.millrace.server.metrics.Metric} lists them all, {@link
 * io.millrace.server.metrics.MetricsText} writes them in the text format, and {@link
 * io.millrace.server.metrics.Latencies} counts how long questions take. Where the values come from
 * is the runtime's business.
 */
package io.millrace.server.metrics;
