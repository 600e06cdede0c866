package io.millrace.wire.packet;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;

/**
 * Reads the headers of one packet, whole or cut off, into one row of a {@link FlowBlock}: the first
 * IP layer, or the last, as {@link PacketHeaders} finds it. Never throws, never reads outside the
 * bytes given. Not thread-safe.
 */
public final class PacketHeaderParser {
  private final PacketHeaders headers = new PacketHeaders();
  private final IpLayer layer;

  /** A parser of the layer. */
  public PacketHeaderParser(IpLayer layer) {
    this.layer = layer;
  }

  /**
   * Fills {@code SRC_ADDR}, {@code DST_ADDR}, {@code PROTO}, {@code SRC_PORT}, {@code DST_PORT},
   * {@code BYTES}, {@code TCP_FLAGS}, {@code TOS}, {@code ETHER_TYPE} and {@code SRC_VLAN} (the
   * outermost tag) of a row, where something carried the layer {@code TUNNEL} and {@code
   * TUNNEL_ID}, and touches no other column.
   *
   * @param link what the first bytes are
   * @param bytes holds the packet
   * @param off where it starts
   * @param len number of its bytes that are there
   * @param wireLength number of bytes it had on the wire, as for {@link PacketHeaders#read}
   * @param out block with room for the row
   * @param row index of the row
   * @return whether the packet is IP with both addresses; if not, the row's content means nothing
   */
  public boolean parse(
      LinkType link, byte[] bytes, int off, int len, int wireLength, FlowBlock out, int row) {
    if (!headers.read(layer, link, bytes, off, len, wireLength)) {
      return false;
    }
    out.addressHigh(FlowColumn.SRC_ADDR)[row] = headers.srcHigh();
    out.addressLow(FlowColumn.SRC_ADDR)[row] = headers.srcLow();
    out.addressHigh(FlowColumn.DST_ADDR)[row] = headers.dstHigh();
    out.addressLow(FlowColumn.DST_ADDR)[row] = headers.dstLow();
    out.ints(FlowColumn.PROTO)[row] = headers.protocol();
    out.ints(FlowColumn.SRC_PORT)[row] = headers.srcPort();
    out.ints(FlowColumn.DST_PORT)[row] = headers.dstPort();
    out.longs(FlowColumn.BYTES)[row] = headers.length();
    out.ints(FlowColumn.TCP_FLAGS)[row] = headers.tcpFlags();
    out.ints(FlowColumn.TOS)[row] = headers.tos();
    out.ints(FlowColumn.ETHER_TYPE)[row] =
        headers.isV6() ? PacketLayout.ETHER_TYPE_IPV6 : PacketLayout.ETHER_TYPE_IPV4;
    out.ints(FlowColumn.SRC_VLAN)[row] = headers.vlan();
    if (headers.tunnel() != Tunnel.NONE) {
      out.ints(FlowColumn.TUNNEL)[row] = headers.tunnel().code();
      out.ints(FlowColumn.TUNNEL_ID)[row] = (int) headers.tunnelId();
    }
    return true;
  }

  /** What the last packet that was one looked like in full. */
  public PacketHeaders headers() {
    return headers;
  }
}
