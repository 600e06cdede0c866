package io.millrace.wire.block;

/**
 * An exporter's stream of datagrams, encoded as a number: protocol, UDP port and part.
 *
 * <p>The part is sFlow's sub-agent, IPFIX' observation domain, NetFlow version 9's source id, or
 * NetFlow version 5's engine. The port is the sender's, and 0 for sFlow, whose agents report an
 * address: in the other protocols it alone distinguishes two exporters at one address, and RFC 7011
 * section 8 makes it a part of the session that templates belong to.
 *
 * <pre>
 *   63        48         32                 0
 *   +----------+----------+------------------+
 *   | protocol | port     | part             |
 *   +----------+----------+------------------+
 * </pre>
 */
public final class Channel {
  /** Channel of datagrams in an unknown protocol. */
  public static final long UNKNOWN = 0;

  /**
   * Channel of a sender's datagrams that are counted together, whatever their protocol and part.
   */
  public static final long OTHERS = 1;

  private Channel() {}

  /** Encodes a channel; {@code part} has 32 bits. */
  public static long of(ExportProtocol protocol, int port, int part) {
    return (long) protocol.ordinal() << 48 | (long) port << 32 | (part & 0xFFFF_FFFFL);
  }

  /** The protocol. */
  public static ExportProtocol protocol(long channel) {
    return ExportProtocol.of((int) (channel >>> 48));
  }

  /** The sender's UDP port; 0 if it does not belong to the channel. */
  public static int port(long channel) {
    return (int) (channel >>> 32) & 0xFFFF;
  }

  /** Sub-agent, observation domain, source id or engine: 32 bits, unsigned. */
  public static int part(long channel) {
    return (int) channel;
  }
}
