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
 * Reopens the files of data sets that change while a job runs: once a file has not changed between
 * two checks, so that a file being written is left alone, and publishes the start of validity in
 * {@link DatasetVersions}. An invalid file is reported in one line, and the previous content stays
 * in effect. Thread-safe.
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
   * @param entries ranges, addresses or pairs
   * @param heapBytes of memory
   * @param holdsFrom time from which flows are joined with it; empty until that is known
   * @param problem why the current file is rejected; empty if it is not
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
   * @param handles of the sets, acquired for longer than the life of the watch
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
    } catch (IOException e) { // between two files, perhaps: reported if it stays missing
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
      LOG.warn(
          "data set {}: {}; the previous content stays in effect", config.name(), e.getMessage());
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
    } catch (IOException | LogException e) { // again at the next check
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
