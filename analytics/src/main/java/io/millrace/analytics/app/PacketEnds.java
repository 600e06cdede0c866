package io.millrace.analytics.app;

import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaders;

/**
 * Deals packets out by the pair of their addresses, whichever of them has sent the packet. Ports
 * are left out: fragments have none, and what two hosts announce to each other belongs together.
 *
 * <p>All fragments of one packet have the ends of that packet, also where it is a tunnel's: its
 * first one alone shows the addresses inside.
 *
 * @param layer whose addresses they are where packets come in tunnels
 */
public record PacketEnds(IpLayer layer) implements RowKeys<PacketBlock> {
  /** Hash of packets whose addresses are not found. */
  static final int NONE = 0;

  private static final long serialVersionUID = 1;

  @Override
  public void hashes(PacketBlock block, int[] hashes) {
    PacketHeaders headers = new PacketHeaders();
    byte[] bytes = block.bytes();
    for (int row = 0; row < block.rows(); row++) {
      int start = block.start(row);
      int length = block.end(row) - start;
      LinkType link = LinkType.of(block.linkNumber(row));
      boolean isIp = headers.read(layer, link, bytes, start, length, length);
      if (isIp
          && headers.layers() > 1
          && !(headers.read(link, bytes, start, length, length) && headers.isFragment())) {
        isIp = headers.read(layer, link, bytes, start, length, length);
      }
      hashes[row] =
          isIp
              ? hash(headers.srcHigh(), headers.srcLow(), headers.dstHigh(), headers.dstLow())
              : NONE;
    }
  }

  /** The same for both directions. */
  static int hash(long oneHigh, long oneLow, long otherHigh, long otherLow) {
    return Hash.of(Hash.of(oneHigh, oneLow) + Hash.of(otherHigh, otherLow));
  }
}
