package io.millrace.engine.table;

import io.millrace.engine.log.LogException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a table whenever its file has changed. A file that is no table is told of, and the last
 * version stays. Thread-safe.
 */
public final class TableFileWatch extends FileWatch {
  private static final Logger LOG = LoggerFactory.getLogger(TableFileWatch.class);

  private final TableFile table;
  private FileState published;
  private volatile String problem;

  /** A watch that is not started. */
  public TableFileWatch(TableFile table) {
    super("millrace-file-of-" + table.topic().topic());
    this.table = table;
  }

  @Override
  protected void look() {
    try {
      // before it is read: what is written meanwhile is seen next
      FileState now = FileState.of(List.of(table.file()));
      if (!now.equals(published)) {
        publish();
        published = now;
      }
    } catch (IOException | LogException e) {
      tell(e.getMessage());
    }
  }

  private void publish() {
    try {
      Instant from = table.publish();
      LOG.info("{} holds from {} on", table.file(), from);
      problem = null;
    } catch (IOException e) { // until the file is another one
      tell(e.getMessage());
    }
  }

  private void tell(String message) {
    if (!message.equals(problem)) {
      LOG.warn("{}; the table that was there before holds on", message);
    }
    problem = message;
  }

  /** Why the file could not be published when it was last looked at; empty if it could. */
  Optional<String> problem() {
    return Optional.ofNullable(problem);
  }
}
