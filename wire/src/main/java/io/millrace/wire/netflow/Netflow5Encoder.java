package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.put16;
import static io.millrace.wire.packet.BigEndian.put32;

import io.millrace.wire.block.FlowBlock;

/**
 * Writer of version 5 datagrams into a reused array. The format has IPv4 addresses, ports,
 * protocol, counters up to 2³²−1, flags (eight bits), type of service, interfaces and AS numbers up
 * to 65,535, masks, next hop and times in milliseconds. Not thread-safe.
 */
public final class Netflow5Encoder {
  private static final ExportTemplate RECORD = ExportTemplate.version5();

  private final byte[] bytes =
      new byte
          [NetflowLayout.V5_HEADER_LENGTH
              + NetflowLayout.V5_MAX_RECORDS * NetflowLayout.V5_RECORD_LENGTH];

  /**
   * Writes a datagram of the rows from {@code from} to {@code to}, and returns its length.
   *
   * @param engine type times 256 plus id
   * @param sequence number of records sent before this datagram
   * @param exportMicros export time, microseconds since the epoch
   * @param uptimeMillis since the exporter started
   * @param sampling mode (2 bits) and interval (14 bits); 0: unspecified
   * @param rows the rows
   * @param from first row
   * @param to end, exclusive; throws {@code IllegalArgumentException} for none or more than 30
   */
  public int encode(
      int engine,
      int sequence,
      long exportMicros,
      int uptimeMillis,
      int sampling,
      FlowBlock rows,
      int from,
      int to) {
    int records = to - from;
    if (records < 1 || records > NetflowLayout.V5_MAX_RECORDS) {
      throw new IllegalArgumentException(
          "netflow: " + records + " records, expected 1 to " + NetflowLayout.V5_MAX_RECORDS);
    }
    byte[] b = bytes;
    put16(b, 0, NetflowLayout.VERSION_5);
    put16(b, NetflowLayout.COUNT_OFFSET, records);
    put32(b, NetflowLayout.UPTIME_OFFSET, uptimeMillis);
    put32(b, NetflowLayout.UNIX_SECONDS_OFFSET, (int) (exportMicros / 1_000_000));
    put32(b, NetflowLayout.V5_UNIX_NANOS_OFFSET, (int) (exportMicros % 1_000_000) * 1000);
    put32(b, NetflowLayout.V5_SEQUENCE_OFFSET, sequence);
    put16(b, NetflowLayout.V5_ENGINE_OFFSET, engine);
    put16(b, NetflowLayout.V5_SAMPLING_OFFSET, sampling);
    int at = NetflowLayout.V5_HEADER_LENGTH;
    RecordWriter.write(RECORD, rows, from, to, b, at, exportMicros, uptimeMillis);
    return at + records * NetflowLayout.V5_RECORD_LENGTH;
  }

  /** Array with the datagram at index 0. */
  public byte[] bytes() {
    return bytes;
  }
}
