package io.millrace.pipelines.plugins;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Directory of external pipelines, and event time of flows.
 *
 * @param directory of their jars; null for none
 * @param lateness by which event time of the jobs of flows and packets lags the newest arrival, 0
 *     to 1 h: a flow that arrives later finds its window closed
 */
@RecordBuilder
public record PluginsConfig(Path directory, Duration lateness)
    implements PluginsConfigBuilder.With {
  /** No plugins. */
  public static final PluginsConfig NONE = new PluginsConfig(null, Duration.ofSeconds(1));

  /** Checks the lateness. */
  public PluginsConfig {
    if (lateness.isNegative() || lateness.toHours() >= 1) {
      throw new IllegalArgumentException("lateness: " + lateness + " is not 0 to 1 h");
    }
  }
}
