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
 * The thread that keeps the rollups of all tables, one step after the other. Whoever writes or asks
 * never waits for it.
 */
public final class Rollups implements AutoCloseable {
  static final Logger LOG = LoggerFactory.getLogger(Rollups.class);

  private final Map<String, TableRollups> tables = new TreeMap<>();
  private Thread thread;
  private boolean isClosed;
  private boolean hasNews;

  /** Adds a table; the thread starts with the first. */
  public synchronized void add(String name, TableRollups table) {
    tables.put(name, table);
    if (thread == null) {
      thread = Pulse.thread("store-rollups", Duration.ZERO, pulse -> run());
      thread.start();
    }
    wake();
  }

  /** Ends the rollups of a table, which is to be opened anew. */
  public void remove(String name) throws SQLException {
    TableRollups table;
    synchronized (this) {
      table = tables.remove(name);
    }
    if (table != null) {
      table.close();
    }
  }

  /** Rolls up all that is committed, on this thread. */
  public void rollUp() throws SQLException {
    List<TableRollups> all = new ArrayList<>();
    take(all);
    for (TableRollups table : all) {
      table.rollUp();
    }
  }

  /** What keeps rollups from following the rows, a line each table where something does. */
  public synchronized List<String> problems() {
    return tables.values().stream().flatMap(table -> table.problem().stream()).toList();
  }

  /** There may be something to do. */
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

  /** Ends the thread; what it was doing is undone. */
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
