package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u32;

/**
 * Header of a datagram, read without decoding the rest: enough for a collector to detect the
 * protocol and count losses.
 *
 * <p>{@link #version} accepts any bytes; the other methods require a datagram for which it did not
 * return -1. Stateless and thread-safe.
 */
public final class ExportHeader {
  private static final long MICROS = 1_000_000;

  private ExportHeader() {}

  /**
   * Returns 5, 9 or 10 if the bytes begin with a complete header of that version, else -1. The
   * number of records or the length must be plausible.
   */
  public static int version(byte[] bytes, int off, int len) {
    if (len < NetflowLayout.IPFIX_HEADER_LENGTH) {
      return -1;
    }
    int version = u16(bytes, off);
    int count = u16(bytes, off + NetflowLayout.COUNT_OFFSET);
    boolean sound =
        switch (version) {
          case NetflowLayout.VERSION_5 -> len >= NetflowLayout.V5_HEADER_LENGTH && count > 0;
          case NetflowLayout.VERSION_9 -> len >= NetflowLayout.V9_HEADER_LENGTH;
          case NetflowLayout.VERSION_IPFIX -> count >= NetflowLayout.IPFIX_HEADER_LENGTH;
          default -> false;
        };
    return sound ? version : -1;
  }

  /**
   * Whether the bytes are certainly a datagram of one of the versions: the length agrees with the
   * header, and the first set with both. Used for captures of mixed traffic, where the version
   * alone proves nothing.
   */
  public static boolean looksWhole(byte[] bytes, int off, int len) {
    return switch (version(bytes, off, len)) {
      case NetflowLayout.VERSION_5 ->
          len
              == NetflowLayout.V5_HEADER_LENGTH
                  + records(bytes, off) * NetflowLayout.V5_RECORD_LENGTH;
      case NetflowLayout.VERSION_9 -> beginsWithSet(bytes, off, off + len, 0);
      case NetflowLayout.VERSION_IPFIX ->
          u16(bytes, off + NetflowLayout.COUNT_OFFSET) == len
              && beginsWithSet(bytes, off, off + len, 2);
      default -> false;
    };
  }

  /**
   * Whether the bytes are probably a datagram with wrong lengths: the first set or record is
   * complete.
   */
  public static boolean looksBroken(byte[] bytes, int off, int len) {
    return switch (version(bytes, off, len)) {
      case NetflowLayout.VERSION_5 ->
          len >= NetflowLayout.V5_HEADER_LENGTH + NetflowLayout.V5_RECORD_LENGTH
              && records(bytes, off) <= NetflowLayout.V5_MAX_RECORDS;
      case NetflowLayout.VERSION_9 -> beginsWithSet(bytes, off, off + len, 0);
      case NetflowLayout.VERSION_IPFIX -> beginsWithSet(bytes, off, off + len, 2);
      default -> false;
    };
  }

  private static boolean beginsWithSet(byte[] bytes, int off, int end, int templates) {
    int at = off + headerLength(bytes, off);
    if (end - at < NetflowLayout.SET_HEADER_LENGTH) {
      return false;
    }
    int id = u16(bytes, at);
    int length = u16(bytes, at + 2);
    return (id == templates || id == templates + 1 || id >= NetflowLayout.MIN_TEMPLATE_ID)
        && length >= NetflowLayout.SET_HEADER_LENGTH
        && length <= end - at;
  }

  /** Length of the header in bytes. */
  public static int headerLength(byte[] bytes, int off) {
    return switch (u16(bytes, off)) {
      case NetflowLayout.VERSION_5 -> NetflowLayout.V5_HEADER_LENGTH;
      case NetflowLayout.VERSION_9 -> NetflowLayout.V9_HEADER_LENGTH;
      default -> NetflowLayout.IPFIX_HEADER_LENGTH;
    };
  }

  /**
   * The observation domain, 32 bits, unsigned: source id (version 9), observation domain (IPFIX),
   * engine type times 256 plus engine id (version 5).
   */
  public static int observationDomain(byte[] bytes, int off) {
    return switch (u16(bytes, off)) {
      case NetflowLayout.VERSION_5 -> u16(bytes, off + NetflowLayout.V5_ENGINE_OFFSET);
      case NetflowLayout.VERSION_9 -> i32(bytes, off + NetflowLayout.V9_SOURCE_ID_OFFSET);
      default -> i32(bytes, off + NetflowLayout.IPFIX_DOMAIN_OFFSET);
    };
  }

  /**
   * The sequence number, which wraps at 2³². It counts flow records before this datagram (version
   * 5), datagrams (version 9), or data records before this one (IPFIX).
   */
  public static long sequence(byte[] bytes, int off) {
    return switch (u16(bytes, off)) {
      case NetflowLayout.VERSION_5 -> u32(bytes, off + NetflowLayout.V5_SEQUENCE_OFFSET);
      case NetflowLayout.VERSION_9 -> u32(bytes, off + NetflowLayout.V9_SEQUENCE_OFFSET);
      default -> u32(bytes, off + NetflowLayout.IPFIX_SEQUENCE_OFFSET);
    };
  }

  /** Export time by the exporter's clock, microseconds since the epoch. */
  public static long exportTimeMicros(byte[] bytes, int off) {
    int version = u16(bytes, off);
    if (version == NetflowLayout.VERSION_IPFIX) {
      return u32(bytes, off + NetflowLayout.IPFIX_EXPORT_OFFSET) * MICROS;
    }
    long nanos =
        version == NetflowLayout.VERSION_5
            ? u32(bytes, off + NetflowLayout.V5_UNIX_NANOS_OFFSET)
            : 0;
    return u32(bytes, off + NetflowLayout.UNIX_SECONDS_OFFSET) * MICROS + nanos / 1000;
  }

  /** Milliseconds since the exporter started, wrapping at 2³²; 0 for IPFIX, which has none. */
  public static int uptimeMillis(byte[] bytes, int off) {
    return u16(bytes, off) == NetflowLayout.VERSION_IPFIX
        ? 0
        : i32(bytes, off + NetflowLayout.UPTIME_OFFSET);
  }

  /** Number of records by the header; -1 if the version has none. */
  public static int records(byte[] bytes, int off) {
    return u16(bytes, off) == NetflowLayout.VERSION_5
        ? u16(bytes, off + NetflowLayout.COUNT_OFFSET)
        : -1;
  }
}
