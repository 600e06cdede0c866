package io.millrace.cli;

import io.millrace.cli.config.ConfigFile;
import io.millrace.cli.console.UsageException;
import io.millrace.datasets.DatasetConfig;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import java.nio.file.Path;
import java.util.List;

final class DeclaredDatasets {
  private DeclaredDatasets() {}

  static List<DatasetConfig> of(Path file) {
    if (file == null) {
      throw new UsageException("missing -c FILE, the configuration that declares data sets");
    }
    List<DatasetConfig> declared = DatasetDeclaration.toConfigs(ConfigFile.read(file).datasets());
    if (declared.isEmpty()) {
      throw new UsageException(
          file + " declares no data sets; add their files under datasets (docs/datasets.md)");
    }
    return declared;
  }
}
