package io.millrace.cli.config;

import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.server.runtime.MillraceConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads Millrace's configuration file. */
public final class ConfigFile {
  private ConfigFile() {}

  /**
   * Reads a configuration file. Relative paths of data sets are resolved against its directory.
   *
   * @throws ConfigException as {@link YamlFile#read(Path, Record)}
   * @throws io.millrace.pipelines.plugins.PluginException if a plugin cannot be used
   */
  public static MillraceConfig read(Path file) {
    return read(file, null);
  }

  /**
   * Reads a configuration file with another plugin directory.
   *
   * @param file null for the defaults
   * @param plugins null for the plugin directory in the file
   * @throws ConfigException as {@link YamlFile#read(Path, Record)}
   * @throws io.millrace.pipelines.plugins.PluginException if a plugin cannot be used
   */
  public static MillraceConfig read(Path file, Path plugins) {
    MillraceConfig defaults = MillraceConfig.defaults();
    Path jars = plugins;
    if (jars == null && file != null) { // read first, because plugins declare sections
      jars = plugins(file);
    }
    if (jars != null) {
      defaults = withPlugins(defaults, jars);
    }
    if (file == null) {
      return defaults;
    }
    MillraceConfig config = YamlFile.read(file, defaults);
    if (jars != null) {
      config = config.withSection(config.plugins().withDirectory(jars));
    }
    Path directory = file.toAbsolutePath().getParent();
    Map<String, DatasetDeclaration> datasets = new LinkedHashMap<>();
    config.datasets().forEach((name, declared) -> datasets.put(name, declared.below(directory)));
    return config.withDatasets(datasets);
  }

  /**
   * Returns the plugin directory in a file; null for none.
   *
   * @throws ConfigException as {@link YamlFile#read(Path, Record)}
   */
  public static Path plugins(Path file) {
    return YamlFile.read(file, "plugins", PluginsConfig.NONE).directory();
  }

  private static MillraceConfig withPlugins(MillraceConfig defaults, Path jars) {
    try {
      return defaults.withPlugins(jars);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(e.getMessage());
    }
  }
}
