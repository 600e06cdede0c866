package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.i64;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;

/**
 * Parser of the headers of one packet, complete or truncated, into a row of a {@link FlowBlock}:
 * the first IP layer, or the last, as {@link PacketHeaders} finds it. Never throws, never reads
 * outside the given bytes. Not thread-safe.
 */
public final class PacketHeaderParser {
  private final PacketHeaders headers;
  private final IpLayer layer;

  // Columns of the last block. They change when the block grows.
  private FlowBlock block;
  private int capacity;
  private long[] srcHigh;
  private long[] srcLow;
  private long[] dstHigh;
  private long[] dstLow;
  private int[] proto;
  private int[] srcPort;
  private int[] dstPort;
  private long[] length;
  private int[] tcpFlags;
  private int[] tos;
  private int[] etherType;
  private int[] vlan;
  private long[] srcMac; // null until a frame has one
  private long[] dstMac;

  /** A parser of captured packets, of that layer. */
  public PacketHeaderParser(IpLayer layer) {
    this(layer, true);
  }

  private PacketHeaderParser(IpLayer layer, boolean isFrameKnown) {
    this.layer = layer;
    headers = new PacketHeaders(isFrameKnown);
  }

  /**
   * A parser of exporters' samples, of that layer: some exporters report the length of the sample
   * as that of the frame, so IP's own length is used.
   */
  public static PacketHeaderParser ofSamples(IpLayer layer) {
    return new PacketHeaderParser(layer, false);
  }

  /**
   * Fills {@code SRC_ADDR}, {@code DST_ADDR}, {@code PROTO}, {@code SRC_PORT}, {@code DST_PORT},
   * {@code BYTES}, {@code TCP_FLAGS}, {@code TOS}, {@code ETHER_TYPE} and {@code SRC_VLAN} (the
   * outermost tag) of a row, and for a packet in a tunnel {@code TUNNEL} and {@code TUNNEL_ID}; no
   * other column.
   *
   * @param link link type
   * @param bytes holds the packet
   * @param off where it starts
   * @param len number of captured bytes
   * @param wireLength length on the wire in bytes, as for {@link PacketHeaders#read}
   * @param out block with space for the row
   * @param row index of the row
   * @return whether the packet is IP with both addresses; otherwise the row is invalid
   */
  public boolean parse(
      LinkType link, byte[] bytes, int off, int len, int wireLength, FlowBlock out, int row) {
    if (!headers.read(layer, link, bytes, off, len, wireLength)) {
      return false;
    }
    if (out != block || out.capacity() != capacity) {
      take(out);
    }
    srcHigh[row] = headers.srcHigh();
    srcLow[row] = headers.srcLow();
    dstHigh[row] = headers.dstHigh();
    dstLow[row] = headers.dstLow();
    proto[row] = headers.protocol();
    srcPort[row] = headers.srcPort();
    dstPort[row] = headers.dstPort();
    length[row] = headers.length();
    tcpFlags[row] = headers.tcpFlags();
    tos[row] = headers.tos();
    etherType[row] = headers.isV6() ? PacketLayout.ETHER_TYPE_IPV6 : PacketLayout.ETHER_TYPE_IPV4;
    vlan[row] = headers.vlan();
    if (headers.tunnel() != Tunnel.NONE) {
      out.ints(FlowColumn.TUNNEL)[row] = headers.tunnel().code();
      out.ints(FlowColumn.TUNNEL_ID)[row] = (int) headers.tunnelId();
    }
    return true;
  }

  private void take(FlowBlock out) {
    block = out;
    capacity = out.capacity();
    srcHigh = out.addressHigh(FlowColumn.SRC_ADDR);
    srcLow = out.addressLow(FlowColumn.SRC_ADDR);
    dstHigh = out.addressHigh(FlowColumn.DST_ADDR);
    dstLow = out.addressLow(FlowColumn.DST_ADDR);
    proto = out.ints(FlowColumn.PROTO);
    srcPort = out.ints(FlowColumn.SRC_PORT);
    dstPort = out.ints(FlowColumn.DST_PORT);
    length = out.longs(FlowColumn.BYTES);
    tcpFlags = out.ints(FlowColumn.TCP_FLAGS);
    tos = out.ints(FlowColumn.TOS);
    etherType = out.ints(FlowColumn.ETHER_TYPE);
    vlan = out.ints(FlowColumn.SRC_VLAN);
    srcMac = null;
    dstMac = null;
  }

  /**
   * Fills {@code SRC_MAC} and {@code DST_MAC} from the first Ethernet header of the last packet,
   * and {@code MPLS_LABEL} from its first stack, if present.
   */
  public void frame(FlowBlock out, int row) {
    int at = headers.frame();
    if (at >= 0) {
      if (srcMac == null || out != block || out.capacity() != capacity) {
        take(out);
        srcMac = out.longs(FlowColumn.SRC_MAC);
        dstMac = out.longs(FlowColumn.DST_MAC);
      }
      dstMac[row] = i64(headers.bytes(), at) >>> Short.SIZE;
      srcMac[row] = i64(headers.bytes(), at + PacketLayout.SRC_MAC_OFFSET) >>> Short.SIZE;
    }
    if (headers.label() >= 0) {
      out.ints(FlowColumn.MPLS_LABEL)[row] = headers.label();
    }
  }

  /**
   * Fills the row of a last frame that is not IP: MAC addresses, EtherType, {@code SRC_VLAN} and
   * {@code BYTES}; columns of IP become null.
   *
   * @param wireLength of the frame
   * @return whether it is a frame; otherwise the row is invalid
   */
  public boolean frameWithoutIp(int wireLength, FlowBlock out, int row) {
    if (headers.frame() < 0) {
      return false;
    }
    noIp(out, row);
    out.ints(FlowColumn.ETHER_TYPE)[row] =
        headers.etherType() == 0 ? FlowBlock.NULL : headers.etherType();
    out.ints(FlowColumn.SRC_VLAN)[row] = headers.vlan();
    out.longs(FlowColumn.BYTES)[row] = Math.max(wireLength, 0);
    frame(out, row);
    return true;
  }

  /** Sets to null the columns that {@link #parse} fills from IP. */
  public static void noIp(FlowBlock out, int row) {
    out.addressHigh(FlowColumn.SRC_ADDR)[row] = Addresses.NULL;
    out.addressLow(FlowColumn.SRC_ADDR)[row] = Addresses.NULL;
    out.addressHigh(FlowColumn.DST_ADDR)[row] = Addresses.NULL;
    out.addressLow(FlowColumn.DST_ADDR)[row] = Addresses.NULL;
    out.ints(FlowColumn.PROTO)[row] = FlowBlock.NULL;
    out.ints(FlowColumn.SRC_PORT)[row] = FlowBlock.NULL;
    out.ints(FlowColumn.DST_PORT)[row] = FlowBlock.NULL;
    out.ints(FlowColumn.TCP_FLAGS)[row] = FlowBlock.NULL;
    out.ints(FlowColumn.TOS)[row] = FlowBlock.NULL;
  }

  /** Headers of the last valid packet. */
  public PacketHeaders headers() {
    return headers;
  }
}
