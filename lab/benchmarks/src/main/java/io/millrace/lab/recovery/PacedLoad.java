package io.millrace.lab.recovery;

import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.traffic.DatagramSource;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes values into the log at a constant rate of rows, stamped with the times at which they were
 * due. If the log stalls, delayed rows follow with their original timestamps. One thread writes;
 * thread-safe.
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

  /** Creates a load of flow samples, in batches like a collector's; does not start it. */
  public PacedLoad(DatagramSource source, String bootstrapServers, LogConfig log) {
    this(
        new DatagramValues(source, COLLECTOR.maxBatchBytes()),
        new LogWriter(bootstrapServers, FlowsPipeline.TOPIC, log),
        ALL_PARTITIONS,
        COLLECTOR.lingerMicros());
  }

  /**
   * Creates a load; does not start it.
   *
   * @param writer closed with this object
   * @param partition partition for all values, or {@link #ALL_PARTITIONS}
   * @param lingerMicros maximum time that a row waits in a batch
   */
  PacedLoad(LoadValues values, LogWriter writer, int partition, long lingerMicros) {
    this.values = values;
    this.writer = writer;
    this.partition = partition;
    this.lingerMicros = lingerMicros;
    thread.setDaemon(true);
  }

  /** Starts the load at the current rate. */
  public void start() {
    thread.start();
  }

  /** Sets the rate; 0 pauses the load. */
  public void rate(double rowsPerSecond) {
    rate = rowsPerSecond;
  }

  /** Rows that the log has acknowledged. */
  long logged() {
    return writer.counts().acknowledgedRows();
  }

  /** Rows that the log did not acknowledge in time, but may have stored. */
  long failed() {
    return writer.counts().failedRows();
  }

  /** Pauses the load; returns when the log has acknowledged or failed all of it. */
  void pause() {
    rate(0);
    LockSupport.parkNanos(10 * TICK_NANOS); // by then the last value is in the writer
    writer.flush();
  }

  /** Writes an additional value; returns when the log has acknowledged or failed it. */
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

  /** Writes all rows that are due. */
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
