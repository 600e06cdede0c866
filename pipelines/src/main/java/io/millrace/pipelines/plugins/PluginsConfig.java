package io.millrace.pipelines.plugins;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of external pipelines: directory, and watermarks of flows.
 *
 * @param directory of their jars; null for none
 * @param watermarkDelay delay of the watermark of flows and packets after the newest arrival, 0 to
 *     1 h; flows that arrive later are late
 */
@RecordBuilder
public record PluginsConfig(Path directory, Duration watermarkDelay)
    implements PluginsConfigBuilder.With {
  /** No plugins. */
  public static final PluginsConfig NONE = new PluginsConfig(null, Duration.ofSeconds(1));

  public PluginsConfig {
    if (watermarkDelay.isNegative() || watermarkDelay.toHours() >= 1) {
      throw new IllegalArgumentException(
          "plugins.watermark-delay: " + watermarkDelay + " is out of range, expected 0 to 1h");
    }
  }
}
