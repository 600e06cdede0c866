package io.millrace.pipelines.plugins;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which plugins get the flows.
 *
 * @param directory of their jars; null for no plugins
 * @param lateness how far event time stays behind the newest arrival, 0 to 1 h: a flow that comes
 *     later than that finds its window closed
 * @param layers in which partial results of parallel copies are added up pair by pair, 0 to 16:
 *     each halves the copies; those behind the first with a single copy are left out
 * @param settings of each plugin, by its name and then by key
 */
@RecordBuilder
public record PluginsConfig(
    Path directory, Duration lateness, int layers, Map<String, Map<String, String>> settings)
    implements PluginsConfigBuilder.With {

  /** So many copies as 16 layers make one of, nobody has. */
  private static final int MOST_LAYERS = 16;

  /** No plugins. */
  public static final PluginsConfig NONE =
      new PluginsConfig(null, Duration.ofSeconds(1), MOST_LAYERS, Map.of());

  /** Checks the lateness and copies the settings. */
  public PluginsConfig {
    if (lateness.isNegative() || lateness.toHours() >= 1) {
      throw new IllegalArgumentException("lateness: " + lateness + " is not 0 to 1 h");
    }
    if (layers < 0 || layers > MOST_LAYERS) {
      throw new IllegalArgumentException("layers: " + layers + " is not 0 to " + MOST_LAYERS);
    }
    Map<String, Map<String, String>> copy = new LinkedHashMap<>();
    settings.forEach((name, values) -> copy.put(name, Map.copyOf(values)));
    settings = copy;
  }

  /** What is said about one plugin. */
  public Map<String, String> settingsOf(String name) {
    return settings.getOrDefault(name, Map.of());
  }
}
