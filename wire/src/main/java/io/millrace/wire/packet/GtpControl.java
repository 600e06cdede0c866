package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.u8;

/**
 * GTP control-plane message: tunnels that are created, moved or deleted, and their subscriber.
 * {@link GtpVersion1} reads PDP contexts, {@link GtpVersion2} sessions with bearers.
 *
 * <p>A reused view: {@link #read} moves it to a message. Absent values are null or −1. Never throws
 * or reads outside the given bytes; an element that does not fit ends the message. Not thread-safe.
 */
public final class GtpControl extends GtpMessage {
  /** Type of a message. */
  public enum Kind {
    /** Requests a PDP context or session; has subscriber, location and the sender's tunnels. */
    CREATE_REQUEST,
    /** Response, with the responder's tunnels. */
    CREATE_RESPONSE,
    /**
     * Request with changed tunnels or location of a PDP context or bearer, or with a new bearer.
     */
    UPDATE_REQUEST,
    /** Response. */
    UPDATE_RESPONSE,
    /** Deletes a PDP context or session; a bearer only together with the session. */
    DELETE_REQUEST,
    /** Response. */
    DELETE_RESPONSE
  }

  /** UDP port of the control plane. */
  public static final int PORT = 2123;

  private final GtpVersion1 version1 = new GtpVersion1(this);
  private final GtpVersion2 version2 = new GtpVersion2(this);

  /** An empty view. */
  public GtpControl() {}

  /** Whether a packet belongs to the control plane by its ports; see {@link #read}. */
  public static boolean isControl(PacketHeaders packet) {
    return isControl(packet.protocol(), packet.srcPort(), packet.dstPort());
  }

  /** Whether protocol and ports are those of the control plane. */
  public static boolean isControl(int protocol, int sourcePort, int destinationPort) {
    return protocol == PacketLayout.UDP && (destinationPort == PORT || sourcePort == PORT);
  }

  /**
   * Moves to the message at {@code at}.
   *
   * @param end of its datagram, exclusive
   * @return whether it is a message of one of the kinds; otherwise only {@link #next} is valid
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
