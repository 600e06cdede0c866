package io.millrace.bench.recovery;

import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.traffic.DatagramSource;
import io.millrace.traffic.ExportDatagram;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.RawBatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes datagrams into the log at a steady rate, in batches as a collector makes them, each
 * stamped with the moment at which it was due. A log that does not take them for a while gets them
 * afterwards, with the stamps of when they were due. One thread writes; thread-safe.
 */
public final class PacedLoad implements AutoCloseable {
  private static final int SOURCE_PORT = 6343;
  private static final long TICK_NANOS = 2_000_000;
  private static final long RETRY_NANOS = 1_000_000;

  private final DatagramSource source;
  private final LogWriter writer;
  private final int batchBytes;
  private final long lingerMicros;
  private final RawBatch.Writer batch;
  private final ExportDatagram datagram = new ExportDatagram();
  private final Thread thread = new Thread(this::run, "millrace-load");

  /** Samples that were handed to the log or refused by it for now; changed by the thread only. */
  private volatile double rate;

  private volatile boolean isClosed;
  private int batchSamples;
  private long batchSince;

  /** Not started. */
  public PacedLoad(DatagramSource source, String bootstrapServers, LogConfig log) {
    CollectorConfig collector = CollectorConfig.defaults();
    this.source = source;
    this.batchBytes = collector.maxBatchBytes();
    this.lingerMicros = collector.lingerMicros();
    this.batch = new RawBatch.Writer(batchBytes + 2048);
    this.writer = new LogWriter(bootstrapServers, FlowsPipeline.TOPIC, log);
    thread.setDaemon(true);
  }

  /** Starts it, at the rate that was set. */
  public void start() {
    thread.start();
  }

  /** Samples a second from now on; 0 for none. */
  public void rate(double samplesPerSecond) {
    rate = samplesPerSecond;
  }

  /** Samples that the log has acknowledged. */
  long logged() {
    return writer.counts().acknowledgedRows();
  }

  /** Samples that the log did not acknowledge in time, and may have. */
  long failed() {
    return writer.counts().failedRows();
  }

  /** Ends the load for now; returns when the log has answered for all of it. */
  void pause() {
    rate(0);
    LockSupport.parkNanos(10 * TICK_NANOS); // the last batch is on its way by then
    writer.flush();
  }

  private void run() {
    double running = 0;
    long startMicros = 0;
    long samples = 0;
    while (!isClosed) {
      long now = OutputWatch.nowMicros();
      double wanted = rate;
      if (wanted != running) {
        running = wanted;
        startMicros = now;
        samples = 0;
      }
      if (running > 0) {
        samples = write(samples, startMicros, now, running);
      }
      if (batch.count() > 0 && (running == 0 || now - batchSince >= lingerMicros)) {
        handOver();
      }
      LockSupport.parkNanos(TICK_NANOS);
    }
  }

  /** All that is due by now. */
  private long write(long before, long startMicros, long now, double running) {
    long samples = before;
    while (!isClosed && rate == running) {
      long due = startMicros + (long) (samples * 1e6 / running);
      if (due > now) {
        break;
      }
      source.next(datagram);
      if (batch.count() == 0) {
        batchSince = due;
      }
      batch.add(
          due,
          0,
          Addresses.v4Low(source.exporterAddress(datagram.exporter())),
          SOURCE_PORT,
          datagram.bytes(),
          datagram.offset(),
          datagram.length());
      samples += datagram.samples();
      batchSamples += datagram.samples();
      if (batch.length() >= batchBytes) {
        handOver();
      }
    }
    return samples;
  }

  private void handOver() {
    byte[] value = batch.toBytes();
    while (!writer.offer(null, value, batchSamples) && !isClosed) {
      LockSupport.parkNanos(RETRY_NANOS); // the benchmark waits where a collector drops
    }
    batch.clear();
    batchSamples = 0;
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
