package io.millrace.wire.export;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.netflow.ExportHeader;
import io.millrace.wire.netflow.SequenceMeaning;
import io.millrace.wire.sflow.SflowHeader;

/**
 * Header of an export datagram: protocol, exporter and sequence number. Detects the protocol by
 * content only, so any protocol may arrive at any port: sFlow begins with its version as 32 bits,
 * NetFlow and IPFIX with theirs as 16 bits, so no two protocols begin alike.
 *
 * <p>Reused: {@link #read} moves it to a datagram. Used by one thread.
 */
public final class DatagramHead {
  private ExportProtocol protocol = ExportProtocol.UNKNOWN;
  private byte[] bytes = {};
  private int off;
  private int length;

  /**
   * Moves to a datagram.
   *
   * @return its protocol; {@link ExportProtocol#UNKNOWN} for an unknown or truncated header
   */
  public ExportProtocol read(byte[] bytes, int off, int len) {
    this.bytes = bytes;
    this.off = off;
    length = len;
    protocol =
        SflowHeader.looksLike(bytes, off, len)
            ? ExportProtocol.SFLOW
            : switch (ExportHeader.version(bytes, off, len)) {
              case 5 -> ExportProtocol.NETFLOW5;
              case 9 -> ExportProtocol.NETFLOW9;
              case 10 -> ExportProtocol.IPFIX;
              default -> ExportProtocol.UNKNOWN;
            };
    return protocol;
  }

  /** Whether the bytes are certainly an export datagram; used for captures of mixed traffic. */
  public static boolean looksWhole(byte[] bytes, int off, int len) {
    return SflowHeader.looksLike(bytes, off, len) || ExportHeader.looksWhole(bytes, off, len);
  }

  /** Whether the bytes are probably an export datagram with wrong lengths. */
  public static boolean looksBroken(byte[] bytes, int off, int len) {
    return !looksWhole(bytes, off, len) && ExportHeader.looksBroken(bytes, off, len);
  }

  /** Protocol of the datagram. */
  public ExportProtocol protocol() {
    return protocol;
  }

  /** Upper half of the agent's address in the datagram; null except for sFlow. */
  public long agentHigh() {
    return protocol == ExportProtocol.SFLOW ? SflowHeader.agentHigh(bytes, off) : Addresses.NULL;
  }

  /** Lower half of the agent's address. */
  public long agentLow() {
    return protocol == ExportProtocol.SFLOW ? SflowHeader.agentLow(bytes, off) : Addresses.NULL;
  }

  /**
   * The {@link Channel} of a datagram from this UDP port; {@link Channel#UNKNOWN} for an unknown
   * protocol.
   */
  public long channel(int port) {
    return switch (protocol) {
      case UNKNOWN, GOFLOW2 -> Channel.UNKNOWN;
      case SFLOW -> Channel.of(protocol, 0, SflowHeader.subAgent(bytes, off));
      case NETFLOW5, NETFLOW9, IPFIX ->
          Channel.of(protocol, port, ExportHeader.observationDomain(bytes, off));
    };
  }

  /** The sequence number, 32 bits: of the datagram (sFlow, version 9), or of its first record. */
  public int sequence() {
    return switch (protocol) {
      case UNKNOWN, GOFLOW2 -> 0;
      case SFLOW -> (int) SflowHeader.sequence(bytes, off);
      case NETFLOW5, NETFLOW9, IPFIX -> (int) ExportHeader.sequence(bytes, off);
    };
  }

  /** Counts the records of a version 9 datagram whose lengths are known. */
  public void countRecords(RecordLengths lengths, SequenceMeaning to) {
    lengths.count(bytes, off, length, to);
  }

  /** Whether, by the protocol's specification, {@link #sequence} increases by one per datagram. */
  public boolean countsDatagrams() {
    return protocol == ExportProtocol.SFLOW || protocol == ExportProtocol.NETFLOW9;
  }

  /** Milliseconds since the exporter started, 32 bits, unsigned; 0 for IPFIX, which has none. */
  public int uptimeMillis() {
    return switch (protocol) {
      case UNKNOWN, GOFLOW2 -> 0;
      case SFLOW -> (int) SflowHeader.uptime(bytes, off);
      case NETFLOW5, NETFLOW9, IPFIX -> ExportHeader.uptimeMillis(bytes, off);
    };
  }

  /** Number of records in a NetFlow version 5 datagram, according to its header. */
  public int netflow5Records() {
    return ExportHeader.records(bytes, off);
  }

  /**
   * Export time by the exporter's clock, microseconds since the epoch; 0 for sFlow, which has none.
   */
  public long exportMicros() {
    return switch (protocol) {
      case UNKNOWN, SFLOW, GOFLOW2 -> 0;
      case NETFLOW5, NETFLOW9, IPFIX -> ExportHeader.exportTimeMicros(bytes, off);
    };
  }
}
