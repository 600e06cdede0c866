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

/** The data sets of a process, which follow their files once these are watched. Thread-safe. */
final class OpenDatasets {
  private final List<DatasetConfig> configs;
  private final List<DatasetHandle> handles;
  private volatile DatasetWatch watch; // null without data sets, and until they are watched

  /**
   * Opens them before a job does, so that a wrong file is told here, once, and not by restarts.
   *
   * @param closers by which they are given back
   * @throws io.millrace.datasets.DatasetException if a file is not what it should be
   * @throws IOException if a file cannot be read
   */
  OpenDatasets(Map<String, DatasetDeclaration> declared, Closers closers) throws IOException {
    configs = DatasetDeclaration.toConfigs(declared);
    handles = SharedDatasets.acquire(configs);
    closers.add(() -> SharedDatasets.release(configs, handles));
  }

  /**
   * From now on their files are looked at.
   *
   * @param servers of the log, which tells all jobs when a new version holds
   */
  void watch(String servers, Closers closers) {
    if (!configs.isEmpty()) {
      watch = closers.add(new DatasetWatch(configs, handles, DatasetVersions.topic(servers)));
      watch.start();
    }
  }

  /** How they are doing; empty until they are watched. */
  List<DatasetWatch.Status> status() {
    return watch == null ? List.of() : watch.status();
  }
}
