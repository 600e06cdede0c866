package io.millrace.wire.pcap;

import io.millrace.wire.block.PacketBlock;
import java.io.IOException;

/**
 * Reader of the packets of a capture, block by block. A block ends before it exceeds {@code
 * mostBytes}, unless a single packet does; it also ends before a packet that is more than {@code
 * mostMicros} later than its first, so that a replay at the capture's pace can wait between blocks.
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
   * Reads the packets after the capture's current one.
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
   * Returns the next block; null after the last packet.
   *
   * @throws CaptureException if the capture is damaged here; all packets before the damage have
   *     been returned
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

  /**
   * Moves to the next packet; an error after packets of this block is thrown by the next call of
   * {@link #next}.
   */
  private boolean advance() throws IOException {
    hasPacket = false;
    if (damage != null) {
      CaptureException pending = damage;
      damage = null;
      throw pending;
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
