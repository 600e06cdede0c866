package io.millrace.server.api;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.KeyHash;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;

/**
 * Identity of a remote client for counters and limits: an IPv4 address or an IPv6 /64, which a
 * client cannot choose freely. See {@link Addresses#senderLow}.
 *
 * @param high upper 64 bits, 0 for IPv4
 * @param low lower 64 bits
 */
public record SenderAddress(long high, long low) {
  private static final SenderAddress UNKNOWN = new SenderAddress(Addresses.NULL, Addresses.NULL);

  /** Identity of a peer; all peers without an IP address have the same. */
  public static SenderAddress of(SocketAddress address) {
    if (!(address instanceof InetSocketAddress socket) || socket.getAddress() == null) {
      return UNKNOWN;
    }
    InetAddress host = socket.getAddress();
    ByteBuffer bytes = ByteBuffer.wrap(host.getAddress());
    if (host instanceof Inet4Address) {
      return new SenderAddress(0, Addresses.v4Low(bytes.getInt()));
    }
    long high = bytes.getLong();
    return new SenderAddress(high, Addresses.senderLow(high, bytes.getLong()));
  }

  @Override
  public int hashCode() {
    return (int) KeyHash.of(high, low);
  }

  @Override
  public String toString() {
    if (equals(UNKNOWN)) {
      return "unknown";
    }
    return Addresses.toText(high, low) + (Addresses.isV4(high, low) ? "" : "/64");
  }
}
