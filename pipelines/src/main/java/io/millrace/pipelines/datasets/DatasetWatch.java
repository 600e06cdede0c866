package io.millrace.pipelines.datasets;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetHandle;
import io.millrace.engine.log.LogException;
import io.millrace.engine.table.FileState;
import io.millrace.engine.table.FileWatch;
import io.millrace.engine.table.TableTopic;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reopens changed files of data sets while a job runs, and publishes the new versions in {@link
 * DatasetVersions}. Waits until a file has not changed between two checks, so that it does not read
 * a file being written. Logs an invalid file in one line and keeps the previous content.
 * Thread-safe.
 */
public final class DatasetWatch extends FileWatch {
  private static final Logger LOG = LoggerFactory.getLogger(DatasetWatch.class);

  private final List<DatasetConfig> configs;
  private final List<DatasetHandle> handles;
  private final TableTopic<DatasetVersions> topic;
  private final Map<String, FileState> seen = new HashMap<>();
  private final Map<String, FileState> rejected = new HashMap<>();
  private final Map<String, String> problems = new ConcurrentHashMap<>();
  private final Map<String, Instant> since = new ConcurrentHashMap<>();
  private DatasetVersions published = DatasetVersions.NONE;

  /**
   * Status of a data set.
   *
   * @param config its declaration
   * @param fingerprint of the newest content
   * @param entries number of ranges, addresses or pairs
   * @param heapBytes heap memory
   * @param holdsFrom time of the first flows joined with it; empty until known
   * @param problem why the current file was rejected; empty if it was not
   */
  public record Status(
      DatasetConfig config,
      long fingerprint,
      int entries,
      long heapBytes,
      Optional<Instant> holdsFrom,
      Optional<String> problem) {}

  /**
   * Creates a watch that is not started.
   *
   * @param handles handles of the sets, which the caller releases after closing the watch
   */
  public DatasetWatch(
      List<DatasetConfig> configs, List<DatasetHandle> handles, TableTopic<DatasetVersions> topic) {
    super("millrace-datasets");
    this.configs = List.copyOf(configs);
    this.handles = List.copyOf(handles);
    this.topic = topic;
  }

  @Override
  protected void check() {
    configs.forEach(this::check);
    publish();
  }

  private void check(DatasetConfig config) {
    FileState files;
    try {
      files = FileState.of(config.files());
    } catch (
        IOException e) { // a file may be missing while it is replaced; reported if it stays missing
      files = new FileState(List.of(String.valueOf(e.getMessage())));
    }
    boolean isQuiet = files.equals(seen.put(config.name(), files));
    if (!isQuiet || files.equals(rejected.get(config.name()))) {
      return;
    }
    try {
      SharedDatasets.reopen(config);
      problems.remove(config.name());
      rejected.remove(config.name());
    } catch (IOException | IllegalArgumentException e) {
      rejected.put(config.name(), files);
      problems.put(config.name(), String.valueOf(e.getMessage()));
      LOG.warn("data set {}: {}; keeping the previous content", config.name(), e.getMessage());
    }
  }

  private void publish() {
    Map<String, Long> fingerprints = new HashMap<>();
    for (int i = 0; i < configs.size(); i++) {
      fingerprints.put(configs.get(i).name(), handles.get(i).current().fingerprint());
    }
    DatasetVersions newest = new DatasetVersions(fingerprints);
    if (newest.equals(published)) {
      return;
    }
    try {
      Instant from = topic.publish(newest.toBytes());
      for (String name : fingerprints.keySet()) {
        if (newest.of(name).equals(published.of(name))) {
          continue;
        }
        since.put(name, from);
        LOG.info("data set {}: new content takes effect at {}", name, from);
      }
      published = newest;
    } catch (IOException | LogException e) { // retried at the next check
      LOG.warn("cannot publish versions of data sets: {}", e.getMessage());
    }
  }

  /** Status of each set, in order. */
  public List<Status> status() {
    List<Status> all = new ArrayList<>();
    for (int i = 0; i < configs.size(); i++) {
      DatasetConfig config = configs.get(i);
      Dataset dataset = handles.get(i).current();
      all.add(
          new Status(
              config,
              dataset.fingerprint(),
              dataset.entries(),
              dataset.heapBytes(),
              Optional.ofNullable(since.get(config.name())),
              Optional.ofNullable(problems.get(config.name()))));
    }
    return all;
  }
}
