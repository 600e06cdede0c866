package io.millrace.traffic;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;

/**
 * Packs datagrams into the values that a collector would append to the log, with their model time
 * as arrival time. Not thread-safe.
 */
public final class LogFiller {
  /** UDP source port of the switches. */
  static final int SOURCE_PORT = 6343;

  private final DatagramSource source;
  private final int batchBytes;
  private final int batchDatagrams;
  private final ExportDatagram datagram = new ExportDatagram();
  private final RawBatch.Writer batch;

  /** Receiver of values of the log. */
  @FunctionalInterface
  public interface Appender {
    /**
     * Appends the bytes of a {@link RawBatch}, which then belong to the receiver.
     *
     * @param value the batch
     * @param timeMicros arrival of its last datagram, microseconds since the epoch
     */
    void append(byte[] value, long timeMicros) throws IOException;
  }

  /**
   * Creates a filler of batches by size.
   *
   * @param source source of the datagrams
   * @param batchBytes size that ends a batch; the last datagram may exceed it
   */
  public LogFiller(DatagramSource source, int batchBytes) {
    this(source, batchBytes, Integer.MAX_VALUE, batchBytes + 2048);
  }

  private LogFiller(DatagramSource source, int batchBytes, int batchDatagrams, int capacity) {
    this.source = source;
    this.batchBytes = batchBytes;
    this.batchDatagrams = batchDatagrams;
    batch = new RawBatch.Writer(capacity);
  }

  /** Creates a filler of batches of {@code datagrams} datagrams, whatever their size. */
  public static LogFiller byCount(DatagramSource source, int datagrams) {
    return new LogFiller(source, Integer.MAX_VALUE, datagrams, datagrams * 1400);
  }

  /**
   * Appends whole datagrams until at least {@code samples} more flow samples are in the log.
   *
   * @param truth counts the appended samples
   */
  public void fill(long samples, Appender log, TruthCounter truth) throws IOException {
    long end = truth.samples() + samples;
    while (truth.samples() < end) {
      source.next(datagram);
      batch.add(
          datagram.timeMicros,
          0,
          Addresses.v4Low(source.exporterAddress(datagram.exporter)),
          SOURCE_PORT,
          datagram.bytes,
          datagram.offset,
          datagram.length);
      truth.add(datagram);
      if (batch.length() >= batchBytes
          || batch.count() >= batchDatagrams
          || truth.samples() >= end) {
        log.append(batch.toBytes(), datagram.timeMicros);
        batch.clear();
      }
    }
  }
}
