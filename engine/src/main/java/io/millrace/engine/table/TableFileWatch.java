package io.millrace.engine.table;

import io.millrace.engine.log.LogException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a table whenever its file changes. An invalid file is reported, and the last version
 * stays in effect. Thread-safe.
 */
public final class TableFileWatch extends FileWatch {
  private static final Logger LOG = LoggerFactory.getLogger(TableFileWatch.class);

  private final TableFile table;
  private FileState published;
  private volatile String problem;

  /** Creates a watch that is not started. */
  public TableFileWatch(TableFile table) {
    super("millrace-file-of-" + table.topic().topic());
    this.table = table;
  }

  @Override
  protected void check() {
    try {
      // taken before the file is read, so that the next check detects later writes
      FileState now = FileState.of(List.of(table.file()));
      if (!now.equals(published)) {
        publish();
        published = now;
      }
    } catch (IOException | LogException e) {
      report(e.getMessage());
    }
  }

  private void publish() {
    try {
      Instant from = table.publish();
      LOG.info("{} takes effect at {}", table.file(), from);
      problem = null;
    } catch (IOException e) { // not retried until the file changes
      report(e.getMessage());
    }
  }

  private void report(String message) {
    if (!message.equals(problem)) {
      LOG.warn("{}; the previous table stays in effect", message);
    }
    problem = message;
  }

  Optional<String> problem() {
    return Optional.ofNullable(problem);
  }
}
