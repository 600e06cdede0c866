package io.millrace.cli;

import io.millrace.cli.config.ConfigFile;
import io.millrace.cli.console.UsageException;
import io.millrace.datasets.DatasetConfig;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import java.nio.file.Path;
import java.util.List;

/** The data sets that a configuration declares. */
final class DeclaredDatasets {
  private DeclaredDatasets() {}

  /**
   * Those of a configuration file.
   *
   * @param file null where none was named
   * @throws UsageException if there are none
   */
  static List<DatasetConfig> of(Path file) {
    if (file == null) {
      throw new UsageException("name the configuration that declares data sets: -c FILE");
    }
    List<DatasetConfig> declared = DatasetDeclaration.toConfigs(ConfigFile.read(file).datasets());
    if (declared.isEmpty()) {
      throw new UsageException(
          file
              + " declares no data sets; name their files under datasets, as docs/datasets.md says");
    }
    return declared;
  }
}
