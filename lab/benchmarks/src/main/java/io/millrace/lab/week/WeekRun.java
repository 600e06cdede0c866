package io.millrace.lab.week;

import io.millrace.lab.harness.ResidentMemory;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.topn.WeekOfFlows;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.RetentionConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A week of flows at increased speed. One thread writes rows when they are due, with a checkpoint
 * every second; another measures the age of the newest visible row; a third one queries. The store
 * keeps a day of rows, a day of minutes, two days of five minutes and three days of hours.
 */
final class WeekRun implements AutoCloseable {
  private static final Duration DAY = Duration.ofDays(1);
  private static final long DAY_MICROS = TimeUnit.DAYS.toMicros(1);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long CHECKPOINT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MEMORY_BYTES = 512L << 20;

  private final DuckDbStore store;
  private final FlowTable table;
  private final WeekOfFlows flows;
  private final long rows;
  private final long lengthNanos;
  private final long startMicros;
  private final Day.Samples fresh = new Day.Samples();
  private final Day.Samples queries = new Day.Samples();
  private final Day.Samples appends = new Day.Samples();
  private final List<Thread> threads;
  private long startNanos;
  private volatile long storeBytes;
  private volatile long usedBytes;
  private volatile Exception failure;
  private volatile boolean isClosed;

  WeekRun(Path directory, long rows, int seconds) {
    this.rows = rows;
    lengthNanos = TimeUnit.SECONDS.toNanos(seconds);
    // The week ends now, so that no row is in the future.
    startMicros =
        TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) - WeekOfFlows.WEEK_MICROS;
    flows = new WeekOfFlows(rows, startMicros);
    store =
        new DuckDbStore(
            directory,
            StoreConfig.defaults()
                .withMemoryBytes(MEMORY_BYTES)
                .withRetention(new RetentionConfig(DAY, 0)),
            RollupConfig.DEFAULT.withRetention(
                new RollupConfig.Retention(DAY, DAY.multipliedBy(2), DAY.multipliedBy(3))));
    table = store.table(Store.FLOWS, WeekOfFlows.SCHEMA);
    threads =
        List.of(
            thread("week-writer", this::write),
            thread("week-watch", this::watch),
            thread("week-client", this::ask));
  }

  private interface Work {
    void run() throws Exception;
  }

  private Thread thread(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (Exception e) {
                if (!isClosed) {
                  failure = e;
                }
              }
            },
            name);
    thread.setDaemon(true);
    return thread;
  }

  void start() {
    startNanos = System.nanoTime();
    threads.forEach(Thread::start);
  }

  /** Returns when a row of a time is due, as {@link System#nanoTime}. */
  private long due(long micros) {
    return startNanos
        + (long) ((double) (micros - startMicros) / WeekOfFlows.WEEK_MICROS * lengthNanos);
  }

  private void write() {
    long offset = 0;
    long checkpointAt = System.nanoTime();
    long step = WeekOfFlows.WEEK_MICROS / rows;
    int block = (int) Math.max(1, Math.min(WeekOfFlows.BLOCK, rows / 10_000));
    try (FlowWriter writer = table.writer()) {
      for (long first = 0; first < rows && !isClosed; first += block) {
        int count = (int) Math.min(block, rows - first);
        long wait = due(startMicros + (first + count) * step) - System.nanoTime();
        if (wait > 0) {
          LockSupport.parkNanos(wait);
        }
        long start = System.nanoTime();
        writer.append(flows.block(first, count, offset++));
        appends.add((System.nanoTime() - start) / 1e6);
        if (System.nanoTime() - checkpointAt > CHECKPOINT_NANOS) {
          writer.flush();
          table.committed(new Frontier(Map.of(0, offset)));
          checkpointAt = System.nanoTime();
        }
      }
      writer.flush();
      table.committed(new Frontier(Map.of(0, offset)));
    }
  }

  private void watch() {
    while (!isClosed) {
      LockSupport.parkNanos(LOOK_NANOS);
      long newest = table.newestMicros();
      if (newest != Long.MIN_VALUE && threads.get(0).isAlive()) {
        fresh.add(Math.max(0, (System.nanoTime() - due(newest)) / 1e6));
      }
      storeBytes = Math.max(storeBytes, store.diskBytes());
      usedBytes = Math.max(usedBytes, ResidentMemory.bytes());
    }
  }

  private void ask() {
    Client client = new Client(store, queries);
    while (!isClosed) {
      LockSupport.parkNanos(ASK_NANOS);
      client.ask();
    }
  }

  Day awaitDay(int number) throws Exception {
    long end = due(startMicros + number * DAY_MICROS);
    while (System.nanoTime() < end && failure == null) {
      LockSupport.parkNanos(Math.min(LOOK_NANOS * 10, end - System.nanoTime()));
    }
    if (failure != null) {
      throw failure;
    }
    Day day =
        new Day(
            number,
            storeBytes,
            usedBytes,
            fresh.median(),
            fresh.worst(),
            queries.median(),
            queries.worst(),
            appends.worst());
    fresh.clear();
    queries.clear();
    appends.clear();
    storeBytes = 0;
    usedBytes = 0;
    return day;
  }

  /** Checks that remaining and deleted rows add up to all rows, and that some rows were deleted. */
  void check() throws Exception {
    threads.get(0).join();
    long left = table.rows();
    long removed = table.retention().rows();
    if (left + removed != rows) {
      throw new WrongResultException(
          "expected " + rows + " rows, got " + left + " remaining and " + removed + " deleted");
    }
    if (removed == 0) {
      throw new WrongResultException("no row was deleted");
    }
  }

  @Override
  public void close() throws InterruptedException {
    isClosed = true;
    for (Thread thread : threads) {
      thread.join();
    }
    store.close();
  }
}
