package io.millrace.lab.recovery;

import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.traffic.DatagramSource;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes values into the log at a steady rate of rows, each stamped with the moment at which it was
 * due. A log that does not take them for a while gets them afterwards, with the stamps of when they
 * were due. One thread writes; thread-safe.
 */
public final class PacedLoad implements AutoCloseable {
  /** Values go to the partitions of the log round-robin. */
  static final int ALL_PARTITIONS = -1;

  private static final CollectorConfig COLLECTOR = CollectorConfig.defaults();
  private static final long TICK_NANOS = 2_000_000;
  private static final long RETRY_NANOS = 1_000_000;

  private final LoadValues values;
  private final LogWriter writer;
  private final int partition;
  private final long lingerMicros;
  private final Thread thread = new Thread(this::run, "millrace-load");

  private volatile double rate;
  private volatile boolean isClosed;
  private int valueRows;
  private long valueSince;

  /** Samples of flows, in batches as a collector makes them; not started. */
  public PacedLoad(DatagramSource source, String bootstrapServers, LogConfig log) {
    this(
        new DatagramValues(source, COLLECTOR.maxBatchBytes()),
        new LogWriter(bootstrapServers, FlowsPipeline.TOPIC, log),
        ALL_PARTITIONS,
        COLLECTOR.lingerMicros());
  }

  /**
   * Not started.
   *
   * @param writer is closed with it
   * @param partition to which all values go, or {@link #ALL_PARTITIONS}
   * @param lingerMicros longest time that a row waits for others
   */
  PacedLoad(LoadValues values, LogWriter writer, int partition, long lingerMicros) {
    this.values = values;
    this.writer = writer;
    this.partition = partition;
    this.lingerMicros = lingerMicros;
    thread.setDaemon(true);
  }

  /** Starts it, at the rate that was set. */
  public void start() {
    thread.start();
  }

  /** Rows a second from now on; 0 for none. */
  public void rate(double rowsPerSecond) {
    rate = rowsPerSecond;
  }

  /** Rows that the log has acknowledged. */
  long logged() {
    return writer.counts().acknowledgedRows();
  }

  /** Rows that the log did not acknowledge in time, and may have. */
  long failed() {
    return writer.counts().failedRows();
  }

  /** Ends the load for now; returns when the log has answered for all of it. */
  void pause() {
    rate(0);
    LockSupport.parkNanos(10 * TICK_NANOS); // the last value is on its way by then
    writer.flush();
  }

  /** Adds a value besides; returns when the log has answered for it. */
  void add(byte[] value, int rows) {
    handOver(value, rows);
    writer.flush();
  }

  private void run() {
    double running = 0;
    long startMicros = 0;
    long rows = 0;
    while (!isClosed) {
      long now = OutputWatch.nowMicros();
      double wanted = rate;
      if (wanted != running) {
        running = wanted;
        startMicros = now;
        rows = 0;
      }
      if (running > 0) {
        rows = write(rows, startMicros, now, running);
      }
      if (!values.isEmpty() && (running == 0 || now - valueSince >= lingerMicros)) {
        handOver();
      }
      LockSupport.parkNanos(TICK_NANOS);
    }
  }

  /** All that is due by now. */
  private long write(long before, long startMicros, long now, double running) {
    long rows = before;
    while (!isClosed && rate == running) {
      long due = startMicros + (long) (rows * 1e6 / running);
      if (due > now) {
        break;
      }
      if (values.isEmpty()) {
        valueSince = due;
      }
      int added = values.add(due);
      rows += added;
      valueRows += added;
      if (values.isFull()) {
        handOver();
      }
    }
    return rows;
  }

  private void handOver() {
    handOver(values.take(), valueRows);
    valueRows = 0;
  }

  private void handOver(byte[] value, int rows) {
    while (!writer.offer(partition, value, rows, null) && !isClosed) {
      LockSupport.parkNanos(RETRY_NANOS); // the benchmark waits where a collector drops
    }
  }

  @Override
  public void close() {
    isClosed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    writer.close();
  }
}
