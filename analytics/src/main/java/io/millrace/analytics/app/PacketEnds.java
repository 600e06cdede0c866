package io.millrace.analytics.app;

import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaders;

/**
 * Keys of packets by the pair of their addresses, in either direction. Ports are not part of the
 * key: fragments have none, and related flows of two hosts must be on one subtask.
 *
 * <p>All fragments of a packet have the same key, also in tunnels, where only the first fragment
 * has the inner addresses.
 *
 * @param layer IP layer of the addresses for packets in tunnels
 */
public record PacketEnds(IpLayer layer) implements RowKeys<PacketBlock> {
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

  static int hash(long oneHigh, long oneLow, long otherHigh, long otherLow) {
    return Hash.of(Hash.of(oneHigh, oneLow) + Hash.of(otherHigh, otherLow));
  }
}
