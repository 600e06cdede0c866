package io.millrace.pipelines.datasets;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetHandle;
import io.millrace.datasets.catalog.Datasets;
import io.millrace.engine.table.FileState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open data sets of this JVM, so that subtasks share one copy in memory. Thread-safe. */
public final class SharedDatasets {
  private static final Logger LOG = LoggerFactory.getLogger(SharedDatasets.class);
  private static final Map<DatasetConfig, SharedEntry> OPEN = new HashMap<>();

  private SharedDatasets() {}

  /**
   * Opens the declared sets or shares those that are open; each call must be matched by a {@link
   * #release}.
   *
   * @throws io.millrace.datasets.DatasetException if a file is invalid
   * @throws IOException if a file cannot be read
   */
  public static synchronized List<DatasetHandle> acquire(List<DatasetConfig> configs)
      throws IOException {
    List<DatasetHandle> handles = new ArrayList<>();
    boolean done = false;
    try {
      for (DatasetConfig config : configs) {
        SharedEntry shared = OPEN.get(config);
        if (shared == null) {
          FileState files =
              FileState.of(
                  config.files()); // taken before the files are read, so that later changes are
          // detected
          shared = new SharedEntry(new DatasetHandle(open(config)), files);
          OPEN.put(config, shared);
        }
        shared.users++;
        handles.add(shared.handle);
      }
      done = true;
      return handles;
    } finally {
      if (!done) {
        release(configs, handles);
      }
    }
  }

  /** Releases handles that {@link #acquire} returned; the last release closes the sets. */
  public static synchronized void release(
      List<DatasetConfig> configs, List<DatasetHandle> handles) {
    for (int i = 0; i < handles.size(); i++) {
      SharedEntry shared = OPEN.get(configs.get(i));
      if (--shared.users == 0) {
        OPEN.remove(configs.get(i));
        shared.handle.close();
      }
    }
  }

  /**
   * Reopens the files of an acquired set if they changed since they were last opened; their content
   * becomes the newest. If this fails, the previous content stays.
   *
   * @throws io.millrace.datasets.DatasetException if a file is invalid
   * @throws IllegalArgumentException if it has other fields
   * @throws IOException if a file cannot be read
   */
  public static synchronized void reopen(DatasetConfig config) throws IOException {
    SharedEntry shared = OPEN.get(config);
    FileState files = FileState.of(config.files());
    if (files.equals(shared.files)) {
      return;
    }
    Dataset newer = open(config);
    boolean isTaken = false;
    try {
      if (newer.fingerprint() != shared.handle.current().fingerprint()) {
        shared.handle.swap(newer);
        isTaken = true;
      }
      shared.files = files;
    } finally {
      if (!isTaken) {
        newer.close();
      }
    }
  }

  private static Dataset open(DatasetConfig config) throws IOException {
    return Datasets.open(
        config,
        leftOut ->
            LOG.warn(
                "data set {}: {} entries skipped: {}", config.name(), leftOut.total(), leftOut));
  }

  private static final class SharedEntry {
    private final DatasetHandle handle;
    private FileState files;
    private int users;

    SharedEntry(DatasetHandle handle, FileState files) {
      this.handle = handle;
      this.files = files;
    }
  }
}
