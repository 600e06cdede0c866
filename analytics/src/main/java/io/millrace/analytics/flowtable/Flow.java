package io.millrace.analytics.flowtable;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;

/**
 * Packets between two endpoints, in both directions. The client is the side that opened the flow.
 * Reports cover the time since the previous report. Not thread-safe; owned by its {@link
 * FlowTable}.
 */
public class Flow {
  /** State of a TCP connection. */
  public enum TcpState {
    /** Not TCP. */
    NONE,
    /** Packets of a connection whose start was missed. */
    MIDDLE,
    /** The client has sent SYN. */
    SYN_SENT,
    /** The server has acknowledged the SYN. */
    SYN_RECEIVED,
    /** The handshake is complete. */
    ESTABLISHED,
    /** One side has sent FIN. */
    CLOSING,
    /** Both sides have sent FIN, or one has sent RST. */
    CLOSED // checkpoints contain the ordinal
  }

  private static final TcpState[] TCP_STATES = TcpState.values();

  /** Unknown round-trip time. */
  public static final long UNKNOWN = -1;

  long clientHigh;
  long clientLow;
  long serverHigh;
  long serverLow;
  int protocol;
  int clientPort;
  int serverPort;

  long firstMicros;
  long lastMicros;
  long clientPackets;
  long serverPackets;
  long clientBytes;
  long serverBytes;
  int retransmissions;

  TcpState tcpState = TcpState.NONE;
  long synMicros = UNKNOWN;
  long roundTripMicros = UNKNOWN;
  private int clientNext;
  private int serverNext;
  private boolean clientBegun;
  private boolean serverBegun;
  private boolean clientEnded;
  private boolean serverEnded;

  // Links of the table's lists.
  Flow nextInBucket;
  Flow older;
  Flow newer;
  int hash;
  FlowQueue queue;

  /** Creates a flow without a table. */
  protected Flow() {}

  final void begin(Packet packet, boolean fromClient, int hashOfKey) {
    hash = hashOfKey;
    clientHigh = fromClient ? packet.sourceHigh : packet.destinationHigh;
    clientLow = fromClient ? packet.sourceLow : packet.destinationLow;
    serverHigh = fromClient ? packet.destinationHigh : packet.sourceHigh;
    serverLow = fromClient ? packet.destinationLow : packet.sourceLow;
    clientPort = fromClient ? packet.sourcePort : packet.destinationPort;
    serverPort = fromClient ? packet.destinationPort : packet.sourcePort;
    protocol = packet.protocol;
    firstMicros = packet.timeMicros;
    lastMicros = packet.timeMicros;
    tcpState = packet.isTcp() ? TcpState.MIDDLE : TcpState.NONE;
  }

  final boolean matches(Packet packet, int hashOfKey) {
    if (hash != hashOfKey || protocol != packet.protocol) {
      return false;
    }
    if (packet.sourceLow == clientLow
        && packet.destinationLow == serverLow
        && packet.sourcePort == clientPort
        && packet.destinationPort == serverPort
        && packet.sourceHigh == clientHigh
        && packet.destinationHigh == serverHigh) {
      packet.fromClient = true;
      return true;
    }
    if (packet.sourceLow == serverLow
        && packet.destinationLow == clientLow
        && packet.sourcePort == serverPort
        && packet.destinationPort == clientPort
        && packet.sourceHigh == serverHigh
        && packet.destinationHigh == clientHigh) {
      packet.fromClient = false;
      return true;
    }
    return false;
  }

  final void count(Packet packet) {
    lastMicros = Math.max(lastMicros, packet.timeMicros);
    if (packet.fromClient) {
      clientPackets += packet.packets;
      clientBytes += packet.bytes;
    } else {
      serverPackets += packet.packets;
      serverBytes += packet.bytes;
    }
    if (packet.packets == 0) {
      packet.expectedSequence = UNKNOWN; // only the rest of a packet
    } else if (tcpState != TcpState.NONE) {
      tcp(packet);
    }
  }

  private void tcp(Packet packet) {
    int flags = packet.flags;
    boolean hasBegun = packet.fromClient ? clientBegun : serverBegun;
    packet.expectedSequence =
        hasBegun && tcpState != TcpState.MIDDLE
            ? Integer.toUnsignedLong(packet.fromClient ? clientNext : serverNext)
            : UNKNOWN;
    boolean isSyn = (flags & Packet.SYN) != 0;
    boolean isFin = (flags & Packet.FIN) != 0;
    int units = packet.payloadLength + (isSyn ? 1 : 0) + (isFin ? 1 : 0);
    int end = packet.sequence + units;
    if (packet.fromClient) {
      if (clientBegun && isRepeated(packet, end, clientNext, units)) {
        retransmissions++;
      } else if (units > 0 || !clientBegun) {
        clientNext = end;
        clientBegun = true;
      }
      clientEnded |= isFin;
    } else {
      if (serverBegun && isRepeated(packet, end, serverNext, units)) {
        retransmissions++;
      } else if (units > 0 || !serverBegun) {
        serverNext = end;
        serverBegun = true;
      }
      serverEnded |= isFin;
    }
    if ((flags & Packet.RST) != 0 || (clientEnded && serverEnded)) {
      tcpState = TcpState.CLOSED;
    } else if (isFin) {
      tcpState = TcpState.CLOSING;
    } else if (isSyn) {
      if ((flags & Packet.ACK) == 0) {
        tcpState = TcpState.SYN_SENT;
        synMicros = packet.timeMicros;
      } else if (tcpState == TcpState.SYN_SENT || tcpState == TcpState.MIDDLE) {
        tcpState = TcpState.SYN_RECEIVED;
      }
    } else if (tcpState == TcpState.SYN_RECEIVED
        && packet.fromClient
        && (flags & Packet.ACK) != 0) {
      tcpState = TcpState.ESTABLISHED;
      if (synMicros != UNKNOWN) {
        roundTripMicros = Math.max(0, packet.timeMicros - synMicros);
      }
    }
  }

