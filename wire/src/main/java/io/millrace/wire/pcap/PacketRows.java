package io.millrace.wire.pcap;

import static io.millrace.wire.packet.BigEndian.u16;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaderParser;
import io.millrace.wire.packet.PacketHeaders;
import io.millrace.wire.packet.PacketLayout;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.packet.PacketRejects;
import io.millrace.wire.packet.Tunnel;

/**
 * Converter of captured packets to rows of flows, one per packet. For the inner layer, fragments
 * are first reassembled, as by {@link IpPackets}: a packet in a tunnel becomes one row, another one
 * becomes a row for its first fragment and a row for all later ones. Not thread-safe.
 */
public final class PacketRows {
  private final PacketHeaderParser packets;
  private final boolean isInner;
  private final PacketHeaderParser outer = new PacketHeaderParser(IpLayer.OUTER);
  private final IpPackets whole = new IpPackets(IpLayer.INNER);

  /** Rows of that layer of packets in tunnels. */
  public PacketRows(IpLayer layer) {
    packets = new PacketHeaderParser(layer);
    isInner = layer == IpLayer.INNER;
  }

  /**
   * Appends the row of the current packet; fragments without new content have none, and {@link
   * #rejects} counts packets that are not IP.
   *
   * @return whether it has a row
   */
  public boolean add(CaptureReader capture, FlowBlock block) {
    block.reserve(1);
    int row = block.rows();
    block.nullRow(row);
    block.longs(FlowColumn.PACKETS)[row] = 1;
    boolean isFragment =
        isInner && parse(outer, capture, block, row) && outer.headers().isFragment();
    boolean hasRow = isFragment ? fragment(capture, block, row) : packet(capture, block, row);
    if (!hasRow) {
      return false;
    }
    block.longs(FlowColumn.TIME)[row] = capture.timeMicros();
    block.ints(FlowColumn.SAMPLING_RATE)[row] = 1;
    block.logIndex()[row] = row;
    block.rows(row + 1);
    return true;
  }

  private static boolean parse(
      PacketHeaderParser parser, CaptureReader capture, FlowBlock block, int row) {
    return parser.parse(
        capture.linkType(),
        capture.bytes(),
        capture.offset(),
        capture.length(),
        (int) Math.min(Integer.MAX_VALUE, capture.wireLength()),
        block,
        row);
  }

  private boolean packet(CaptureReader capture, FlowBlock block, int row) {
    boolean isIp = parse(packets, capture, block, row);
    PacketReject reject = packets.headers().reject();
    if (reject != null) {
      whole.rejects().add(reject);
    }
    if (isIp) {
      packets.frame(block, row);
    }
    return isIp;
  }

  /** Adds the row of a fragment as received, which is correct without a tunnel. */
  private boolean fragment(CaptureReader capture, FlowBlock block, int row) {
    IpPackets.Outcome outcome =
        whole.read(
            capture.timeMicros(),
            capture.linkType(),
            capture.bytes(),
            capture.offset(),
            capture.length(),
            capture.wireLength());
    if (outcome != IpPackets.Outcome.READ || whole.packets() == 0) {
      return false;
    }
    outer.frame(block, row);
    PacketHeaders first = outer.headers();
    if (whole.header() >= 0) {
      inner(block, row);
    } else if (whole.bytes() != first.bytes()) {
      ports(block, row);
    }
    block.longs(FlowColumn.BYTES)[row] = whole.length();
    block.longs(FlowColumn.PACKETS)[row] = whole.packets();
    return true;
  }

  private void inner(FlowBlock block, int row) {
    int vlan = block.ints(FlowColumn.SRC_VLAN)[row];
    int length = whole.end() - whole.header();
    outer.parse(LinkType.RAW_IP, whole.bytes(), whole.header(), length, length, block, row);
    block.ints(FlowColumn.SRC_VLAN)[row] = vlan;
    if (whole.tunnel() != Tunnel.NONE) {
      block.ints(FlowColumn.TUNNEL)[row] = whole.tunnel().code();
      block.ints(FlowColumn.TUNNEL_ID)[row] = (int) whole.tunnelId();
    }
  }

  private void ports(FlowBlock block, int row) {
    int protocol = whole.protocol();
    block.addressHigh(FlowColumn.SRC_ADDR)[row] = whole.sourceHigh();
    block.addressLow(FlowColumn.SRC_ADDR)[row] = whole.sourceLow();
    block.addressHigh(FlowColumn.DST_ADDR)[row] = whole.destinationHigh();
    block.addressLow(FlowColumn.DST_ADDR)[row] = whole.destinationLow();
    block.ints(FlowColumn.PROTO)[row] = protocol;
    boolean hasPorts = PacketLayout.hasPorts(protocol) && whole.end() - whole.payload() >= 4;
    block.ints(FlowColumn.SRC_PORT)[row] =
        hasPorts ? u16(whole.bytes(), whole.payload()) : FlowBlock.NULL;
    block.ints(FlowColumn.DST_PORT)[row] =
        hasPorts ? u16(whole.bytes(), whole.payload() + 2) : FlowBlock.NULL;
    if (whole.tunnel() != Tunnel.NONE) {
      block.ints(FlowColumn.TUNNEL)[row] = whole.tunnel().code();
      block.ints(FlowColumn.TUNNEL_ID)[row] = (int) whole.tunnelId();
    }
  }

  /** Counters of rejected packets. */
  public PacketRejects rejects() {
    return whole.rejects();
  }
}
