package io.millrace.wire.pcap;

import io.millrace.wire.block.PacketBlock;
import java.io.IOException;

/**
 * The packets of a capture, block by block. A block ends before it exceeds {@code mostBytes},
 * unless a single packet does; with {@code mostMicros} it also ends where the next packet is so
 * much younger than its first, so that a replay at the capture's own pace has blocks to pace.
 *
 * <p>Not thread-safe.
 */
public final class PacketBlocks {
  private final CaptureReader capture;
  private final int mostBytes;
  private final long mostMicros;
  private final PacketBlock.Writer writer = new PacketBlock.Writer();
  private boolean hasPacket;
  private CaptureException damage;

  /**
   * The packets behind the capture's current one.
   *
   * @param mostBytes length of a block in bytes
   * @param mostMicros from a block's first packet to its last, microseconds
   */
  public PacketBlocks(CaptureReader capture, int mostBytes, long mostMicros) {
    this.capture = capture;
    this.mostBytes = mostBytes;
    this.mostMicros = mostMicros;
  }

  /**
   * The next block; null behind the last packet.
   *
   * @throws CaptureException if the capture is damaged here; all packets in front of the damage
   *     have been given out before
   * @throws IOException if the stream cannot be read
   */
  public PacketBlock next() throws IOException {
    writer.clear();
    if (!hasPacket && !advance()) {
      return null;
    }
    long first = capture.timeMicros();
    do {
      writer.add(
          capture.timeMicros(),
          capture.linkNumber(),
          capture.interfaceNumber(),
          capture.wireLength(),
          capture.bytes(),
          capture.offset(),
          capture.length());
    } while (advance() && fits() && Math.abs(capture.timeMicros() - first) < mostMicros);
    return writer.toBlock();
  }

  private boolean fits() {
    return writer.length() + PacketBlock.PACKET_HEADER_LENGTH + (long) capture.length()
        <= mostBytes;
  }

  /** Moves on; damage that packets of this block stand in front of is told by the next call. */
  private boolean advance() throws IOException {
    hasPacket = false;
    if (damage != null) {
      CaptureException told = damage;
      damage = null;
      throw told;
    }
    try {
      hasPacket = capture.next();
    } catch (CaptureException e) {
      if (writer.rows() == 0) {
        throw e;
      }
      damage = e;
    }
    return hasPacket;
  }
}
