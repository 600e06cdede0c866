package io.millrace.wire.export;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u32;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.sflow.SflowHeader;

/**
 * The head of an export datagram: protocol, who counts, and where the count stands. Recognises the
 * protocol by its content alone, so that any may come to any port.
 *
 * <p>sFlow begins with its version as 32 bits, the others with theirs as 16 bits, so that no two
 * begin alike. NetFlow version 5 tells its length by its count of records, IPFIX by a field; bytes
 * that contradict them are of no protocol. A cursor that is moved by {@link #read}; used by one
 * thread.
 *
 * <pre>
 *            0         2        4         8         12         16         20         24
 *   v5       | 5       | count  | uptime  | seconds | nanos    | sequence | engine   |
 *   v9       | 9       | count  | uptime  | seconds | sequence | source   |
 *   IPFIX    | 10      | length | seconds | sequence| domain   |
 * </pre>
 */
public final class DatagramHead {
  /** Bytes in front of a NetFlow version 5 datagram's records. */
  public static final int NETFLOW5_LENGTH = 24;

  /** Bytes of a NetFlow version 5 record. */
  public static final int NETFLOW5_RECORD_LENGTH = 48;

  /** Bytes in front of a NetFlow version 9 datagram's first set. */
  public static final int NETFLOW9_LENGTH = 20;

  /** Bytes in front of an IPFIX message's first set. */
  public static final int IPFIX_LENGTH = 16;

  /** Bytes in front of a set: number and length. */
  public static final int SET_HEADER_LENGTH = 4;

  /** Sets from this number on hold data. */
  public static final int FIRST_DATA_SET = 256;

  /** More records no exporter puts into a NetFlow version 5 datagram; a few put up to 255. */
  private static final int MAX_NETFLOW5_RECORDS = 255;

  private ExportProtocol protocol = ExportProtocol.UNKNOWN;
  private byte[] bytes = {};
  private int off;

  /**
   * Moves to a datagram.
   *
   * @return its protocol; {@link ExportProtocol#UNKNOWN} where the head is that of none or cut off
   */
  public ExportProtocol read(byte[] bytes, int off, int len) {
    this.bytes = bytes;
    this.off = off;
    protocol = recognise(bytes, off, len);
    return protocol;
  }

  private static ExportProtocol recognise(byte[] bytes, int off, int len) {
    if (len < IPFIX_LENGTH) {
      return ExportProtocol.UNKNOWN;
    }
    switch (u16(bytes, off)) {
      case 0 -> {
        return SflowHeader.looksLike(bytes, off, len)
            ? ExportProtocol.SFLOW
            : ExportProtocol.UNKNOWN;
      }
      case 5 -> {
        int count = u16(bytes, off + 2);
        return len >= NETFLOW5_LENGTH && count <= MAX_NETFLOW5_RECORDS
            ? ExportProtocol.NETFLOW5
            : ExportProtocol.UNKNOWN;
      }
      case 9 -> {
        return len >= NETFLOW9_LENGTH ? ExportProtocol.NETFLOW9 : ExportProtocol.UNKNOWN;
      }
      case 10 -> {
        return u16(bytes, off + 2) >= IPFIX_LENGTH ? ExportProtocol.IPFIX : ExportProtocol.UNKNOWN;
      }
      default -> {
        return ExportProtocol.UNKNOWN;
      }
    }
  }

  /**
   * Whether the bytes are an export datagram beyond doubt: length and first set agree with the head
   * too. For looking through traffic of all kinds, where two bytes prove nothing.
   */
  public static boolean looksWhole(byte[] bytes, int off, int len) {
    return switch (recognise(bytes, off, len)) {
      case UNKNOWN -> false;
      case SFLOW -> true;
      case NETFLOW5 -> len == NETFLOW5_LENGTH + u16(bytes, off + 2) * NETFLOW5_RECORD_LENGTH;
      case NETFLOW9 -> isSet(bytes, off + NETFLOW9_LENGTH, off + len, 0);
      case IPFIX -> u16(bytes, off + 2) == len && isSet(bytes, off + IPFIX_LENGTH, off + len, 2);
    };
  }

  private static boolean isSet(byte[] bytes, int at, int end, int templates) {
    if (end - at < SET_HEADER_LENGTH) {
      return false;
    }
    int id = u16(bytes, at);
    int length = u16(bytes, at + 2);
    return (id == templates || id == templates + 1 || id >= FIRST_DATA_SET)
        && length >= SET_HEADER_LENGTH
        && length <= end - at;
  }

  /** Protocol of the datagram. */
  public ExportProtocol protocol() {
    return protocol;
  }

  /** Upper half of the address by which the datagram names its agent; null but for sFlow. */
  public long agentHigh() {
    return protocol == ExportProtocol.SFLOW ? SflowHeader.agentHigh(bytes, off) : Addresses.NULL;
  }

  /** Lower half of the agent's address. */
  public long agentLow() {
    return protocol == ExportProtocol.SFLOW ? SflowHeader.agentLow(bytes, off) : Addresses.NULL;
  }

  /**
   * The {@link Channel} of a datagram that came from this UDP port; {@link Channel#UNKNOWN} where
   * the protocol is.
   */
  public long channel(int port) {
    return protocol == ExportProtocol.UNKNOWN
        ? Channel.UNKNOWN
        : Channel.of(protocol, protocol == ExportProtocol.SFLOW ? 0 : port, part());
  }

  /** Sub-agent, engine (type and id), source id or observation domain: 32 bits, unsigned. */
  public int part() {
    return switch (protocol) {
      case UNKNOWN -> 0;
      case SFLOW -> SflowHeader.subAgent(bytes, off);
      case NETFLOW5 -> u16(bytes, off + 20);
      case NETFLOW9 -> i32(bytes, off + 16);
      case IPFIX -> i32(bytes, off + 12);
    };
  }

  /** The datagram's number, 32 bits: of itself (sFlow, version 9), or of its first record. */
  public int sequence() {
    return switch (protocol) {
      case UNKNOWN -> 0;
      case SFLOW -> (int) SflowHeader.sequence(bytes, off);
      case NETFLOW5 -> i32(bytes, off + 16);
      case NETFLOW9 -> i32(bytes, off + 12);
      case IPFIX -> i32(bytes, off + 8);
    };
  }

  /** Whether {@link #sequence} rises by one for each datagram. */
  public boolean countsDatagrams() {
    return protocol == ExportProtocol.SFLOW || protocol == ExportProtocol.NETFLOW9;
  }

  /** Milliseconds since the exporter started, 32 bits, unsigned; 0 for IPFIX, which has none. */
  public int uptimeMillis() {
    return switch (protocol) {
      case UNKNOWN, IPFIX -> 0;
      case SFLOW -> (int) SflowHeader.uptime(bytes, off);
      case NETFLOW5, NETFLOW9 -> i32(bytes, off + 4);
    };
  }

  /** Records that a NetFlow version 5 datagram announces. */
  public int netflow5Records() {
    return u16(bytes, off + 2);
  }

  /**
   * When the exporter sent the datagram by its own clock, microseconds since the epoch; 0 for
   * sFlow, which does not tell.
   */
  public long exportMicros() {
    return switch (protocol) {
      case UNKNOWN, SFLOW -> 0;
      case NETFLOW5 -> u32(bytes, off + 8) * 1_000_000 + u32(bytes, off + 12) / 1_000;
      case NETFLOW9 -> u32(bytes, off + 8) * 1_000_000;
      case IPFIX -> u32(bytes, off + 4) * 1_000_000;
    };
  }
}
