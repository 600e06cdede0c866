package io.millrace.cli;

import io.millrace.cli.config.YamlFile;
import io.millrace.cli.console.RuntimeOptions;
import io.millrace.datasets.DatasetConfig;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.server.runtime.MillraceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The data sets of a configuration and the bundled ones in place of those that it leaves out, which
 * are unpacked in a directory of their own until this is closed: an instance may be using its own.
 */
final class DeclaredDatasets implements AutoCloseable {
  private final Path bundled;
  private final Set<String> declared;
  private final List<DatasetConfig> configs;

  /** The sets of the file, or of the defaults if it is null. */
  DeclaredDatasets(Path file) throws IOException {
    MillraceConfig config = MillraceConfig.defaults();
    if (file != null) {
      config = YamlFile.read(file, config);
    }
    declared = Set.copyOf(config.datasets().keySet());
    bundled = Files.createTempDirectory("millrace-datasets");
    configs =
        DatasetDeclaration.toConfigs(
            RuntimeOptions.withBundledDatasets(config, bundled).datasets());
  }

  List<DatasetConfig> configs() {
    return configs;
  }

  boolean isBundled(DatasetConfig config) {
    return !declared.contains(config.name());
  }

  @Override
  public void close() throws IOException {
    try (var files = Files.list(bundled)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(bundled);
  }
}
