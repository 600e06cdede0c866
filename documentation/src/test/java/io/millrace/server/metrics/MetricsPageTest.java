package io.millrace.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.runtime.MillraceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MetricsPageTest {
  @Test
  void thePageListsTheMetrics() throws IOException {
    String page = Metric.page(MillraceConfig.defaults().pipelines());
    Files.writeString(Path.of("target/metrics.md"), page);
    assertThat(Path.of("../docs/reference/metrics.md"))
        .as("rewrite it: cp documentation/target/metrics.md docs/reference/")
        .hasContent(page);
  }
}
