package io.millrace.store.duckdb.flows;

import java.sql.SQLException;

/**
 * The committing threads of a table.
 *
 * <p>Rows that arrived just now all go to the first thread: together they fill a row group soonest.
 * Rows of the past, of which there are as many as can be written, are spread over all threads.
 */
final class FlowCommitters {
  @FunctionalInterface
  interface Factory {
    FlowCommitter create() throws SQLException;
  }

  private final FlowCommitter[] all;
  private int writers;
  private int joined;

  FlowCommitters(int threads, Factory factory) throws SQLException {
    all = new FlowCommitter[threads];
    try {
      for (int i = 0; i < threads; i++) {
        all[i] = factory.create();
      }
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  FlowCommitter forFresh() {
    return all[0];
  }

  /** One writer more; gives the committer of its rows of the past. Guarded by the table. */
  FlowCommitter join() {
    writers++;
    return all[joined++ % all.length];
  }

  /** One writer less; whether it was the last. Guarded by the table. */
  boolean leave() {
    return --writers == 0;
  }

  void close() throws SQLException {
    for (FlowCommitter committer : all) {
      if (committer != null) { // all but those that could not be made
        committer.close();
      }
    }
  }
}
