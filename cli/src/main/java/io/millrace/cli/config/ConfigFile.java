package io.millrace.cli.config;

import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.server.runtime.MillraceConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The configuration of Millrace in a file. */
public final class ConfigFile {
  private ConfigFile() {}

  /**
   * The configuration that a file describes. Files of data sets are found beside it, from whatever
   * directory it is read.
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
