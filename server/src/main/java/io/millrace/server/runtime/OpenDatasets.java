package io.millrace.server.runtime;

import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetHandle;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.datasets.DatasetVersions;
import io.millrace.pipelines.datasets.DatasetWatch;
import io.millrace.pipelines.datasets.SharedDatasets;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Data sets of an instance, which are reloaded when their files change, once watched. Thread-safe.
 */
final class OpenDatasets {
  private final List<DatasetConfig> configs;
  private final List<DatasetHandle> handles;
  private volatile DatasetWatch watch; // null without data sets, and before watch()

  /** Opens them before a job does: an invalid file is reported once, not by each restart. */
  OpenDatasets(Map<String, DatasetDeclaration> declared, Closers closers) throws IOException {
    configs = DatasetDeclaration.toConfigs(declared);
    handles = SharedDatasets.acquire(configs);
    closers.add(() -> SharedDatasets.release(configs, handles));
  }

  void watch(String servers, Closers closers) {
    if (!configs.isEmpty()) {
      watch = closers.add(new DatasetWatch(configs, handles, DatasetVersions.topic(servers)));
      watch.start();
    }
  }

  List<DatasetWatch.Status> status() {
    return watch == null ? List.of() : watch.status();
  }
}
