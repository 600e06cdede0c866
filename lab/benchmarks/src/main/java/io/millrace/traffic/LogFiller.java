package io.millrace.traffic;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;

/**
 * Packs datagrams into the values that a collector would append to the log, with their model times
 * as arrival. Not thread-safe.
 */
public final class LogFiller {
  /** UDP port from which the switches send. */
  static final int SOURCE_PORT = 6343;

  private final DatagramSource source;
  private final int batchBytes;
  private final int batchDatagrams;
  private final ExportDatagram datagram = new ExportDatagram();
  private final RawBatch.Writer batch;

  /** Takes a finished value of the log. */
  @FunctionalInterface
  public interface Appender {
    /**
     * Appends the bytes of a {@link RawBatch}, which belong to the receiver from now on.
     *
     * @param value the batch
     * @param timeMicros arrival of its last datagram, microseconds since the epoch
     */
    void append(byte[] value, long timeMicros) throws IOException;
  }

  /**
   * A filler of batches.
   *
   * @param source makes the datagrams
   * @param batchBytes a batch ends with the datagram that makes it so long or longer
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

  /** A filler of batches that end with their {@code datagrams}-th datagram, whatever their size. */
  public static LogFiller byCount(DatagramSource source, int datagrams) {
    return new LogFiller(source, Integer.MAX_VALUE, datagrams, datagrams * 1400);
  }

  /**
   * Appends whole datagrams until at least {@code samples} flow samples are in the log.
   *
   * @param truth counts what was appended
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