  /**
   * Whether a packet has no new bytes, except for keep-alive probes, which repeat at most one byte.
   */
  private static boolean isRepeated(Packet packet, int end, int next, int units) {
    boolean isProbe = packet.payloadLength <= 1 && end - next <= 0 && next - end <= 1;
    return units > 0
        && end - next <= 0
        && !(isProbe && (packet.flags & (Packet.SYN | Packet.FIN)) == 0);
  }

  /** Appends its content, for a checkpoint; {@link #read} restores it. */
  protected void write(BlockBuffer out) {
    out.putLong(clientHigh);
    out.putLong(clientLow);
    out.putLong(serverHigh);
    out.putLong(serverLow);
    out.putShort(clientPort);
    out.putShort(serverPort);
    out.putByte(protocol);
    out.putByte(tcpState.ordinal());
    out.putLong(firstMicros);
    out.putLong(lastMicros);
    out.putLong(clientPackets);
    out.putLong(serverPackets);
    out.putLong(clientBytes);
    out.putLong(serverBytes);
    out.putInt(retransmissions);
    out.putLong(synMicros);
    out.putLong(roundTripMicros);
    out.putInt(clientNext);
    out.putInt(serverNext);
    out.putByte(
        (clientBegun ? 1 : 0)
            | (serverBegun ? 2 : 0)
            | (clientEnded ? 4 : 0)
            | (serverEnded ? 8 : 0));
  }

  /** Restores the bytes of {@link #write}. */
  protected void read(BlockInput in) {
    clientHigh = in.takeLong();
    clientLow = in.takeLong();
    serverHigh = in.takeLong();
    serverLow = in.takeLong();
    clientPort = in.takeShort();
    serverPort = in.takeShort();
    protocol = in.takeByte();
    tcpState = TCP_STATES[in.takeByte()];
    firstMicros = in.takeLong();
    lastMicros = in.takeLong();
    clientPackets = in.takeLong();
    serverPackets = in.takeLong();
    clientBytes = in.takeLong();
    serverBytes = in.takeLong();
    retransmissions = in.takeInt();
    synMicros = in.takeLong();
    roundTripMicros = in.takeLong();
    clientNext = in.takeInt();
    serverNext = in.takeInt();
    int flags = in.takeByte();
    clientBegun = (flags & 1) != 0;
    serverBegun = (flags & 2) != 0;
    clientEnded = (flags & 4) != 0;
    serverEnded = (flags & 8) != 0;
  }

  /** Resets the flow to a new one, without a table. */
  protected void clear() {
    resetReport();
    synMicros = UNKNOWN;
    clientNext = 0;
    serverNext = 0;
    clientBegun = false;
    serverBegun = false;
    clientEnded = false;
    serverEnded = false;
  }

  void resetReport() {
    firstMicros = lastMicros;
    clientPackets = 0;
    serverPackets = 0;
    clientBytes = 0;
    serverBytes = 0;
    retransmissions = 0;
    roundTripMicros = UNKNOWN;
  }

  /** Upper half of the client's address. */
  public final long clientHigh() {
    return clientHigh;
  }

  /** Lower half of the client's address. */
  public final long clientLow() {
    return clientLow;
  }

  /** Upper half of the server's address. */
  public final long serverHigh() {
    return serverHigh;
  }

  /** Lower half of the server's address. */
  public final long serverLow() {
    return serverLow;
  }

  /** IP protocol number. */
  public final int protocol() {
    return protocol;
  }

  /** The client's port; 0 for protocols without ports. */
  public final int clientPort() {
    return clientPort;
  }

  /** The server's port; 0 for protocols without ports. */
  public final int serverPort() {
    return serverPort;
  }

  /** Time of its first packet, microseconds since the epoch. */
  public final long firstMicros() {
    return firstMicros;
  }

  /** Time of its last packet, microseconds since the epoch. */
  public final long lastMicros() {
    return lastMicros;
  }

  /** Packets sent by the client. */
  public final long clientPackets() {
    return clientPackets;
  }

  /** Packets sent by the server. */
  public final long serverPackets() {
    return serverPackets;
  }

  /** Bytes sent by the server, IP headers included. */
  public final long serverBytes() {
    return serverBytes;
  }

  /** Packets of both directions. */
  public final long packets() {
    return clientPackets + serverPackets;
  }

  /** Bytes of both directions, IP headers included. */
  public final long bytes() {
    return clientBytes + serverBytes;
  }

  /** TCP segments that were retransmitted or arrived out of order. */
  public final int retransmissions() {
    return retransmissions;
  }

  /** State of the connection. */
  public final TcpState tcpState() {
    return tcpState;
  }

  /**
   * Microseconds from the client's SYN to its acknowledgement of the server's; may be {@link
   * #UNKNOWN}.
   */
  public final long roundTripMicros() {
    return roundTripMicros;
  }

  /** Whether the initial SYN was captured. */
  public final boolean isBeginSeen() {
    return synMicros != UNKNOWN;
  }
}
