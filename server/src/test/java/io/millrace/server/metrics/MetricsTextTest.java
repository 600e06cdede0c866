package io.millrace.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class MetricsTextTest {
  @Test
  void samplesAreGroupedByMetric() {
    MetricsText text = new MetricsText();
    text.add(Metric.ROWS, 7);
    text.add(Metric.EXPORTER_ROWS_TOTAL, 1, "192.0.2.1", "sflow");
    text.add(Metric.LAG_VALUES, null);
    text.addSummary(Metric.STORE_FLUSH_SECONDS, 0.25, 4);
    text.add(Metric.EXPORTER_ROWS_TOTAL, 1e300, "a\"b\\c\nd", "ipfix");
    assertThat(text)
        .hasToString(
            """
            # HELP millrace_exporter_rows_total rows stored from an exporter
            # TYPE millrace_exporter_rows_total counter
            millrace_exporter_rows_total{exporter="192.0.2.1",protocol="sflow"} 1
            millrace_exporter_rows_total{exporter="a\\"b\\\\c\\nd",protocol="ipfix"} 1.0E300
            # HELP millrace_rows rows in flows
            # TYPE millrace_rows gauge
            millrace_rows 7
            # HELP millrace_store_flush_seconds time that a checkpoint waits for its rows to be durable; sum and count
            # TYPE millrace_store_flush_seconds summary
            millrace_store_flush_seconds_sum 0.25
            millrace_store_flush_seconds_count 4
            """);
    assertThat(new PrometheusText(text.toString()).samples()).hasSize(5);
    assertThatThrownBy(() -> text.add(Metric.ROWS, 1, "label"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void latenciesAreCountedByTheirBounds() throws Exception {
    Latencies latencies = new Latencies();
    latencies.count(1_000_000); // a bound belongs to its bucket
    latencies.count(1_000_001);
    latencies.count(3_000_000_000L);
    latencies.count(60_000_000_000L);
    assertThatThrownBy(
            () ->
                latencies.time(
                    () -> {
                      throw new IOException("broken");
                    }))
        .hasMessage("broken");
    MetricsText text = new MetricsText();
    latencies.writeTo(text, "sql");
    PrometheusText read = new PrometheusText(text.toString());
    assertThat(read.samples())
        .containsEntry("millrace_query_seconds_bucket{query=\"sql\",le=\"2\"}", 3.0)
        .containsEntry("millrace_query_seconds_bucket{query=\"sql\",le=\"5\"}", 4.0)
        .containsEntry("millrace_query_seconds_bucket{query=\"sql\",le=\"30\"}", 4.0)
        .containsEntry("millrace_query_seconds_bucket{query=\"sql\",le=\"+Inf\"}", 5.0)
        .containsEntry("millrace_query_seconds_count{query=\"sql\"}", 5.0)
        .containsEntry("millrace_query_failures_total{query=\"sql\"}", 1.0);
  }

  @Test
  void namesFollowPrometheusRules() {
    for (Metric metric : Metric.values()) {
      assertThat(metric.metricName()).matches("millrace_[a-z_]+");
      assertThat(metric.metricName().endsWith("_total"))
          .as(metric.metricName())
          .isEqualTo(metric.type() == Metric.Type.COUNTER);
      assertThat(metric.help()).doesNotContain("\n", "\\").doesNotEndWith(".");
      assertThat(metric.metricName()).isEqualTo(metric.metricName().toLowerCase(Locale.ROOT));
    }
  }
}
