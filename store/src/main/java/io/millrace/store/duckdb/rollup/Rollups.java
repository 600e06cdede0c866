package io.millrace.store.duckdb.rollup;

import io.millrace.pulse.Pulse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that runs the rollup steps of all tables, one at a time. Writers and queries never wait
 * for it.
 */
public final class Rollups implements AutoCloseable {
  static final Logger LOG = LoggerFactory.getLogger(Rollups.class);

  private final Map<String, TableRollups> tables = new TreeMap<>();
  private Thread thread;
  private boolean isClosed;
  private boolean hasNews;

  /** Adds a table; the first one starts the thread. */
  public synchronized void add(String name, TableRollups table) {
    tables.put(name, table);
    if (thread == null) {
      thread = Pulse.thread("store-rollups", Duration.ZERO, pulse -> run());
      thread.start();
    }
    wake();
  }

  /** Closes the rollups of a table, so that it can be reopened. */
  public void remove(String name) throws SQLException {
    TableRollups table;
    synchronized (this) {
      table = tables.remove(name);
    }
    if (table != null) {
      table.close();
    }
  }

  /** Rolls up all committed rows, on the calling thread. */
  public void rollUp() throws SQLException {
    List<TableRollups> all = new ArrayList<>();
    take(all);
    for (TableRollups table : all) {
      table.rollUp();
    }
  }

  /** Failures of rollups, one line per affected table. */
  public synchronized List<String> problems() {
    return tables.values().stream().flatMap(table -> table.problem().stream()).toList();
  }

  /** Wakes the thread because a step may be due. */
  public synchronized void wake() {
    hasNews = true;
    notifyAll();
  }

  private void run() {
    List<TableRollups> all = new ArrayList<>();
    while (take(all)) {
      long wait = TimeUnit.HOURS.toNanos(1);
      for (TableRollups table : all) {
        wait = Math.min(wait, table.step(System.nanoTime()));
      }
      if (!await(wait)) {
        return;
      }
    }
  }

  private synchronized boolean take(List<TableRollups> all) {
    all.clear();
    all.addAll(tables.values());
    hasNews = false;
    return !isClosed;
  }

  private synchronized boolean await(long nanos) {
    try {
      if (!hasNews && !isClosed && nanos > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, nanos);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Ends the thread and rolls back the running step. */
  @Override
  public void close() throws SQLException {
    List<TableRollups> all;
    synchronized (this) {
      isClosed = true;
      all = List.copyOf(tables.values());
      notifyAll();
    }
    for (TableRollups table : all) {
      table.close();
    }
  }
}
