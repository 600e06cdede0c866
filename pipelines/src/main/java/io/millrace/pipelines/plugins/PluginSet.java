package io.millrace.pipelines.plugins;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The plugins of a configuration, loaded and checked, as a job needs them. The classes are loaded
 * anew where the job runs.
 *
 * @param calls of all plugins, by name
 * @param jars that travel with the job
 */
public record PluginSet(List<PluginCall> calls, List<Path> jars) {
  /**
   * Loads what the configuration names; nothing if it names no directory.
   *
   * @throws PluginException if a plugin cannot be used, or there are settings for one that is not
   *     there
   * @throws io.millrace.analytics.plugin.SettingException if settings are not what a plugin needs
   */
  public static PluginSet load(PluginsConfig config) {
    if (config.directory() == null) {
      config.settings().keySet().forEach(name -> unknown(name, "no plugins.directory is named"));
      return new PluginSet(List.of(), List.of());
    }
    try (PluginDirectory directory = new PluginDirectory(config.directory())) {
      List<String> names = directory.plugins().stream().map(Plugin::name).toList();
      for (Map.Entry<String, ?> entry : config.settings().entrySet()) {
        if (!names.contains(entry.getKey())) {
          unknown(entry.getKey(), "there are " + String.join(", ", names));
        }
      }
      return new PluginSet(
          directory.plugins().stream().map(plugin -> PluginCall.of(plugin, config)).toList(),
          directory.jars());
    }
  }

  /** The same as pipelines; empty if there are none. */
  public List<PluginPipeline> pipelines() {
    return calls.stream().map(call -> new PluginPipeline(call, jars)).toList();
  }

  /**
   * The same, to be sent to a cluster.
   *
   * @throws PluginException if a jar cannot be sent
   */
  public PluginSet forCluster() {
    PluginDirectory.refuseOwnClasses(jars);
    return this;
  }

  private static void unknown(String name, String hint) {
    throw new PluginException("plugins.settings." + name + ": there is no such plugin; " + hint);
  }
}
