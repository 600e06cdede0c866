package io.millrace.analytics.flowtable;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u8;

import io.millrace.wire.packet.PacketLayout;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.pcap.IpPackets;

/**
 * Headers of a packet; reused for the next. Only {@link #wrap} writes the fields, except {@link
 * #fromClient} and {@link #expectedSequence}. They are public because the hot loop reads most of
 * them for each packet.
 */
public final class Packet {
  /** TCP flag: last segment of a direction. */
  public static final int FIN = 1;

  /** TCP flag: first segment of a direction. */
  public static final int SYN = 2;

  /** TCP flag: rejects or aborts the connection. */
  public static final int RST = 4;

  /** TCP flag: the acknowledgement number is valid. */
  public static final int ACK = 16;

  private static final int UDP = 17;
  private static final int UDP_LITE = 136;
  private static final int UDP_HEADER_LENGTH = 8;
  private static final int TCP_HEADER_LENGTH = 20;
  private static final int PORTS_LENGTH = 4;

  /** Capture time, microseconds since the epoch. */
  public long timeMicros;

  /** Source address, upper half. */
  public long sourceHigh;

  /** Source address, lower half. */
  public long sourceLow;

  /** Destination address, upper half. */
  public long destinationHigh;

  /** Destination address, lower half. */
  public long destinationLow;

  /** IP protocol number. */
  public int protocol;

  /** Source port; 0 for protocols without ports. */
  public int sourcePort;

  /** Destination port; 0 for protocols without ports. */
  public int destinationPort;

  /**
   * Number of packets it represents: more than one for reassembled fragments, 0 for the rest of a
   * packet that was already counted.
   */
  public int packets;

  /** Bytes on the wire from the IP header. */
  public int bytes;

  /** TCP flags; 0 for other protocols. */
  public int flags;

  /** Sequence number of TCP. */
  public int sequence;

  /**
   * Next sequence number after everything sent by this side since the connection was opened, 0 to
   * 2³²−1; {@link Flow#UNKNOWN} if the start was missed. Set by {@link FlowTable#add}.
   */
  public long expectedSequence = Flow.UNKNOWN;

  /** Acknowledgement number of TCP. */
  public int acknowledgement;

  /** Array with the payload. */
  public byte[] buffer = new byte[0];

  /** Offset of the IP header in {@link #buffer}; −1 for reassembled fragments. */
  public int ip;

  /** Offset of the payload in {@link #buffer}. */
  public int payload;

  /** End of the captured payload, exclusive. */
  public int end;

  /** Length of the payload as sent, at least the captured length. */
  public int payloadLength;

  /** Reason of the last rejected packet. */
  public PacketReject reject;

  /** Whether the flow's client sent it; set by {@link FlowTable#add}. */
  public boolean fromClient;

  /**
   * Reads the packet of {@code from}.
   *
   * @return false if its transport header is invalid, see {@link #reject}; such a packet belongs to
   *     no flow
   */
  public boolean wrap(IpPackets from, long micros) {
    timeMicros = micros;
    sourceHigh = from.sourceHigh();
    sourceLow = from.sourceLow();
    destinationHigh = from.destinationHigh();
    destinationLow = from.destinationLow();
    protocol = from.protocol();
    packets = from.packets();
    bytes = from.length();
    buffer = from.bytes();
    ip = from.header();
    payload = from.payload();
    end = from.end();
    int missing = from.missing();
    flags = 0;
    sourcePort = 0;
    destinationPort = 0;
    if (!transport()) {
      return false;
    }
    payloadLength = end - payload + missing;
    return true;
  }

  private boolean transport() {
    if (!PacketLayout.hasPorts(protocol)) {
      return true;
    }
    int left = end - payload;
    if (left < PORTS_LENGTH) {
      reject = PacketReject.CUT_TRANSPORT_HEADER;
      return false;
    }
    int at = payload;
    sourcePort = u16(buffer, at);
    destinationPort = u16(buffer, at + 2);
    if (protocol == PacketLayout.TCP) {
      return tcp(at, left);
    }
    payload = Math.min(end, at + UDP_HEADER_LENGTH);
    if ((protocol == UDP || protocol == UDP_LITE) && left >= UDP_HEADER_LENGTH) {
      int length = u16(buffer, at + 4);
      if (length >= UDP_HEADER_LENGTH && at + length < end) {
        end = at + length; // the rest is padding
      }
    }
    return true;
  }

  private boolean tcp(int at, int left) {
    if (left < TCP_HEADER_LENGTH) {
      payload = end; // only the ports of a first fragment are used
      reject = PacketReject.CUT_TRANSPORT_HEADER;
      return left == PORTS_LENGTH;
    }
    int header = (u8(buffer, at + 12) >>> 4) * 4;
    if (header < TCP_HEADER_LENGTH) {
      reject = PacketReject.BAD_TRANSPORT_HEADER;
      return false;
    }
    sequence = i32(buffer, at + 4);
    acknowledgement = i32(buffer, at + 8);
    flags = u8(buffer, at + 13);
    payload = Math.min(end, at + header);
    return true;
  }

  /** Sequence number of the payload's first byte; a SYN itself takes one number. */
  public int payloadSequence() {
    return (flags & SYN) == 0 ? sequence : sequence + 1;
  }

  /** Whether it is a TCP segment. */
  public boolean isTcp() {
    return protocol == PacketLayout.TCP;
  }
}
