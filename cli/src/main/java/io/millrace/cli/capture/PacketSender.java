package io.millrace.cli.capture;

import io.millrace.cli.console.Progress;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.traffic.SendClock;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.pcap.CaptureReader;
import io.millrace.wire.pcap.PacketBlocks;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes the packets of captures to the log, paced by their timestamps. Send times are absolute, so
 * a late block does not delay the next. Waits while the log is busy. Used by one thread.
 */
public final class PacketSender implements AutoCloseable {
  private static final int BLOCK_BYTES = 256 << 10;

  /** With pacing, packets within this time are sent together. */
  private static final long PACED_MICROS = 20_000;

  private static final long RETRY_NANOS = 1_000_000;

  private final LogWriter log;
  private final double speed;
  private final SendClock clock;

  /** All packets go to one partition, which keeps the packets of a flow in order. */
  private final int partition;

  private long firstMicros;
  private long startNanos;
  private long packets;
  private long bytes;

  /**
   * Creates a sender.
   *
   * @param bootstrap bootstrap servers of the log
   * @param speed multiple of the capture's pace; infinite for no pacing
   */
  public PacketSender(String bootstrap, double speed) {
    this.speed = speed;
    clock = SendClock.SYSTEM;
    log = new LogWriter(bootstrap, CountPipeline.TOPIC, LogConfig.defaults());
    partition = ThreadLocalRandom.current().nextInt(log.partitions());
  }

  /** Sends the packets of a capture; stops at the first damage. */
  public void send(Path file, Progress progress) throws IOException {
    long size = Files.size(file);
    long read = 0;
    long mostMicros = Double.isInfinite(speed) ? Long.MAX_VALUE : PACED_MICROS;
    try (InputStream in = Files.newInputStream(file)) {
      PacketBlocks blocks = new PacketBlocks(CaptureReader.open(in), BLOCK_BYTES, mostMicros);
      boolean isFirst = true;
      for (PacketBlock block = blocks.next(); block != null; block = blocks.next()) {
        if (isFirst) {
          isFirst = false;
          firstMicros = block.time(0);
          startNanos = clock.nanoTime();
        }
        await(block.time(0));
        write(block);
        read += block.length();
        progress.update(packets, Math.min(read, size), size);
      }
    }
  }

  private void await(long micros) {
    long due = startNanos + (long) ((micros - firstMicros) * 1_000L / speed);
    for (long left = due - clock.nanoTime(); left > 0; left = due - clock.nanoTime()) {
      clock.sleepNanos(left);
    }
  }

  private void write(PacketBlock block) {
    while (!log.offer(partition, block.bytes(), block.rows(), null)) {
      LockSupport.parkNanos(RETRY_NANOS);
    }
    packets += block.rows();
    bytes += block.wireBytes();
  }

  /**
   * Waits until the log has acknowledged all packets.
   *
   * @throws IOException if a packet was not acknowledged in time
   */
  public void finish() throws IOException {
    log.flush();
    long failed = log.counts().failedRows();
    if (failed > 0) {
      throw new IOException(failed + " packets did not reach the log: " + log.lastFailure());
    }
  }

  long packets() {
    return packets;
  }

  long bytes() {
    return bytes;
  }

  @Override
  public void close() {
    log.close();
  }
}
