package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.u8;

/**
 * A message of GTP's control plane: which tunnels are made, moved or taken down, and whose they
 * are. {@link GtpVersion1} reads PDP contexts, {@link GtpVersion2} sessions with bearers.
 *
 * <p>A view that its owner moves from message to message. What a message does not tell is null, or
 * −1. Never throws, never reads outside the bytes given; an element that does not fit ends the
 * message. Not thread-safe.
 */
public final class GtpControl extends GtpMessage {
  /** What a message is about. */
  public enum Kind {
    /** Asks for a PDP context or session; names subscriber and place, and the asker's tunnels. */
    CREATE_REQUEST,
    /** The answer, with the answerer's tunnels. */
    CREATE_RESPONSE,
    /**
     * Tells other tunnels or another place: of a PDP context, or of a bearer, also of a new one.
     */
    UPDATE_REQUEST,
    /** The answer. */
    UPDATE_RESPONSE,
    /** Takes down a PDP context or session; of a bearer only where the session goes with it. */
    DELETE_REQUEST,
    /** The answer. */
    DELETE_RESPONSE
  }

  /** UDP port of the control plane. */
  public static final int PORT = 2123;

  private final GtpVersion1 version1 = new GtpVersion1(this);
  private final GtpVersion2 version2 = new GtpVersion2(this);

  /** A view of nothing. */
  public GtpControl() {}

  /** Whether a packet is of the control plane by its ports; {@link #read} tells what it says. */
  public static boolean isControl(PacketHeaders packet) {
    return isControl(packet.protocol(), packet.srcPort(), packet.dstPort());
  }

  /** As above, of what is known of a packet. */
  public static boolean isControl(int protocol, int sourcePort, int destinationPort) {
    return protocol == PacketLayout.UDP && (destinationPort == PORT || sourcePort == PORT);
  }

  /**
   * Moves to the message at {@code at}.
   *
   * @param end where its datagram ends, exclusive
   * @return whether it is a message of one of the kinds; if not, the rest means nothing, but for
   *     {@link #next}
   */
  public boolean read(byte[] datagram, int at, int end) {
    clear(datagram);
    if (end - at < GtpLayout.LENGTH) {
      isBroken = true;
      return false;
    }
    version = u8(bytes, at) >>> 5;
    return switch (version) {
      case 1 -> version1.read(at, end);
      case 2 -> version2.read(at, end);
      default -> {
        isBroken = true;
        yield false;
      }
    };
  }
}
