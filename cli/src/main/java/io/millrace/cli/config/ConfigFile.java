package io.millrace.cli.config;

import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.server.runtime.MillraceConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A configuration file of Millrace. */
public final class ConfigFile {
  private ConfigFile() {}

  /**
   * Reads a configuration file. Relative paths of data sets are resolved against its directory.
   *
   * @throws ConfigException as {@link YamlFile#read}
   */
  public static MillraceConfig read(Path file) {
    MillraceConfig config = YamlFile.read(file, MillraceConfig.defaults());
    Path directory = file.toAbsolutePath().getParent();
    Map<String, DatasetDeclaration> datasets = new LinkedHashMap<>();
    config.datasets().forEach((name, declared) -> datasets.put(name, declared.below(directory)));
    return config.withDatasets(datasets);
  }
}
